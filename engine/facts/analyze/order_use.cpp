#include "analyze/order_use.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

#include "analyze/saved_sums.hpp"
#include "analyze/sweep.hpp"
#include "classify/order.hpp"
#include "classify/why.hpp"
#include "text/names.hpp"

namespace kr::analyze {
namespace {

std::string why_no_order(const facts::Input& run) {
  const classify::Labelled& labelled = run.trace.labelled;
  if (run.rules.program().models.get(labelled.model).order_tables.empty()) {
    return "the rules of " + run.rules.program().title(labelled.model) +
           " have no labels from neighbours";
  }
  if (!labelled.no_order.empty()) return labelled.no_order;
  return {};
}

/// Goes over the operations once, with the matches by first operation.
class Places {
 public:
  Places(const sema::Program& program, const LabelledTrace& run,
         const classify::DimensionLabels& labels, const std::vector<classify::OrderMatch>& matches)
      : program_(program),
        trace_(run.trace),
        labelled_(run.labelled),
        labels_(labels),
        stream_of_(classify::stream_of_track(run.trace)) {
    places_.reserve(matches.size());
    for (const classify::OrderMatch& match : matches) places_.push_back({match});
    streams_.resize(stream_of_.size());
  }

  std::vector<CandidatePlace> find() && {
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) add(i);
    return std::move(places_);
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Stream {
    uint32_t place = none;    // the match whose operations go on
    uint32_t waiting = none;  // one whose chain goes on behind it, until the next one begins
    bool any = false;
    int64_t end_ns = 0;  // of what ran so far
  };

  void add(uint32_t i) {
    const trace::Operation& one = trace_.operations[i];
    Stream& stream = streams_[stream_of_[one.track.index]];
    const int64_t idle_ns = stream.any ? std::max<int64_t>(0, one.start_ns - stream.end_ns) : 0;
    if (stream.waiting != none) places_[stream.waiting].gap_ns += idle_ns;
    stream.waiting = none;
    if (stream.place != none) places_[stream.place].gap_ns += idle_ns;
    if (next_ < places_.size() && places_[next_].match.first == i) {
      stream.place = static_cast<uint32_t>(next_++);
      if (chain_of(stream.place).first > 0) places_[stream.place].gap_ns = idle_ns;
    }
    if (stream.place != none) take(i, one, stream);
    stream.end_ns = stream.any ? std::max(stream.end_ns, one.end_ns()) : one.end_ns();
    stream.any = true;
  }

  const sema::Chain& chain_of(uint32_t place) const {
    return *program_.rules.get(places_[place].match.rule).chain;
  }

  void take(uint32_t i, const trace::Operation& one, Stream& stream) {
    CandidatePlace& place = places_[stream.place];
    if (labels_.by_row[labelled_.row(i, one)].rule == place.match.rule) {
      ++place.operations;
      place.total_ns += one.duration_ns;
    }
    if (place.match.last != i) return;
    const sema::Chain& chain = chain_of(stream.place);
    if (chain.last + 1 < chain.steps.size()) stream.waiting = stream.place;
    stream.place = none;
  }

  const sema::Program& program_;
  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const classify::DimensionLabels& labels_;
  std::vector<uint32_t> stream_of_;
  std::vector<Stream> streams_;
  std::vector<CandidatePlace> places_;
  size_t next_ = 0;
};

/// Adds to each place the part of its operations in which no other stream of its device computes.
class Exposure {
 public:
  Exposure(const match::CompiledRules& rules, const LabelledTrace& run,
           const classify::DimensionLabels& labels, std::vector<CandidatePlace>& places)
      : trace_(run.trace),
        labelled_(run.labelled),
        labels_(labels),
        places_(places),
        stream_of_(classify::stream_of_track(run.trace)),
        kinds_(kinds_by_row(rules.program(), run.labelled)) {}

  void add() {
    std::vector<uint32_t> active(stream_of_.size(), none);  // the match of each stream
    size_t next = 0;
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& one = trace_.operations[i];
      Device& device = devices_[trace_.track(one.track).device];
      device.until(one.start_ns, places_);
      const uint32_t stream = stream_of_[one.track.index];
      if (next < places_.size() && places_[next].match.first == i) {
        active[stream] = static_cast<uint32_t>(next++);
      }
      const uint32_t row = labelled_.row(i, one);
      uint32_t place = active[stream];
      if (place != none && places_[place].match.last == i) active[stream] = none;
      if (place != none && labels_.by_row[row].rule != places_[place].match.rule) place = none;
      const bool computes = kinds_[row] == Kind::compute;
      if (computes || place != none) {
        device.begin({one.end_ns(), stream, computes, place});
      }
    }
    for (auto& [number, device] : devices_) device.until(INT64_MAX, places_);
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Running {
    int64_t end_ns;
    uint32_t stream;
    bool computes;
    uint32_t place;

    bool operator<(const Running& other) const { return end_ns > other.end_ns; }
  };
  /// What runs on a device; time goes on from one start or end to the next.
  struct Device {
    std::priority_queue<Running> running;
    std::map<uint32_t, int64_t> computing;  // operations by stream
    std::vector<Running> candidates;
    int64_t now = 0;

    void begin(const Running& one) {
      running.push(one);
      if (one.computes) ++computing[one.stream];
      if (one.place != none) candidates.push_back(one);
    }
    void until(int64_t time, std::vector<CandidatePlace>& places) {
      while (!running.empty() && running.top().end_ns <= time) {
        const Running one = running.top();
        running.pop();
        pass(one.end_ns, places);
        if (one.computes && --computing[one.stream] == 0) computing.erase(one.stream);
        if (one.place == none) continue;
        candidates.erase(std::ranges::find_if(candidates, [&](const Running& other) {
          return other.place == one.place && other.end_ns == one.end_ns;
        }));
      }
      if (!running.empty()) pass(time, places);
      now = time;
    }
    void pass(int64_t time, std::vector<CandidatePlace>& places) {
      for (const Running& one : candidates) {
        const size_t own = computing.contains(one.stream) ? 1 : 0;
        if (computing.size() == own) places[one.place].exposed_ns += time - now;
      }
      now = time;
    }
  };

  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const classify::DimensionLabels& labels_;
  std::vector<CandidatePlace>& places_;
  std::vector<uint32_t> stream_of_;
  std::vector<Kind> kinds_;
  std::map<int32_t, Device> devices_;
};

/// The names of a place's operations, in short forms.
std::string names_of(const LabelledTrace& run, const classify::DimensionLabels& labels,
                     const CandidatePlace& place) {
  constexpr size_t max_names = 8;
  const std::vector<uint32_t> streams = classify::stream_of_track(run.trace);
  const auto stream = [&](uint32_t i) { return streams[run.trace.operations[i].track.index]; };
  std::string names;
  size_t count = 0;
  for (uint32_t i = place.match.first; i <= place.match.last; ++i) {
    const trace::Operation& one = run.trace.operations[i];
    if (stream(i) != stream(place.match.first)) continue;
    if (labels.by_row[run.labelled.row(i, one)].rule != place.match.rule) continue;
    if (count++ == max_names) return names + " → …";
    if (!names.empty()) names += " → ";
    names += text::short_name(run.trace.names.get(one.name).text);
  }
  return names;
}

}  // namespace

facts::Computed<OrderUse> OrderUse::compute(const facts::Input& run) {
  if (std::string why = why_no_order(run); !why.empty()) {
    return facts::Computed<OrderUse>::absent(std::move(why));
  }
  const sema::Program& program = run.rules.program();
  const classify::Labelled& labelled = run.trace.labelled;
  const trace::Trace& trace = run.trace.trace;
  struct Sum {
    int64_t operations = 0;
    int64_t total_ns = 0;
  };
  std::vector<Sum> of_row(labelled.rows());
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    Sum& sum = of_row[labelled.row(i, trace.operations[i])];
    ++sum.operations;
    sum.total_ns += trace.operations[i].duration_ns;
  }
  OrderUse use;
  for (const sema::OrderTable& table : program.models.get(labelled.model).order_tables) {
    const std::string& dimension = program.dimensions.get(table.dimension).name;
    const classify::DimensionLabels* labels = labelled.find(table.dimension);
    const classify::DimensionLabels* over = labelled.find(table.over);
    const bool candidates = std::ranges::find(sema::candidate_dimensions, dimension) !=
                            sema::candidate_dimensions.end();
    std::map<sema::RuleId, Sum> of_rule;
    std::map<std::string_view, OrderCoverage> of_label;
    for (uint32_t row = 0; labels != nullptr && row < of_row.size(); ++row) {
      if (of_row[row].operations == 0) continue;
      const classify::LabelResult& result = labels->by_row[row];
      if (result.rule) {
        of_rule[*result.rule].operations += of_row[row].operations;
        of_rule[*result.rule].total_ns += of_row[row].total_ns;
      }
      if (candidates) continue;  // no part of the run has to be one
      OrderCoverage& coverage = of_label[over->by_row[row].label];
      coverage.instances += of_row[row].operations;
      coverage.total_ns += of_row[row].total_ns;
      if (!result.explained) continue;
      coverage.labelled += of_row[row].operations;
      coverage.labelled_ns += of_row[row].total_ns;
    }
    for (const sema::RuleId rule : table.rules) {
      const Sum& sum = of_rule[rule];
      const auto matches = labelled.matches_of_rule.find(rule);
      use.rules.push_back(
          {dimension, program.rules.get(rule).label, classify::rule_place(run.rules, rule),
           matches == labelled.matches_of_rule.end() ? sum.operations : matches->second,
           sum.operations, sum.total_ns});
    }
    std::vector<OrderCoverage> sorted;
    for (auto& [label, coverage] : of_label) {
      coverage.dimension = dimension;
      coverage.label = label;
      sorted.push_back(std::move(coverage));
    }
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &OrderCoverage::total_ns);
    use.coverage.insert(use.coverage.end(), sorted.begin(), sorted.end());
  }
  return use;
}

void OrderUse::saved(facts::Fields& io, const RunSummary& run) {
  io.list("rules", rules, [&](facts::Fields& row, OrderRuleUse& one) {
    row.text("dimension", one.dimension);
    row.text("label", one.label);
    row.text("place", one.place);
    row.amount("matches", one.matches);
    row.amount("operations", one.operations);
    row.amount("total_ns", one.total_ns);
    row.check(one.operations <= run.operations && one.total_ns <= run.gpu_total_ns);
  });
  io.list("coverage", coverage, [&](facts::Fields& row, OrderCoverage& one) {
    row.text("dimension", one.dimension);
    row.text("label", one.label);
    row.amount("instances", one.instances);
    row.amount("labelled", one.labelled);
    row.amount("total_ns", one.total_ns);
    row.amount("labelled_ns", one.labelled_ns);
    row.check(one.labelled <= one.instances && one.labelled_ns <= one.total_ns &&
              one.instances <= run.operations && one.total_ns <= run.gpu_total_ns);
  });
}

std::vector<CandidatePlace> candidate_places(const match::CompiledRules& rules,
                                             const LabelledTrace& run,
                                             sema::DimensionId dimension) {
  const classify::DimensionLabels* labels = run.labelled.find(dimension);
  for (const auto& [of, matches] : run.labelled.matches) {
    if (of != dimension || labels == nullptr) continue;
    std::vector<CandidatePlace> places = Places(rules.program(), run, *labels, matches).find();
    Exposure(rules, run, *labels, places).add();
    return places;
  }
  return {};
}

facts::Computed<Candidates> Candidates::compute(const facts::Input& run) {
  if (std::string why = why_no_order(run); !why.empty()) {
    return facts::Computed<Candidates>::absent(std::move(why));
  }
  const sema::Program& program = run.rules.program();
  const trace::Trace& trace = run.trace.trace;
  Candidates all;
  for (const auto& [dimension, matches] : run.trace.labelled.matches) {
    const classify::DimensionLabels* labels = run.trace.labelled.find(dimension);
    const std::vector<CandidatePlace> places = candidate_places(run.rules, run.trace, dimension);
    std::map<std::pair<int32_t, std::string_view>, std::pair<CandidateSum, const CandidatePlace*>>
        sums;
    for (const CandidatePlace& place : places) {
      const trace::Operation& first = trace.operations[place.match.first];
      const int32_t device = trace.track(first.track).device;
      auto& [sum, longest] = sums[{device, program.rules.get(place.match.rule).label}];
      ++sum.candidates;
      sum.operations += place.operations;
      sum.total_ns += place.total_ns;
      sum.gap_ns += place.gap_ns;
      sum.exposed_ns += place.exposed_ns;
      if (longest == nullptr || place.total_ns > longest->total_ns) longest = &place;
    }
    std::vector<CandidateSum> sorted;
    for (auto& [key, of] : sums) {
      auto& [sum, longest] = of;
      sum.dimension = program.dimensions.get(dimension).name;
      std::tie(sum.device, sum.label) = std::pair(key.first, std::string(key.second));
      sum.example = names_of(run.trace, *labels, *longest);
      sum.example_start_ns = trace.operations[longest->match.first].start_ns - trace.first_start_ns;
      sum.example_end_ns = trace.operations[longest->match.last].end_ns() - trace.first_start_ns;
      sorted.push_back(std::move(sum));
    }
    std::ranges::stable_sort(sorted, [](const CandidateSum& a, const CandidateSum& b) {
      return std::tie(a.device, b.total_ns) < std::tie(b.device, a.total_ns);
    });
    all.sums.insert(all.sums.end(), sorted.begin(), sorted.end());
  }
  return all;
}

void Candidates::saved(facts::Fields& io, const RunSummary& run) {
  io.list("sums", sums, [&](facts::Fields& row, CandidateSum& one) {
    row.text("dimension", one.dimension);
    row.number("device", one.device);
    row.text("label", one.label);
    row.amount("candidates", one.candidates);
    row.amount("operations", one.operations);
    row.amount("total_ns", one.total_ns);
    row.amount("gap_ns", one.gap_ns);
    row.amount("exposed_ns", one.exposed_ns);
    row.text("example", one.example);
    row.amount("example_start_ns", one.example_start_ns);
    row.amount("example_end_ns", one.example_end_ns);
    row.check(one.candidates <= one.operations && one.operations <= run.operations &&
              one.total_ns <= run.gpu_total_ns && one.exposed_ns <= one.total_ns &&
              one.example_start_ns <= one.example_end_ns && one.example_end_ns <= run.span_ns);
  });
}

}  // namespace kr::analyze

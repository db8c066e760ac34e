#include "classify/order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/hash_index.hpp"
#include "match/order_rules.hpp"
#include "order/matcher.hpp"

namespace kr::classify {
namespace {

/// The places of operations in the trace, stream by stream, each in the order in which it ran.
struct Streams {
  explicit Streams(const trace::Trace& trace) {
    const std::vector<uint32_t> of_track = stream_of_track(trace);
    begins.assign(of_track.size() + 1, 0);
    for (const trace::Operation& one : trace.operations) ++begins[of_track[one.track.index] + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    places.resize(trace.operations.size());
    for (uint32_t i = 0; i < places.size(); ++i) {
      places[next[of_track[trace.operations[i].track.index]]++] = i;
    }
  }

  std::vector<uint32_t> places;
  std::vector<uint32_t> begins;  // of each stream in `places`, and their end
};

/// Rows of labels, each divided by the rules of one more dimension.
class Divided {
 public:
  explicit Divided(size_t rows) : without_rule_(rows, order::no_rule) {}
  /// `rule`: its place in the table, or `no_rule`, which most operations have.
  uint32_t row(uint32_t before, uint32_t rule) {
    const auto next = static_cast<uint32_t>(rows.size());
    uint32_t found = next;
    if (rule != order::no_rule) {
      found = index_.find_or_add(hash_numbers(before, rule), next, [&](uint32_t known) {
        return rows[known].before == before && rows[known].rule == rule;
      });
    } else if (without_rule_[before] != order::no_rule) {
      found = without_rule_[before];
    } else {
      without_rule_[before] = next;
    }
    if (found == next) rows.push_back({before, rule});
    return found;
  }
  struct Row {
    uint32_t before;
    uint32_t rule;
  };
  std::vector<Row> rows;

 private:
  std::vector<uint32_t> without_rule_;  // the new row, by row
  HashIndex index_;
};

class OrderLabels {
 public:
  OrderLabels(const TraceSubjects& subjects, Labelled& labelled)
      : subjects_(subjects),
        program_(subjects.program()),
        trace_(subjects.trace()),
        labelled_(labelled),
        streams_(subjects.trace()) {}

  void add(const sema::OrderTable& table) {
    const DimensionLabels* over = labelled_.find(table.over);
    if (over == nullptr) return;  // such as `exchange`, of which this run has nothing
    match::OrderRules rules(program_, table);
    subjects_.each_class([&](uint32_t, const match::Subject& subject) { rules.add(subject); });
    rules.finish();
    order::Matcher matcher(rules.block());
    std::vector<uint32_t> word_of_row;
    word_of_row.reserve(labelled_.rows());
    for (const LabelResult& one : over->by_row) word_of_row.push_back(rules.word(one.label));

    std::vector<uint32_t> rule_of(trace_.operations.size());
    std::vector<order::Letter> letters;
    std::vector<uint32_t> found;
    std::vector<int64_t> counts(table.rules.size());
    std::vector<OrderMatch> matches;
    const bool candidates = are_candidates(table.dimension);
    for (size_t s = 0; s + 1 < streams_.begins.size(); ++s) {
      const auto places =
          std::span(streams_.places)
              .subspan(streams_.begins[s], streams_.begins[s + 1] - streams_.begins[s]);
      letters.clear();
      for (const uint32_t place : places) {
        letters.push_back(
            rules.letter(subjects_.class_of(subjects_.of(place)),
                         word_of_row[labelled_.row(place, trace_.operations[place])]));
      }
      matcher.label(letters, found, [&](const order::Match& match) {
        ++counts[match.rule];
        if (candidates) {
          matches.push_back({table.rules[match.rule], places[match.first], places[match.last]});
        }
      });
      for (size_t i = 0; i < places.size(); ++i) rule_of[places[i]] = found[i];
    }
    for (size_t i = 0; i < counts.size(); ++i) {
      if (program_.rules.get(table.rules[i]).chain) {
        labelled_.matches_of_rule[table.rules[i]] += counts[i];
      }
    }
    std::ranges::sort(matches, {}, &OrderMatch::first);
    if (!matches.empty()) labelled_.matches.emplace_back(table.dimension, std::move(matches));
    if (std::ranges::any_of(rule_of, [](uint32_t rule) { return rule != order::no_rule; })) {
      divide(table, *over, rule_of);
    } else if (!candidates) {
      DimensionLabels made{table.dimension, {}};
      for (uint32_t row = 0; row < labelled_.rows(); ++row) {
        made.by_row.push_back(of_others(table, *over, row));
      }
      labelled_.dimensions.push_back(std::move(made));
      ++labelled_.order_dimensions;
    }
  }

 private:
  void divide(const sema::OrderTable& table, const DimensionLabels& over,
              const std::vector<uint32_t>& rule_of) {
    Divided divided(labelled_.rows());
    std::vector<uint32_t> row_of(trace_.operations.size());
    for (uint32_t i = 0; i < row_of.size(); ++i) {
      row_of[i] = divided.row(labelled_.row(i, trace_.operations[i]), rule_of[i]);
    }
    DimensionLabels made{table.dimension, {}};
    std::vector<trace::NameId> names;
    for (const Divided::Row& row : divided.rows) {
      names.push_back(labelled_.names[row.before]);
      made.by_row.push_back(row.rule == order::no_rule
                                ? of_others(table, over, row.before)
                                : label_result(program_, table.rules[row.rule], ""));
    }
    for (std::vector<DimensionLabels>* all : {&labelled_.dimensions, &labelled_.candidates}) {
      for (DimensionLabels& one : *all) {
        std::vector<LabelResult> by_row;
        by_row.reserve(divided.rows.size());
        for (const Divided::Row& row : divided.rows) by_row.push_back(one.by_row[row.before]);
        one.by_row = std::move(by_row);
      }
    }
    if (are_candidates(table.dimension)) {
      labelled_.candidates.push_back(std::move(made));
    } else {
      labelled_.dimensions.push_back(std::move(made));
      ++labelled_.order_dimensions;
    }
    labelled_.names = std::move(names);
    labelled_.row_of = std::move(row_of);
  }

  bool are_candidates(sema::DimensionId dimension) const {
    const std::string& name = program_.dimensions.get(dimension).name;
    return std::ranges::find(sema::candidate_dimensions, name) != sema::candidate_dimensions.end();
  }

  /// `otherwise keep` keeps the label of the dimension that is looked at.
  LabelResult of_others(const sema::OrderTable& table, const DimensionLabels& over,
                        uint32_t row) const {
    if (!table.otherwise) return label_result(program_, std::nullopt, "");
    return label_result(program_, table.otherwise, over.by_row[row].label);
  }

  const TraceSubjects& subjects_;
  const sema::Program& program_;
  const trace::Trace& trace_;
  Labelled& labelled_;
  Streams streams_;
};

}  // namespace

std::string no_order(const trace::Trace& trace) {
  if (trace.ncu) return "pages of ncu have no times";
  const auto in_sequence = [](const Warning& one) { return one.code == "times-in-sequence"; };
  if (std::ranges::any_of(trace.warnings, in_sequence))
    return "the file has no times of operations";
  return {};
}

std::vector<uint32_t> operations_of_stream(const trace::Trace& trace, uint32_t operation) {
  const std::vector<uint32_t> of_track = stream_of_track(trace);
  const uint32_t stream = of_track[trace.operations[operation].track.index];
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    if (of_track[trace.operations[i].track.index] == stream) places.push_back(i);
  }
  return places;
}

std::vector<uint32_t> stream_of_track(const trace::Trace& trace) {
  std::map<std::tuple<std::string, int32_t, int64_t>, uint32_t> known;
  std::vector<uint32_t> streams;
  for (const trace::Track& track : trace.tracks) {
    const int64_t stream = trace.lost_streams.empty() ? track.stream : 0;
    const auto [at, added] = known.try_emplace({track.member, track.device, stream},
                                               static_cast<uint32_t>(known.size()));
    streams.push_back(at->second);
  }
  return streams;
}

void add_order_labels(const TraceSubjects& subjects, Labelled& labelled) {
  const sema::Model& model = subjects.program().models.get(labelled.model);
  if (model.order_tables.empty()) return;
  labelled.no_order = no_order(subjects.trace());
  if (!labelled.no_order.empty()) return;
  OrderLabels labels(subjects, labelled);
  for (const sema::OrderTable& table : model.order_tables) labels.add(table);
}

}  // namespace kr::classify

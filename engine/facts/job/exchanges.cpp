#include "job/exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/covered_time.hpp"
#include "base/check.hpp"
#include "base/plural.hpp"
#include "base/saturated.hpp"
#include "scopes/scope.hpp"

namespace kr::job {
namespace {

using classify::Attribution;
using Exchange = MemberExchanges::Exchange;

/// One device over time: how much of an interval its operations cover, by kind and by row.
class DeviceTime {
 public:
  DeviceTime(const analyze::LabelledTrace& run, const std::vector<analyze::Kind>& kinds,
             int32_t device) {
    int64_t covered_to = INT64_MIN;
    for (size_t i = 0; i < run.trace.operations.size(); ++i) {
      const trace::Operation& operation = run.trace.operations[i];
      if (run.trace.track(operation.track).device != device) continue;
      const uint32_t row = run.labelled.row(i, operation);
      const int64_t start = operation.start_ns, end = operation.end_ns();
      if (kinds[row] == analyze::Kind::compute) compute_.add(start, end);
      if (kinds[row] != analyze::Kind::memory) kernels_.add(start, end);
      all_.add(start, end);
      if (end > std::max(start, covered_to)) {
        parts_.push_back({std::max(start, covered_to), end, row});
        covered_to = end;
      }
    }
  }

  /// Fills `between_ns` and its parts.
  void divide(int64_t begin, int64_t end, Exchange& to) const {
    if (end <= begin) return;
    const int64_t compute = compute_.within(begin, end);
    const int64_t kernels = kernels_.within(begin, end);
    const int64_t busy = all_.within(begin, end);
    to.between_ns = end - begin;
    to.compute_ns = compute;
    to.communication_ns = kernels - compute;
    to.memory_ns = busy - kernels;
    to.idle_ns = to.between_ns - busy;
  }
  /// Calls `visit` with the row and length of each part of the interval that an operation covers
  /// first.
  template <class Visit>
  void each_part(int64_t begin, int64_t end, const Visit& visit) const {
    auto at = std::partition_point(parts_.begin(), parts_.end(),
                                   [begin](const Part& part) { return part.end <= begin; });
    for (; begin < end && at != parts_.end() && at->start < end; ++at) {
      visit(at->row, std::min(at->end, end) - std::max(at->start, begin));
    }
  }

 private:
  struct Part {
    int64_t start;
    int64_t end;
    uint32_t row;
  };
  analyze::CoveredTime compute_, kernels_, all_;
  std::vector<Part> parts_;  // that do not overlap
};

class ExchangesOfMember {
 public:
  ExchangesOfMember(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                    const std::vector<analyze::Kind>& kinds,
                    const std::vector<Direction>& directions, const Member& member)
      : rules_(rules),
        run_(run),
        kinds_(kinds),
        directions_(directions),
        member_(member),
        places_(run.attribution(rules)),
        phase_(scopes::by_phase(run.trace, places_)),
        layer_(scopes::by_layer_number(run.trace, places_)) {}

  MemberExchanges measure() {
    for (uint32_t i = 0; i < member_.operations.size(); ++i) {
      switch (directions_[row_of(i)]) {
        case Direction::dispatch:
          open_[group_of(i)].push_back(out_.exchanges.size());
          out_.exchanges.push_back(begun_by(i));
          out_.exchanges.back().dispatch = i;
          break;
        case Direction::combine:
          add_combine(i);
          break;
        case Direction::preparation:
          add(i, out_.phases[phase_of(i)].preparation);
          break;
        case Direction::unknown:
          add(i, out_.phases[phase_of(i)].unknown);
          break;
        case Direction::none:
          break;
      }
    }
    divide();
    return std::move(out_);
  }

 private:
  uint32_t row_of(uint32_t collective) const {
    const size_t place = member_.operations[collective];
    return run_.labelled.row(place, run_.trace.operations[place]);
  }
  std::string_view group_of(uint32_t collective) const {
    return member_.groups[member_.collectives[collective].group].name;
  }
  uint32_t step_of(uint32_t collective) const {
    return places_.step_of[member_.operations[collective]];
  }

  void add(uint32_t collective, MemberExchanges::Others& to) const {
    ++to.instances;
    to.total_ns = add_saturated(to.total_ns, member_.collectives[collective].duration_ns());
  }
  /// That of the innermost step.
  size_t phase_of(uint32_t collective) {
    const std::span<const uint32_t> keys = phase_.keys(member_.operations[collective]);
    const std::string_view name = keys.empty() ? std::string_view() : phase_.text(keys[0]);
    const auto at = std::find_if(out_.phases.begin(), out_.phases.end(),
                                 [name](const auto& phase) { return phase.name == name; });
    const auto place = static_cast<size_t>(at - out_.phases.begin());
    if (at == out_.phases.end()) out_.phases.push_back({std::string(name), {}, {}});
    return place;
  }
  Exchange begun_by(uint32_t collective) {
    Exchange one;
    one.phase = phase_of(collective);
    if (const uint32_t step = step_of(collective); step != Attribution::none) {
      one.step_id = step;
      one.step = places_.steps[step].phase.step;
      one.layer = places_.steps[step].phase.layer;
    }
    for (const uint32_t key : layer_.keys(member_.operations[collective])) {
      one.layer = layer_.number(key);
    }
    return one;
  }
  void add_combine(uint32_t collective) {
    std::deque<size_t>& open = open_[group_of(collective)];
    const uint32_t step = step_of(collective);
    const auto is_of_other_step = [&](size_t exchange) {
      const std::optional<size_t>& of = out_.exchanges[exchange].step_id;
      return of && step != Attribution::none && *of != step;
    };
    while (!open.empty() && is_of_other_step(open.front())) open.pop_front();
    if (open.empty()) {
      out_.exchanges.push_back(begun_by(collective));
      out_.exchanges.back().combine = collective;
    } else {
      out_.exchanges[open.front()].combine = collective;
      open.pop_front();
    }
  }

  void divide() {
    struct OfRow {
      int64_t instances = 0;
      int64_t busy_ns = 0;
    };
    std::map<std::pair<size_t, uint32_t>, OfRow> rows;  // by phase, row
    const DeviceTime time(run_, kinds_, member_.device);
    for (Exchange& one : out_.exchanges) {
      if (!one.dispatch || !one.combine) continue;
      const int64_t begin = member_.collectives[*one.dispatch].end_ns;
      const int64_t end = member_.collectives[*one.combine].start_ns;
      time.divide(begin, end, one);
      int64_t busy_ns = 0;
      time.each_part(begin, end, [&](uint32_t row, int64_t ns) {
        OfRow& of = rows[{one.phase, row}];
        ++of.instances;
        of.busy_ns = add_saturated(of.busy_ns, ns);
        busy_ns += ns;
      });
      KR_CHECK(busy_ns == one.between_ns - one.idle_ns);
    }
    const classify::Labelled& labelled = run_.labelled;
    std::map<std::tuple<size_t, size_t, std::string_view>, OfRow> labels;
    for (const auto& [key, of] : rows) {
      for (size_t d = 0; d < labelled.dimensions.size(); ++d) {
        OfRow& to = labels[{key.first, d, labelled.dimensions[d].by_row[key.second].label}];
        to.instances += of.instances;
        to.busy_ns = add_saturated(to.busy_ns, of.busy_ns);
      }
    }
    for (const auto& [key, of] : labels) {
      const auto& [phase, dimension, label] = key;
      out_.labels.push_back(
          {phase, rules_.program().dimensions.get(labelled.dimensions[dimension].dimension).name,
           std::string(label), of.instances, of.busy_ns});
    }
  }

  const match::CompiledRules& rules_;
  const analyze::LabelledTrace& run_;
  const std::vector<analyze::Kind>& kinds_;
  const std::vector<Direction>& directions_;
  const Member& member_;
  const Attribution& places_;
  scopes::Scope phase_;
  scopes::Scope layer_;
  std::map<std::string_view, std::deque<size_t>> open_;  // dispatches without a combine
  MemberExchanges out_;
};

Direction direction_named(std::string_view label) {
  if (label == "dispatch") return Direction::dispatch;
  if (label == "combine") return Direction::combine;
  if (label == "preparation") return Direction::preparation;
  return label == "unknown" ? Direction::unknown : Direction::none;
}

}  // namespace

std::vector<Direction> directions_by_row(const sema::Program& program,
                                         const classify::Labelled& labelled) {
  std::vector<Direction> directions(labelled.rows(), Direction::none);
  const auto dimension = program.dimension(std::string(sema::exchange_dimension));
  const auto* const labels = dimension ? labelled.find(*dimension) : nullptr;
  if (labels == nullptr) return directions;
  for (size_t row = 0; row < directions.size(); ++row) {
    directions[row] = direction_named(labels->by_row[row].label);
  }
  return directions;
}

std::optional<MemberExchanges> measure_exchanges(const match::CompiledRules& rules,
                                                 const analyze::LabelledTrace& run,
                                                 const std::vector<analyze::Kind>& kinds,
                                                 const std::vector<Direction>& directions,
                                                 const Member& member) {
  const std::vector<uint32_t>& operations = member.operations;
  const bool any = std::any_of(operations.begin(), operations.end(), [&](uint32_t place) {
    const Direction one = directions[run.labelled.row(place, run.trace.operations[place])];
    return one == Direction::dispatch || one == Direction::combine;
  });
  if (!any) return std::nullopt;
  return ExchangesOfMember(rules, run, kinds, directions, member).measure();
}

std::optional<Warning> lone_exchanges(const std::vector<Member>& members) {
  int64_t dispatches = 0, combines = 0, all = 0;
  for (const Member& member : members) {
    if (!member.exchanges) continue;
    for (const Exchange& one : member.exchanges->exchanges) {
      ++all;
      dispatches += one.combine ? 0 : 1;
      combines += one.dispatch ? 0 : 1;
    }
  }
  if (dispatches + combines == 0) return std::nullopt;
  return Warning{
      "lone-exchanges",
      fmt::format("{} of experts: no combine in {}, no dispatch in {}. `moe_exchanges` has a row "
                  "for each half that is alone.",
                  plural(static_cast<size_t>(all), "exchange"), dispatches, combines),
      "info"};
}

}  // namespace kr::job

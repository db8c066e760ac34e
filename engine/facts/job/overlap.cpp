#include "job/overlap.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "analyze/covered_time.hpp"
#include "base/check.hpp"

namespace kr::job {
namespace {

using classify::Attribution;

/// The union of operations that come in order of start.
class OverlapSweep {
 public:
  void add(const analyze::CoveredTime& compute, int64_t start, int64_t end) noexcept {
    ++instances_;
    // The new part is at the end: all before is covered up to the latest end.
    const int64_t from = std::max(start, busy_.covered_to());
    if (busy_.add(start, end) > 0) overlapped_ns_ += compute.within(from, end);
  }
  OverlapTimes times() const noexcept {
    return {instances_, busy_.covered_ns(), busy_.covered_ns() - overlapped_ns_};
  }

 private:
  analyze::UnionSweep busy_;
  int64_t instances_ = 0;
  int64_t overlapped_ns_ = 0;
};

/// The sweeps of one device.
class OverlapSums {
 public:
  OverlapSums(const match::CompiledRules& rules, const analyze::LabelledTrace& run)
      : rules_(rules), run_(run), places_(run.attribution(rules)) {}

  void add_compute(const trace::Operation& operation) {
    compute_.add(operation.start_ns, operation.end_ns());
  }
  void add(const Communication& one) {
    const trace::Operation& operation = run_.trace.operations[one.operation];
    const auto to = [&](OverlapSweep& sweep) {
      sweep.add(compute_, operation.start_ns, operation.end_ns());
    };
    to(all_);
    to(whole_[one.group]);
    const uint32_t row = run_.labelled.row(one.operation, operation);
    for (size_t d = 0; d < run_.labelled.dimensions.size(); ++d) {
      to(labels_[{d, run_.labelled.dimensions[d].by_row[row].label, one.group}]);
    }
    const uint32_t layer = places_.layer_of[one.operation];
    to(layers_[{layer == Attribution::none
                    ? std::nullopt
                    : std::optional(static_cast<int64_t>(places_.in_unit(layer))),
                one.group}]);
    add_to_steps(one, to);
  }

  OverlapTimes all() const noexcept { return all_.times(); }

  CollectiveOverlap finish(const std::vector<CollectiveGroup>& groups) const {
    using Row = CollectiveOverlap::Row;
    CollectiveOverlap out;
    out.groups = groups;
    for (const auto& [group, sweep] : whole_) out.whole.push_back(Row{group, sweep.times()});
    for (const auto& [key, sweep] : labels_) {
      const auto& [dimension, label, group] = key;
      Row& row = out.labels.emplace_back(Row{group, sweep.times()});
      row.dimension =
          rules_.program().dimensions.get(run_.labelled.dimensions[dimension].dimension).name;
      row.label = label;
    }
    for (const auto& [key, sweep] : layers_) {
      out.layers.emplace_back(Row{key.second, sweep.times()}).number = key.first;
    }
    for (const auto& [key, sweep] : phases_) {
      out.phases.emplace_back(Row{key.second, sweep.times()}).label = phase_names_[key.first];
    }
    for (const auto& [key, sweep] : steps_) {
      const classify::Phase& phase = places_.steps[key.first].phase;
      Row& row = out.steps.emplace_back(Row{key.second, sweep.times()});
      row.label = phase.label;
      row.number = phase.step;
      row.step_layer = phase.layer;
      row.step_id = key.first;
    }
    return out;
  }

 private:
  /// Each step that encloses it, as tables `steps` and `phases` have it.
  template <class To>
  void add_to_steps(const Communication& one, const To& to) {
    if (places_.steps.empty()) return;
    std::vector<size_t> phases;
    size_t depth = 0;
    for (uint32_t step = places_.step_of[one.operation];
         step != Attribution::none && ++depth <= analyze::max_enclosing_steps;
         step = places_.steps[step].outer) {
      to(steps_[{step, one.group}]);
      const size_t phase = phase_named(places_.steps[step].phase.label);
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
    }
    if (phases.empty()) phases.push_back(phase_named(analyze::outside_steps_name));
    for (const size_t phase : phases) to(phases_[{phase, one.group}]);
  }
  size_t phase_named(std::string_view name) {
    const auto at = std::find(phase_names_.begin(), phase_names_.end(), name);
    if (at == phase_names_.end()) phase_names_.emplace_back(name);
    return static_cast<size_t>(std::find(phase_names_.begin(), phase_names_.end(), name) -
                               phase_names_.begin());
  }

  const match::CompiledRules& rules_;
  const analyze::LabelledTrace& run_;
  const Attribution& places_;
  analyze::CoveredTime compute_;
  OverlapSweep all_;
  std::map<uint32_t, OverlapSweep> whole_;
  std::map<std::tuple<size_t, std::string_view, uint32_t>, OverlapSweep> labels_;
  std::map<std::pair<std::optional<int64_t>, uint32_t>, OverlapSweep> layers_;
  std::map<std::pair<size_t, uint32_t>, OverlapSweep> phases_;
  std::map<std::pair<uint32_t, uint32_t>, OverlapSweep> steps_;
  std::vector<std::string> phase_names_;
};

}  // namespace

std::map<int32_t, CollectiveOverlap> measure_overlap(
    const match::CompiledRules& rules, const analyze::LabelledTrace& run,
    const std::vector<analyze::Kind>& kinds, const Communications& communications,
    const std::vector<analyze::DeviceSum>& devices) {
  std::map<int32_t, CollectiveOverlap> out;
  if (communications.operations.empty()) return out;
  std::map<int32_t, OverlapSums> sums;
  for (const Communication& one : communications.operations) {
    sums.try_emplace(one.device, rules, run);
  }
  const trace::Trace& trace = run.trace;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    if (kinds[run.labelled.row(i, operation)] != analyze::Kind::compute) continue;
    const auto at = sums.find(trace.track(operation.track).device);
    if (at != sums.end()) at->second.add_compute(operation);
  }
  for (const Communication& one : communications.operations) sums.at(one.device).add(one);
  for (const analyze::DeviceSum& device : devices) {
    const auto at = sums.find(device.device);
    if (at == sums.end()) continue;
    KR_CHECK(at->second.all().busy_ns == device.communication_ns);
    KR_CHECK(at->second.all().exposed_ns == device.exposed_communication_ns);
  }
  for (const auto& [device, one] : sums) out.emplace(device, one.finish(communications.groups));
  return out;
}

}  // namespace kr::job

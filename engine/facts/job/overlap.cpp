#include "job/overlap.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyze/covered_time.hpp"
#include "base/check.hpp"
#include "scopes/sum_by.hpp"

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

/// What the collectives of a run are summed by.
struct OverlapScopes {
  std::vector<scopes::Scope> labels;  // by dimension
  scopes::Scope layer;                // with one key for those in no layer
  scopes::Scope phase;
  scopes::Scope step;

  OverlapScopes(const trace::Trace& trace, const classify::Labelled& labelled,
                const Attribution& places)
      : layer(scopes::with_outside(scopes::by_layer_number(trace, places))),
        phase(scopes::by_phase(trace, places)),
        step(scopes::by_step(trace, places)) {
    for (size_t i = 0; i < labelled.dimensions.size(); ++i) {
      labels.push_back(scopes::by_label(trace, labelled, i));
    }
  }
};

/// One device.
class DeviceOverlap {
 public:
  using Row = CollectiveOverlap::Row;

  DeviceOverlap(const trace::Trace& trace, size_t groups) : trace_(trace), groups_(groups) {}

  void add_compute(const trace::Operation& operation) {
    compute_.add(operation.start_ns, operation.end_ns());
  }
  void add(const Communication& one) { own_.push_back(&one); }

  OverlapTimes all() const {
    OverlapSweep sweep;
    for (const Communication* one : own_) add(*one, sweep);
    return sweep.times();
  }
  /// By `rank` of the key, then group; `describe` fills the rest of a row.
  template <class Rank, class Describe>
  std::vector<Row> rows_by(const scopes::Scope& scope, const Rank& rank,
                           const Describe& describe) const {
    scopes::PairSums<OverlapSweep> sums(scope.size(), groups_);
    for (const Communication* one : own_) {
      for (const uint32_t key : scope.keys(one->operation)) add(*one, sums.of(key, one->group));
    }
    std::vector<std::pair<uint32_t, Row>> rows;
    rows.reserve(sums.size());
    sums.each([&](uint32_t key, uint32_t group, const OverlapSweep& sweep) {
      describe(key, rows.emplace_back(key, Row{group, sweep.times()}).second);
    });
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); });
    std::vector<Row> out;
    out.reserve(rows.size());
    for (auto& [key, row] : rows) out.push_back(std::move(row));
    return out;
  }
  /// By key: its place among those of the scope, in the order in which they occur first.
  std::vector<size_t> order_of(const scopes::Scope& scope) const {
    std::vector<size_t> order(scope.size(), scope.size());
    size_t next = 0;
    for (const Communication* one : own_) {
      for (const uint32_t key : scope.keys(one->operation)) {
        if (order[key] == scope.size()) order[key] = next++;
      }
    }
    return order;
  }

 private:
  void add(const Communication& one, OverlapSweep& to) const {
    const trace::Operation& operation = trace_.operations[one.operation];
    to.add(compute_, operation.start_ns, operation.end_ns());
  }

  const trace::Trace& trace_;
  size_t groups_;
  analyze::CoveredTime compute_;
  std::vector<const Communication*> own_;
};

CollectiveOverlap overlap_of(const DeviceOverlap& device, const sema::Program& program,
                             const analyze::LabelledTrace& run, const Attribution& places,
                             const OverlapScopes& scopes,
                             const std::vector<CollectiveGroup>& groups) {
  using Row = CollectiveOverlap::Row;
  const auto as_key = [](uint32_t key) { return key; };
  CollectiveOverlap out;
  out.groups = groups;
  out.whole = device.rows_by(scopes::whole_run(run.trace), as_key, [](uint32_t, Row&) {});
  for (size_t i = 0; i < scopes.labels.size(); ++i) {
    const scopes::Scope& scope = scopes.labels[i];
    const auto text = [&](uint32_t key) { return scope.text(key); };
    std::vector<Row> rows = device.rows_by(scope, text, [&](uint32_t key, Row& row) {
      row.dimension = program.dimensions.get(run.labelled.dimensions[i].dimension).name;
      row.label = scope.text(key);
    });
    std::move(rows.begin(), rows.end(), std::back_inserter(out.labels));
  }
  const auto number = [&](uint32_t key) { return scopes.layer.number(key); };
  out.layers = device.rows_by(scopes.layer, number, [&](uint32_t key, Row& row) {
    if (number(key) >= 0) row.number = number(key);
  });
  const std::vector<size_t> order = device.order_of(scopes.phase);
  out.phases = device.rows_by(
      scopes.phase, [&](uint32_t key) { return order[key]; },
      [&](uint32_t key, Row& row) { row.label = scopes.phase.text(key); });
  out.steps = device.rows_by(scopes.step, as_key, [&](uint32_t key, Row& row) {
    const classify::Phase& phase = places.steps[key].phase;
    row.label = phase.label;
    row.number = phase.step;
    row.step_layer = phase.layer;
    row.step_id = key;
  });
  return out;
}

}  // namespace

std::map<int32_t, CollectiveOverlap> measure_overlap(
    const match::CompiledRules& rules, const analyze::LabelledTrace& run,
    const std::vector<analyze::Kind>& kinds, const Communications& communications,
    const std::vector<analyze::DeviceSum>& devices) {
  std::map<int32_t, CollectiveOverlap> out;
  if (communications.operations.empty()) return out;
  const trace::Trace& trace = run.trace;
  const Attribution& places = run.attribution(rules);
  const OverlapScopes scopes(trace, run.labelled, places);
  std::map<int32_t, DeviceOverlap> all;
  for (const Communication& one : communications.operations) {
    all.try_emplace(one.device, trace, communications.groups.size()).first->second.add(one);
  }
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    if (kinds[run.labelled.row(i, operation)] != analyze::Kind::compute) continue;
    const auto at = all.find(trace.track(operation.track).device);
    if (at != all.end()) at->second.add_compute(operation);
  }
  for (const analyze::DeviceSum& device : devices) {
    const auto at = all.find(device.device);
    if (at == all.end()) continue;
    const OverlapTimes times = at->second.all();
    KR_CHECK(times.busy_ns == device.communication_ns);
    KR_CHECK(times.exposed_ns == device.exposed_communication_ns);
  }
  for (const auto& [device, one] : all) {
    out.emplace(device,
                overlap_of(one, rules.program(), run, places, scopes, communications.groups));
  }
  return out;
}

}  // namespace kr::job

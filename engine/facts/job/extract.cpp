#include "job/extract.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/steps.hpp"
#include "analyze/sweep.hpp"
#include "job/communications.hpp"
#include "job/exchanges.hpp"
#include "job/overlap.hpp"

namespace kr::job {
namespace {

class Device {
 public:
  Device(int32_t device, int64_t first_start_ns) {
    member_.device = device;
    member_.first_start_ns = first_start_ns;
  }

  /// The time in which it was busy before the operation. Operations come in order of start.
  int64_t add(const trace::Operation& operation) noexcept {
    const int64_t covered_to = busy_.covered_to();
    const int64_t after = covered_to > operation.start_ns ? covered_to - operation.start_ns : 0;
    const int64_t before = busy_.covered_ns() - after;
    busy_.add(operation.start_ns, operation.end_ns());
    return before;
  }
  /// `number`: of the group among those of the run.
  uint32_t group(uint32_t number, const CollectiveGroup& group) {
    const auto [at, added] =
        groups_.try_emplace(number, static_cast<uint32_t>(member_.groups.size()));
    if (added) member_.groups.push_back(group);
    return at->second;
  }
  void add(const CollectiveInstance& instance, uint32_t operation, int64_t launched_ns) {
    found_.push_back({launched_ns, operation, instance});
  }
  Member take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.launched_ns, a.instance.start_ns) <
             std::tie(b.launched_ns, b.instance.start_ns);
    });
    member_.collectives.reserve(found_.size());
    member_.operations.reserve(found_.size());
    for (const Found& one : found_) {
      member_.collectives.push_back(one.instance);
      member_.operations.push_back(one.operation);
    }
    found_ = {};
    return std::move(member_);
  }
  bool communicates() const noexcept { return !found_.empty(); }

 private:
  Member member_;
  analyze::UnionSweep busy_;
  std::map<uint32_t, uint32_t> groups_;
  struct Found {
    int64_t launched_ns;
    uint32_t operation;
    CollectiveInstance instance;
  };
  std::vector<Found> found_;
};

}  // namespace

std::vector<Member> members_of(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                               const std::vector<analyze::DeviceSum>* overlap_of) {
  const trace::Trace& trace = run.trace;
  const std::vector<analyze::Kind> kinds = analyze::kinds_by_row(rules.program(), run.labelled);
  const std::vector<Direction> directions = directions_by_row(rules.program(), run.labelled);
  const Communications all = communications_of(run, kinds, directions);
  std::map<int32_t, Device> devices;
  auto next = all.operations.begin();
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const int32_t number = trace.track(operation.track).device;
    Device& device = devices.try_emplace(number, number, operation.start_ns).first->second;
    const int64_t busy_before_ns = device.add(operation);
    if (next == all.operations.end() || next->operation != i) continue;
    const Communication& one = *next++;
    device.add({.start_ns = operation.start_ns,
                .end_ns = operation.end_ns(),
                .busy_before_ns = busy_before_ns,
                .bytes = one.bytes,
                .sequence = one.sequence,
                .group = device.group(one.group, all.groups[one.group]),
                .peer = one.peer},
               static_cast<uint32_t>(i), launched_ns(trace, i));
  }
  std::map<int32_t, CollectiveOverlap> overlaps;
  if (overlap_of != nullptr) overlaps = measure_overlap(rules, run, kinds, all, *overlap_of);
  std::vector<Member> members;
  for (auto& [number, device] : devices) {
    if (!device.communicates()) continue;
    members.push_back(device.take());
    if (overlap_of == nullptr) continue;
    members.back().overlap = std::move(overlaps.at(number));
    members.back().exchanges = measure_exchanges(rules, run, kinds, directions, members.back());
  }
  return members;
}

facts::Computed<Members> Members::compute(const facts::Input& run) {
  const bool overlaps = run.demand.has<Overlaps>();
  return Members{members_of(run.rules, run.trace, overlaps ? &run.summary.devices : nullptr)};
}

std::optional<Warning> Members::note(const facts::Input&) const {
  return lone_exchanges(all);
}

}  // namespace kr::job

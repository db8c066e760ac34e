#include "job/extract.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analyze/steps.hpp"
#include "analyze/sweep.hpp"

namespace kr::job {
namespace {

/// The calls of operations, asked in the order of operations.
class Calls {
 public:
  explicit Calls(const trace::Trace& trace) : collectives_(trace.collectives.get()) {}

  /// Null if the trace tells nothing of the operation.
  const trace::CollectiveOperation* of(size_t operation) {
    if (collectives_ == nullptr) return nullptr;
    const std::vector<trace::CollectiveOperation>& all = collectives_->operations;
    while (next_ < all.size() && all[next_].operation < operation) ++next_;
    return next_ < all.size() && all[next_].operation == operation ? &all[next_] : nullptr;
  }

 private:
  const trace::Collectives* collectives_;
  size_t next_ = 0;
};

/// What is the same for operations of one name and call.
struct Known {
  CollectiveGroup group;
  int64_t bytes = CollectiveInstance::unknown;
};

Known known_of(const trace::Trace& trace, trace::NameId name, const trace::CollectiveCall* call) {
  Known known;
  const std::string_view text = trace.names.get(name).text;
  CollectiveGroup& group = known.group;
  if (call != nullptr) {
    group.name = call->group;
    group.ranks = call->ranks;
    group.description = call->description;
    group.size = call->group_size.value_or(CollectiveGroup::unknown);
    group.kind = kind_of_call(call->name);
  }
  if (group.kind == CollectiveKind::other) group.kind = kind_of_kernel(text);
  if (group.kind == CollectiveKind::other) group.kernel = text;
  if (call != nullptr) {
    known.bytes = bytes_of(group.kind, call->in_elements.value_or(-1),
                           call->out_elements.value_or(-1), call->type);
  }
  return known;
}

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
  uint32_t group(const CollectiveGroup& group) {
    const auto [at, added] =
        groups_.try_emplace(group, static_cast<uint32_t>(member_.groups.size()));
    if (added) member_.groups.push_back(group);
    return at->second;
  }
  void add(const CollectiveInstance& instance, int64_t launched_ns) {
    found_.emplace_back(launched_ns, instance);
  }
  Member take() {
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first, a.second.start_ns) < std::tie(b.first, b.second.start_ns);
    });
    member_.collectives.reserve(found_.size());
    for (const auto& [launched_ns, instance] : found_) member_.collectives.push_back(instance);
    found_ = {};
    return std::move(member_);
  }
  bool communicates() const noexcept { return !found_.empty(); }

 private:
  Member member_;
  analyze::UnionSweep busy_;
  std::map<CollectiveGroup, uint32_t> groups_;
  std::vector<std::pair<int64_t, CollectiveInstance>> found_;  // with the time of the launch
};

}  // namespace

std::vector<Member> members_of(const match::CompiledRules& rules,
                               const analyze::LabelledTrace& run) {
  const trace::Trace& trace = run.trace;
  const std::vector<analyze::Kind> kinds = analyze::kinds_by_row(rules.program(), run.labelled);
  std::map<int32_t, Device> devices;
  struct OfKnown {
    int64_t bytes;
    uint32_t group;
  };
  std::map<std::tuple<int32_t, uint32_t, int64_t>, OfKnown> known;  // by device, name, call
  Calls calls(trace);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const int32_t number = trace.track(operation.track).device;
    Device& device = devices.try_emplace(number, number, operation.start_ns).first->second;
    const int64_t busy_before_ns = device.add(operation);
    if (kinds[run.labelled.row(i, operation)] != analyze::Kind::communication) continue;
    const trace::CollectiveOperation* const told = calls.of(i);
    const auto [at, added] = known.try_emplace(
        {number, operation.name.index, told != nullptr ? told->call : int64_t{-1}});
    if (added) {
      const Known one = known_of(trace, operation.name,
                                 told != nullptr ? &trace.collectives->calls[told->call] : nullptr);
      at->second = {one.bytes, device.group(one.group)};
    }
    const trace::Launch* const launch = trace.host ? trace.host->launch(i) : nullptr;
    device.add({.start_ns = operation.start_ns,
                .end_ns = operation.end_ns(),
                .busy_before_ns = busy_before_ns,
                .bytes = at->second.bytes,
                .sequence = told != nullptr ? told->sequence : CollectiveInstance::unknown,
                .group = at->second.group},
               launch != nullptr ? launch->start_ns : operation.start_ns);
  }
  std::vector<Member> members;
  for (auto& [number, device] : devices) {
    if (device.communicates()) members.push_back(device.take());
  }
  return members;
}

}  // namespace kr::job

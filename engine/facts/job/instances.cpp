#include "job/instances.hpp"

#include <algorithm>
#include <vector>

namespace kr::job {

void each_instance(std::span<const JobRun> runs, const Job& job, size_t group,
                   const std::function<void(size_t k, std::span<const InstanceTime>)>& visit) {
  const MatchedGroup& of = job.groups[group];
  if (!of.matched) return;
  const bool one_clock = job.collectives[group].one_clock;
  std::vector<InstanceTime> members(of.parts.size());
  std::vector<int64_t> starts(of.parts.size());
  for (size_t k = 0; k < of.instances(); ++k) {
    for (size_t i = 0; i < members.size(); ++i) {
      const MatchedGroup::Part& part = of.parts[i];
      const Member& member = runs[part.run].members[part.member];
      const CollectiveInstance& one = member.collectives[part.instances[k]];
      members[i] = {part.run, member.device, one.duration_ns(), 0, std::nullopt, false};
      starts[i] = one_clock ? job.clocks.on_clock(part.run, one.start_ns) : 0;
    }
    if (one_clock) {
      const auto [first, last] = std::minmax_element(starts.begin(), starts.end());
      for (size_t i = 0; i < members.size(); ++i) {
        members[i].late_ns = subtract_saturated(starts[i], *first);
        members[i].waiting_ns =
            std::min(members[i].duration_ns, subtract_saturated(*last, starts[i]));
      }
      const auto late = std::find(starts.begin(), starts.end(), *last);
      members[static_cast<size_t>(late - starts.begin())].last = true;
    } else {
      const auto shortest = std::min_element(members.begin(), members.end(),
                                             [](const InstanceTime& a, const InstanceTime& b) {
                                               return a.duration_ns < b.duration_ns;
                                             });
      const int64_t min_ns = shortest->duration_ns;
      for (InstanceTime& one : members) one.waiting_ns = one.duration_ns - min_ns;
    }
    visit(k, members);
  }
}

}  // namespace kr::job

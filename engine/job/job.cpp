#include "job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace kr::job {

ClockPolicy named_clock_policy(const std::string& name, const std::string& option) {
  for (const ClockPolicy one : {ClockPolicy::utc, ClockPolicy::collectives, ClockPolicy::none}) {
    if (name == to_string(one)) return one;
  }
  throw Error("", fmt::format("`{}` is not a valid value for {}", name, option),
              "choose from utc, collectives, none");
}

std::optional<int64_t> Job::waiting_ns(size_t run) const {
  std::optional<int64_t> sum;
  for (const GroupTimes& group : collectives) {
    if (!group.matched) continue;
    for (const PartTimes& part : group.parts) {
      if (part.run == run) sum = add_saturated(sum.value_or(0), group.waiting_ns(part));
    }
  }
  return sum;
}

Job analyze_job(std::span<const JobRun> runs, const JobOptions& options) {
  const std::vector<MatchedGroup> groups = match_collectives(runs);
  Job job;
  job.options = options;
  job.clocks = find_clocks(runs, groups, options.clock);
  job.collectives = time_collectives(runs, groups, job.clocks);
  job.peers = match_peers(runs, job.clocks);
  std::stable_sort(
      job.collectives.begin(), job.collectives.end(),
      [](const GroupTimes& a, const GroupTimes& b) { return a.waiting_ns() > b.waiting_ns(); });
  return job;
}

std::optional<Headline> headline_of(const Job& job) {
  using Key = std::pair<size_t, int32_t>;
  struct Late {
    int64_t delay_ns = 0;
    int64_t last = 0;
  };
  Headline out;
  std::map<Key, Late> members;
  for (const GroupTimes& group : job.collectives) {
    if (!group.matched) continue;
    for (const PartTimes& part : group.parts) {
      Late& late = members[{part.run, part.device}];
      late.delay_ns = add_saturated(late.delay_ns, part.delay.total_ns());
      late.last += part.last;
      out.arrivals += part.last;
      out.total_ns = add_saturated(out.total_ns, part.matched_ns);
    }
    out.waiting_ns = add_saturated(out.waiting_ns, group.waiting_ns());
    out.delay.add(group.delay());
    const auto has_more = [&](const GroupTimes& than) {
      return group.bandwidth->time_ns > than.bandwidth->time_ns;
    };
    if (group.bus_bytes_per_s() && (out.bandwidth_of == nullptr || has_more(*out.bandwidth_of))) {
      out.bandwidth_of = &group;
    }
  }
  if (members.empty()) return std::nullopt;
  out.members = members.size();
  int64_t most_ns = 0;
  for (const auto& [member, late] : members) {
    if (late.delay_ns <= most_ns) continue;
    most_ns = late.delay_ns;
    out.latest = member;
    out.latest_last = late.last;
  }
  if (out.waiting_ns > out.total_ns / 2) {
    const bool host = out.delay.host_ns > add_saturated(out.delay.device_ns, out.delay.before_ns);
    out.bound = !out.latest ? Bound::waiting : host ? Bound::host : Bound::skew;
  }
  return out;
}

}  // namespace kr::job

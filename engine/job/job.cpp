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

std::vector<Job::RunWaiting> Job::waiting_of(size_t runs) const {
  std::vector<RunWaiting> all(runs);
  for (const GroupTimes& group : collectives) {
    if (!group.matched) continue;
    for (const PartTimes& part : group.parts) {
      const auto raise = [](std::optional<int64_t>& sum, int64_t ns) {
        sum = add_saturated(sum.value_or(0), ns);
      };
      raise(all[part.run].waiting_ns, group.waiting_ns(part));
      if (group.one_clock) raise(all[part.run].waited_for_ns, part.waited_for_ns);
    }
  }
  return all;
}

Job analyze_job(std::span<const JobRun> runs, const JobOptions& options) {
  std::vector<MatchedGroup> groups = match_collectives(runs);
  Job job;
  job.options = options;
  job.clocks = find_clocks(runs, groups, options.clock);
  std::vector<GroupTimes> times = time_collectives(runs, groups, job.clocks);
  std::vector<std::pair<int64_t, size_t>> order;  // waiting, place
  order.reserve(times.size());
  for (const GroupTimes& one : times) order.emplace_back(one.waiting_ns(), order.size());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [waiting_ns, place] : order) {
    job.collectives.push_back(std::move(times[place]));
    job.groups.push_back(std::move(groups[place]));
  }
  job.peers = match_peers(runs, job.clocks);
  return job;
}

std::optional<Headline> headline_of(const Job& job) {
  using Key = std::pair<size_t, int32_t>;
  struct Late {
    int64_t waited_for_ns = 0;
    int64_t last = 0;
  };
  Headline out;
  std::map<Key, Late> members;
  for (const GroupTimes& group : job.collectives) {
    if (!group.matched) continue;
    for (const PartTimes& part : group.parts) {
      Late& late = members[{part.run, part.device}];
      late.waited_for_ns = add_saturated(late.waited_for_ns, part.waited_for_ns);
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
  for (const auto& [member, late] : members) {
    if (late.waited_for_ns <= out.latest_ns) continue;
    out.latest_ns = late.waited_for_ns;
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

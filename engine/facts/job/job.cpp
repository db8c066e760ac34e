#include "job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace kr::job {

ClockPolicy named_clock_policy(const std::string& name, const std::string& option) {
  for (const ClockPolicy one : {ClockPolicy::utc, ClockPolicy::collectives, ClockPolicy::none}) {
    if (name == to_string(one)) return one;
  }
  throw Error("", fmt::format("`{}` is not a valid value for {}", name, option),
              "choose from utc, collectives, none");
}

std::map<int64_t, std::string> named_ranks(const std::vector<std::string>& texts,
                                           const std::string& option) {
  std::map<int64_t, std::string> names;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t rank = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (equals == text.npos || error != std::errc() || stop != text.data() + equals || rank < 0 ||
        equals + 1 == text.size()) {
      throw Error("", fmt::format("`{}` in {} is not a rank and its name", text, option),
                  fmt::format("write {} 0=prefill", option));
    }
    names[rank] = text.substr(equals + 1);
  }
  return names;
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

namespace {

using MemberKey = std::pair<size_t, int32_t>;

/// Groups of collectives, added.
class WaitSums {
 public:
  void add(const GroupTimes& group) {
    name_ = &group.group;
    for (const PartTimes& part : group.parts) {
      const MemberKey key{part.run, part.device};
      raise(sums_.members[key], part.matched_ns);
      raise(sums_.total_ns, part.matched_ns);
      Late& late = late_[key];
      raise(late.waited_for_ns, part.waited_for_ns);
      late.last += part.last;
      sums_.arrivals += part.last;
    }
    raise(sums_.waiting_ns, group.waiting_ns());
    sums_.delay.add(group.delay());
    squares_ns2_ += group.squared_waiting_ns2;
  }

  Waits take() {
    for (const auto& [member, late] : late_) {
      if (late.waited_for_ns <= sums_.latest_ns) continue;
      sums_.latest_ns = late.waited_for_ns;
      sums_.latest = member;
      sums_.latest_last = late.last;
    }
    sums_.chance = may_be_chance(late_.size(), sums_.latest_ns, sums_.waiting_ns, squares_ns2_);
    return std::move(sums_);
  }
  const CollectiveGroup* name() const { return name_; }

 private:
  struct Late {
    int64_t waited_for_ns = 0;
    int64_t last = 0;
  };
  static void raise(int64_t& sum, int64_t ns) { sum = add_saturated(sum, ns); }

  Waits sums_;
  std::map<MemberKey, Late> late_;
  double squares_ns2_ = 0;
  const CollectiveGroup* name_ = nullptr;
};

Bound bound_of(const Waits& waits) {
  if (!waits.mostly()) return Bound::transfer;
  if (!waits.latest) return Bound::waiting;
  const Delay& delay = waits.delay;
  const bool host = delay.host_ns > add_saturated(delay.device_ns, delay.before_ns);
  return host ? Bound::host : Bound::skew;
}

/// Whether the members of a group are in it for a tenth of their time in collectives.
bool decides(const Waits& group, const Waits& all) {
  int64_t time_ns = 0;
  for (const auto& [member, ns] : group.members) {
    time_ns = add_saturated(time_ns, all.members.at(member));
  }
  return group.total_ns >= time_ns / 10;
}

using ProcessGroup = std::pair<std::string_view, std::string_view>;  // name, ranks

ProcessGroup process_group(const GroupTimes& times) {
  return {times.group.name, times.group.ranks};
}

double part_waiting(const Waits& waits) {
  return static_cast<double>(waits.waiting_ns) /
         static_cast<double>(std::max<int64_t>(1, waits.total_ns));
}

/// The group that decides, of several.
void find_group(std::map<ProcessGroup, WaitSums>& groups, Headline& out) {
  size_t waiting = 0;
  for (auto& [key, sums] : groups) {
    Waits waits = sums.take();
    if (!decides(waits, out.all)) continue;
    waiting += waits.mostly() ? 1 : 0;
    const Waits& best = out.of_group;
    const bool better = waits.mostly() != best.mostly() ? waits.mostly()
                        : waits.mostly()                ? waits.waiting_ns > best.waiting_ns
                                                        : part_waiting(waits) > part_waiting(best);
    if (out.group != nullptr && !better) continue;
    out.group = sums.name();
    out.of_group = std::move(waits);
  }
  out.others_waiting = waiting > 0 ? waiting - 1 : 0;
}

}  // namespace

std::optional<Headline> headline_of(const Job& job) {
  const auto counts = [](const GroupTimes& group) { return group.matched && group.complete; };
  const std::vector<GroupTimes>& all = job.collectives;
  const bool any = std::any_of(all.begin(), all.end(), counts);
  Headline out;
  WaitSums sums;
  std::map<ProcessGroup, WaitSums> groups;
  std::set<ProcessGroup> incomplete;
  for (const GroupTimes& group : all) {
    // A rank may send nothing to some members of a group.
    if (!group.complete && !is_one_sided(group.group.kind)) incomplete.insert(process_group(group));
    if (any ? !counts(group) : !group.matched) continue;
    sums.add(group);
    groups[process_group(group)].add(group);
    const auto has_more = [&](const GroupTimes& than) {
      return group.bandwidth->time_ns > than.bandwidth->time_ns;
    };
    if (group.bus_bytes_per_s() && (out.bandwidth_of == nullptr || has_more(*out.bandwidth_of))) {
      out.bandwidth_of = &group;
    }
  }
  if (groups.empty()) return std::nullopt;
  out.all = sums.take();
  out.groups = groups.size();
  out.incomplete = incomplete.size();
  if (!any) return out;
  if (groups.size() > 1) find_group(groups, out);
  out.bound = bound_of(out.decided_by());
  return out;
}

}  // namespace kr::job

#include "job/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/in_parallel.hpp"

namespace kr::job {
namespace {

using Part = MatchedGroup::Part;

void raise(int64_t& sum, int64_t value) noexcept {
  sum = add_saturated(sum, value);
}

class GroupTimer {
 public:
  GroupTimer(std::span<const JobRun> runs, const MatchedGroup& group, const ClockTable& clocks)
      : runs_(runs), group_(group), clocks_(clocks) {
    out_.group = group.group;
    out_.matched = group.matched;
    out_.complete = group.complete;
    out_.why_not = group.why_not;
    out_.one_clock =
        group.matched && std::all_of(group.parts.begin(), group.parts.end(), [&](const Part& part) {
          return clocks.comparable(part.run, group.parts.front().run);
        });
    starts_.resize(group.parts.size());
  }

  GroupTimes time() && {
    for (const Part& part : group_.parts) {
      const Member& member = member_of(part);
      PartTimes& times = out_.parts.emplace_back();
      times.run = part.run;
      times.device = member.device;
      times.bytes = 0;
      for (const auto* const places : {&part.instances, &part.others}) {
        for (const uint32_t place : *places) count(member.collectives[place], times);
      }
      count(part.rest, times);
    }
    if (group_.matched) {
      out_.instances = static_cast<int64_t>(group_.instances());
      for (PartTimes& part : out_.parts) part.matched = out_.instances;
      for (size_t k = 0; k < group_.instances(); ++k) compare(k);
    } else {
      for (const Part& part : group_.parts) {
        for (const uint32_t place : part.instances) {
          const CollectiveInstance& one = member_of(part).collectives[place];
          add_bandwidth(one.bytes, one.duration_ns());
        }
      }
    }
    if (bandwidth_.instances > 0) {
      bandwidth_.with_waiting = !group_.matched || !group_.complete;
      out_.bandwidth = bandwidth_;
    }
    return std::move(out_);
  }

 private:
  const Member& member_of(const Part& part) const { return runs_[part.run].members[part.member]; }
  const CollectiveInstance& instance(size_t part, size_t k) const {
    const Part& of = group_.parts[part];
    return member_of(of).collectives[of.instances[k]];
  }

  static void count(const CollectiveInstance& one, PartTimes& times) {
    ++times.instances;
    raise(times.total_ns, one.duration_ns());
    if (one.bytes == CollectiveInstance::unknown) times.bytes.reset();
    if (times.bytes) raise(*times.bytes, one.bytes);
  }

  static void count(const CollectiveRest& rest, PartTimes& times) {
    times.instances += rest.instances;
    raise(times.total_ns, rest.total_ns);
    if (!rest.bytes) times.bytes.reset();
    if (times.bytes) raise(*times.bytes, *rest.bytes);
  }

  void add_bandwidth(int64_t bytes, int64_t time_ns) {
    if (bytes == CollectiveInstance::unknown) return;
    ++bandwidth_.instances;
    raise(bandwidth_.bytes, bytes);
    raise(bandwidth_.time_ns, time_ns);
  }

  /// The k-th of each part.
  void compare(size_t k) {
    const size_t parts = group_.parts.size();
    int64_t shortest = std::numeric_limits<int64_t>::max();
    int64_t bytes = CollectiveInstance::unknown;
    for (size_t i = 0; i < parts; ++i) {
      shortest = std::min(shortest, instance(i, k).duration_ns());
      bytes = std::max(bytes, instance(i, k).bytes);
    }
    for (size_t i = 0; i < parts; ++i) {
      const int64_t duration = instance(i, k).duration_ns();
      raise(out_.parts[i].matched_ns, duration);
      raise(out_.parts[i].beyond_shortest_ns, duration - shortest);
    }
    add_bandwidth(bytes, out_.one_clock ? wait_on_one_clock(k) : shortest);
  }

  /// Returns the least transfer.
  int64_t wait_on_one_clock(size_t k) {
    for (size_t i = 0; i < starts_.size(); ++i) {
      starts_[i] = clocks_.on_clock(group_.parts[i].run, instance(i, k).start_ns);
    }
    const auto [first, last] = std::minmax_element(starts_.begin(), starts_.end());
    // The first of several that come last.
    const auto late = std::find(starts_.begin(), starts_.end(), *last);
    PartTimes& times = out_.parts[static_cast<size_t>(late - starts_.begin())];
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t all = 0;
    for (size_t i = 0; i < starts_.size(); ++i) {
      const int64_t duration = instance(i, k).duration_ns();
      const int64_t wait = std::min(duration, subtract_saturated(*last, starts_[i]));
      raise(out_.parts[i].waiting_ns, wait);
      raise(all, wait);
      least = std::min(least, duration - wait);
    }
    raise(times.waited_for_ns, all);
    out_.squared_waiting_ns2 += static_cast<double>(all) * static_cast<double>(all);
    ++times.last;
    times.delay.add(delay(static_cast<size_t>(late - starts_.begin()),
                          static_cast<size_t>(first - starts_.begin()), k));
    return least;
  }

  struct Arrival {
    int64_t before;  // the end of the collective before
    int64_t busy;    // since then
    int64_t start;
  };
  Arrival arrival(size_t i, size_t k) const {
    const Part& part = group_.parts[i];
    const Member& member = member_of(part);
    const uint32_t place = part.instances[k];
    const CollectiveInstance& one = member.collectives[place];
    const CollectiveInstance* const before = place > 0 ? &member.collectives[place - 1] : nullptr;
    const int64_t end = before != nullptr ? before->end_ns : member.first_start_ns;
    const int64_t busy = before != nullptr ? before->busy_before_end_ns() : 0;
    return {clocks_.on_clock(part.run, end), one.busy_before_ns - busy, starts_[i]};
  }
  Delay delay(size_t late, size_t early, size_t k) const {
    const Arrival a = arrival(late, k), b = arrival(early, k);
    Delay out;
    out.before_ns = subtract_saturated(a.before, b.before);
    out.device_ns = subtract_saturated(a.busy, b.busy);
    const int64_t rest = subtract_saturated(subtract_saturated(a.start, b.start), out.before_ns);
    out.host_ns = subtract_saturated(rest, out.device_ns);
    return out;
  }

  std::span<const JobRun> runs_;
  const MatchedGroup& group_;
  const ClockTable& clocks_;
  GroupTimes out_;
  Bandwidth bandwidth_;
  std::vector<int64_t> starts_;  // of the k-th, by part, on one clock
};

}  // namespace

std::optional<double> Bandwidth::bytes_per_s() const noexcept {
  if (time_ns <= 0) return std::nullopt;
  return static_cast<double>(bytes) * 1e9 / static_cast<double>(time_ns);
}

bool may_be_chance(size_t members, int64_t waited_for_ns, int64_t waiting_ns,
                   double squares_ns2) noexcept {
  constexpr double deviations = 3;
  if (members < 2 || waiting_ns <= 0) return true;
  const double each = 1 / static_cast<double>(members);
  const double all = static_cast<double>(waiting_ns);
  const double deviation = std::sqrt(each * (1 - each) * squares_ns2) / all;
  const double most = std::min(each + deviations * deviation, (1 + each) / 2);
  return static_cast<double>(waited_for_ns) <= most * all;
}

int64_t GroupTimes::waiting_ns() const noexcept {
  int64_t sum = 0;
  for (const PartTimes& part : parts) raise(sum, waiting_ns(part));
  return sum;
}

int64_t GroupTimes::total_ns() const noexcept {
  int64_t sum = 0;
  for (const PartTimes& part : parts) raise(sum, part.total_ns);
  return sum;
}

Delay GroupTimes::delay() const noexcept {
  Delay sum;
  for (const PartTimes& part : parts) sum.add(part.delay);
  return sum;
}

const PartTimes* GroupTimes::waited_for() const noexcept {
  if (!one_clock) return nullptr;
  const auto most = std::max_element(
      parts.begin(), parts.end(),
      [](const PartTimes& a, const PartTimes& b) { return a.waited_for_ns < b.waited_for_ns; });
  if (most == parts.end()) return nullptr;
  const bool chance =
      may_be_chance(parts.size(), most->waited_for_ns, waiting_ns(), squared_waiting_ns2);
  return chance ? nullptr : &*most;
}

std::optional<double> GroupTimes::bus_bytes_per_s() const noexcept {
  const auto algorithm = bandwidth ? bandwidth->bytes_per_s() : std::nullopt;
  const auto [numerator, denominator] = bus_factor(group.kind, group.size);
  if (!algorithm || denominator == 0) return std::nullopt;
  return *algorithm * static_cast<double>(numerator) / static_cast<double>(denominator);
}

std::vector<GroupTimes> time_collectives(std::span<const JobRun> runs,
                                         std::span<const MatchedGroup> groups,
                                         const ClockTable& clocks) {
  std::vector<GroupTimes> out(groups.size());
  in_parallel(groups.size(),
              [&](size_t i) { out[i] = GroupTimer(runs, groups[i], clocks).time(); });
  return out;
}

}  // namespace kr::job

// How long the members of a job wait for each other in collectives, why, and how fast they are.
//
// Of a collective with the starts s and durations on one clock, A is the last start. A member waits
// min(duration, max(0, A - s)) for the last to arrive; the rest is transfer. Without a common
// clock, all beyond the shortest duration of any member is taken for waiting. Of a group of which
// some members are not here, A may be later: waiting is a lower bound, transfer an upper bound, a
// bandwidth a lower bound.
//
// The last member comes later than the first because the collective before ended later on it, its
// device was busy for longer since then, or idle for longer: these three add up to the difference
// of their starts. Before its first collective a member begins with the first operation of its
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/clock.hpp"
#include "job/match.hpp"

namespace kr::job {

/// Why the last member came late. Sums of differences, which may be negative.
struct Delay {
  int64_t before_ns = 0;  // the end of the collective before
  int64_t device_ns = 0;  // busy since then
  int64_t host_ns = 0;    // idle since then

  int64_t total_ns() const noexcept {
    return add_saturated(add_saturated(before_ns, device_ns), host_ns);
  }
  void add(const Delay& other) noexcept {
    before_ns = add_saturated(before_ns, other.before_ns);
    device_ns = add_saturated(device_ns, other.device_ns);
    host_ns = add_saturated(host_ns, other.host_ns);
  }
};

/// The collectives of a group on one member.
struct PartTimes {
  size_t run = 0;
  int32_t device = 0;
  int64_t instances = 0;
  int64_t total_ns = 0;
  // Of those that are matched.
  int64_t matched = 0;
  int64_t matched_ns = 0;
  int64_t waiting_ns = 0;          // on one clock; 0 where there is none
  int64_t beyond_shortest_ns = 0;  // needs no clock
  int64_t last = 0;                // how often it was the last to arrive; 0 without a clock
  /// What all members waited in those that it was the last to arrive at: the waiting that it
  /// causes. Over all parts, their waiting on one clock.
  int64_t waited_for_ns = 0;
  /// Of those that it was the last to arrive at: how much later than the first.
  Delay delay;
  std::optional<int64_t> bytes;  // nullopt: not known, of all or of some
};

/// Of collectives whose bytes are known.
struct Bandwidth {
  int64_t instances = 0;
  int64_t bytes = 0;  // of the member with most, of each
  /// The least transfer of the members, of each; where they are not matched, or there is one, all
  /// of its duration.
  int64_t time_ns = 0;
  /// `time_ns` may contain waiting: for members that are not here, or are not compared.
  bool with_waiting = false;

  /// Algorithm bandwidth.
  std::optional<double> bytes_per_s() const noexcept;
};

/// Whether a member that comes last at random, as often as any other, could have this part of the
/// waiting: no more than 1/n and 3 standard deviations, and no more than halfway from 1/n to all of
/// it. `squares_ns2`: the sum of the squares of the waiting in each collective.
bool may_be_chance(size_t members, int64_t waited_for_ns, int64_t waiting_ns,
                   double squares_ns2) noexcept;

struct GroupTimes {
  CollectiveGroup group;
  bool matched = false;
  bool complete = true;    // as MatchedGroup::complete
  bool one_clock = false;  // of all parts
  std::string why_not;     // as MatchedGroup::why_not
  int64_t instances = 0;   // that are matched
  std::vector<PartTimes> parts;
  /// Over all that are matched, the square of what all members wait in it, on one clock.
  double squared_waiting_ns2 = 0;
  std::optional<Bandwidth> bandwidth;

  /// Of all parts, on one clock where there is one.
  int64_t waiting_ns() const noexcept;
  int64_t waiting_ns(const PartTimes& part) const noexcept {
    return one_clock ? part.waiting_ns : part.beyond_shortest_ns;
  }
  int64_t total_ns() const noexcept;
  Delay delay() const noexcept;
  /// The part that the others wait for the longest, the first of several; null: there is no clock,
  /// nobody waits, or it may be chance.
  const PartTimes* waited_for() const noexcept;
  /// Nullopt: not known.
  std::optional<double> bus_bytes_per_s() const noexcept;
};

/// By group, as `groups`.
std::vector<GroupTimes> time_collectives(std::span<const JobRun> runs,
                                         std::span<const MatchedGroup> groups,
                                         const ClockTable& clocks);

}  // namespace kr::job

// The runs of a job together: one clock, and what their collectives tell.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/ranks.hpp"
#include "job/clock.hpp"
#include "job/collectives.hpp"
#include "job/options.hpp"
#include "job/peers.hpp"

namespace kr::job {

struct Job {
  JobOptions options;
  ClockTable clocks;
  std::vector<GroupTimes> collectives;  // the longest wait first, then by group
  std::vector<MatchedGroup> groups;     // those of `collectives`, by place
  std::vector<PeerTimes> peers;

  struct RunWaiting {
    /// In all matched collectives of the run; nullopt: it has none.
    std::optional<int64_t> waiting_ns;
    /// The waiting of all members for the run, in those that it is the last to arrive at; nullopt:
    /// it has none on one clock.
    std::optional<int64_t> waited_for_ns;
  };
  /// By run.
  std::vector<RunWaiting> waiting_of(size_t runs) const;
};

Job analyze_job(std::span<const JobRun> runs, const JobOptions& options = {});

/// What decides the time in collectives.
enum class Bound : uint8_t {
  transfer,  // most of it is transfer
  skew,      // most of it is waiting, and most of that for devices with more work
  host,      // the same, for devices that had no work
  waiting,   // most of it is waiting, and no clock shows for whom
};

/// The matched collectives of a process group, or of several.
struct Waits {
  std::map<std::pair<size_t, int32_t>, int64_t> members;  // their time in them, by run and device
  int64_t total_ns = 0;                                   // of all members
  int64_t waiting_ns = 0;                                 // the same
  int64_t arrivals = 0;                                   // collectives whose last member is known
  /// Run and device that the others wait for the longest (PartTimes::waited_for_ns); nullopt: they
  /// wait for nobody, or there is no clock.
  std::optional<std::pair<size_t, int32_t>> latest;
  int64_t latest_ns = 0;    // what is waited for it
  int64_t latest_last = 0;  // how often it was the last
  bool chance = false;      // may_be_chance: `latest` is not one rank in particular
  Delay delay;              // of all

  /// Most of the time is waiting.
  bool mostly() const noexcept { return waiting_ns > total_ns / 2; }
};

/// What the collectives of a job come to. It is decided by process group: one whose members mostly
/// wait is not excused by others that are even. A group with less than a tenth of the time that its
/// members are in collectives decides nothing.
struct Headline {
  /// Nullopt: of no process group all members are here, and nothing is known of the job. All else
  /// is then of the members that are here: they wait at least that long.
  std::optional<Bound> bound;
  Waits all;          // of the process groups that are complete; without any of those that are not
  size_t groups = 0;  // process groups in `all`
  /// Process groups that are not in `all`, since some of their members are not here.
  size_t incomplete = 0;
  /// Of several process groups that decide: that which waits the longest of those that mostly wait,
  /// and then `bound` is of it; if none does, that with the largest part of waiting. Null: there is
  /// one group, or none decides.
  const CollectiveGroup* group = nullptr;
  Waits of_group;
  size_t others_waiting = 0;  // other process groups that decide and mostly wait
  /// What `bound` is of.
  const Waits& decided_by() const noexcept {
    return group != nullptr && of_group.mostly() ? of_group : all;
  }
  /// The group with the most time of transfer whose bus bandwidth is known; null: there is none.
  const GroupTimes* bandwidth_of = nullptr;
};

/// Nullopt: no collective is matched. Refers to the job.
std::optional<Headline> headline_of(const Job& job);

}  // namespace kr::job

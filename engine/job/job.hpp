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
  waiting,   // most of it is waiting, and no clock tells for whom
};

struct Headline {
  Bound bound = Bound::transfer;
  size_t members = 0;      // devices with matched collectives
  int64_t total_ns = 0;    // of matched collectives, of all members
  int64_t waiting_ns = 0;  // in them
  int64_t arrivals = 0;    // collectives whose last member is known
  /// Run and device that the others wait for the longest (PartTimes::waited_for_ns); nullopt: they
  /// wait for nobody, or there is no clock.
  std::optional<std::pair<size_t, int32_t>> latest;
  int64_t latest_ns = 0;    // what is waited for it
  int64_t latest_last = 0;  // how often it was the last
  Delay delay;              // of all
  /// The group with the most time of transfer whose bus bandwidth is known; null: there is none.
  const GroupTimes* bandwidth_of = nullptr;
};

/// Nullopt: no collective is matched. Refers to the job.
std::optional<Headline> headline_of(const Job& job);

}  // namespace kr::job

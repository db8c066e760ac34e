// The runs of a job together: one clock, and what their collectives tell. docs/ranks.md explains
// it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/clock.hpp"
#include "job/collectives.hpp"

namespace kr::job {

struct JobOptions {
  ClockPolicy clock = default_clock_policy;
  /// What the links between devices can do, to compare bus bandwidths with; nullopt: not told.
  std::optional<double> link_bytes_per_s;
};

/// `collectives`, `utc` or `none`. Throws Error, which calls it `option`.
ClockPolicy named_clock_policy(const std::string& name, const std::string& option);

struct Job {
  ClockTable clocks;
  std::vector<GroupTimes> collectives;  // the longest wait first

  /// In all collectives of the run that are matched; nullopt: it has none.
  std::optional<int64_t> waiting_ns(size_t run) const;
};

Job analyze_job(std::span<const JobRun> runs, const JobOptions& options = {});

/// What a device is called: `rank 2`.
using DeviceName = std::string (*)(const void* of, size_t run, int32_t device);

/// What decides the time in collectives.
enum class Bound : uint8_t {
  transfer,  // most of it
  skew,      // waiting, mostly for devices with more work
  host,      // waiting, mostly for devices that had no work
  waiting,   // waiting; there is no clock to tell for whom
};

struct Headline {
  Bound bound = Bound::transfer;
  int64_t total_ns = 0;  // of matched collectives, of all members
  int64_t waiting_ns = 0;
  int64_t instances = 0;  // of collectives with a last member
  /// The member that was later than the first by most time; nullopt: no clock, or no delay.
  std::optional<std::pair<size_t, int32_t>> late;
  int64_t late_last = 0;  // how often it was the last
  Delay delay;            // of all
  /// The group with the most time of transfer whose bandwidth is known; nullptr: none.
  const GroupTimes* fastest_known = nullptr;
};

/// Nullopt: no collective is matched. Refers to the job.
std::optional<Headline> headline_of(const Job& job);

}  // namespace kr::job

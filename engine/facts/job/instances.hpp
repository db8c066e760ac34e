// Each collective of a group on each of its members: what job/collectives.hpp sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "job/job.hpp"

namespace kr::job {

/// A matched collective on one member.
struct InstanceTime {
  size_t run = 0;
  int32_t device = 0;
  int64_t duration_ns = 0;
  /// From its start to that of the last member, at most its duration; without a common clock what
  /// it takes longer than the shortest of any member.
  int64_t waiting_ns = 0;
  /// How much later than the first member it starts; nullopt: there is no common clock.
  std::optional<int64_t> late_ns;
  bool last = false;  // on one clock; the first of several
};

/// Calls `visit` with the members of each matched collective of a group, in order of launch, by run
/// and device. Nothing for a group that is not matched. `group` is a place in `job.groups`.
void each_instance(std::span<const JobRun> runs, const Job& job, size_t group,
                   const std::function<void(size_t k, std::span<const InstanceTime>)>& visit);

}  // namespace kr::job

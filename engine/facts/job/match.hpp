// Which collectives of the members of a job are the same: the k-th of a group on one member is the
// k-th on all of its members, in order of launch; where the profiler counts them, that of its
// number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/clock.hpp"
#include "job/member.hpp"

namespace kr::job {

struct MatchedGroup {
  /// The operations of one member.
  struct Part {
    size_t run = 0;
    size_t member = 0;                // in JobRun::members
    std::vector<uint32_t> instances;  // in Member::collectives; of matched parts, the k-th are one
    std::vector<uint32_t> others;     // that not all parts have
    CollectiveRest rest;              // that are known as sums only

    int64_t all() const noexcept {
      return static_cast<int64_t>(instances.size() + others.size()) + rest.instances;
    }
  };
  CollectiveGroup group;
  std::vector<Part> parts;  // by run, then member; with instances or others
  bool matched = false;
  /// Whether all members of the group are here; where its size is not known, all ranks of the job.
  bool complete = true;
  /// Of several parts that are not matched: `they have 3 to 4 of it`. Empty: there is nothing to
  /// match.
  std::string why_not;

  /// Of each part, if matched.
  size_t instances() const noexcept { return parts.front().instances.size(); }
};

/// By group.
std::vector<MatchedGroup> match_collectives(std::span<const JobRun> runs);

}  // namespace kr::job

// The operations of a run that communicate: what they do, in which process group, with whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "job/exchanges.hpp"
#include "job/member.hpp"

namespace kr::job {

struct Communication {
  size_t operation;  // its place in Trace::operations
  int32_t device;
  uint32_t group;    // in Communications::groups
  int64_t bytes;     // as those of a CollectiveInstance
  int64_t sequence;  // the same
  int32_t peer;      // the same
};

struct Communications {
  std::vector<CollectiveGroup> groups;
  std::vector<Communication> operations;  // by place
};

/// What the dimension `kind` says communicates. `kinds`: by row (analyze::kinds_by_row).
/// `directions`: by row (directions_by_row).
Communications communications_of(const analyze::LabelledTrace& run,
                                 const std::vector<analyze::Kind>& kinds,
                                 const std::vector<Direction>& directions);

/// Entry number `place` of the text that lists the ranks of a process group, `[0, 2, 4]`. Nullopt:
/// the text ends before (PyTorch cuts it after 30: `..., ...]`), or is not such a list.
std::optional<int64_t> rank_in_list(std::string_view ranks, int64_t place) noexcept;

/// When the operation was launched; without a launch its start.
int64_t launched_ns(const trace::Trace& trace, size_t operation);

}  // namespace kr::job

// What a source says of operations that communicate, beside their names and times. Read only if
// requested (OpenOptions::collectives).
//
// Memory: 16 bytes per operation that communicates, and the texts of each distinct call once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kr::trace {

/// What is the same for many calls.
struct CollectiveCall {
  std::string name;         // as the source spells it: `allreduce`, `_allgather_base`
  std::string group;        // the name of the process group; may be empty
  std::string description;  // of the group: `TP`; may be empty
  std::string ranks;        // of the group, as the source spells them; may be empty
  std::string type;         // of an element: `BFloat16`; may be empty
  std::optional<int64_t> group_size;
  std::optional<int64_t> in_elements;
  std::optional<int64_t> out_elements;
  std::optional<int64_t> source_rank;       // of a receive
  std::optional<int64_t> destination_rank;  // of a send
  /// The argument `rank` of PyTorch's call (torch/csrc/profiler/util.cpp): a place in the process
  /// group. Of a broadcast, reduce, gather or scatter it is the root; of others, the rank itself.
  std::optional<int64_t> rank_argument;

  friend auto operator<=>(const CollectiveCall&, const CollectiveCall&) = default;
};

struct CollectiveOperation {
  static constexpr int64_t no_sequence = -1;

  int64_t sequence;    // among those of its process group; no_sequence: it is not known
  uint32_t operation;  // its place in Trace::operations
  uint32_t call;       // in Collectives::calls
};
static_assert(sizeof(CollectiveOperation) == 16);

struct Collectives {
  std::vector<CollectiveCall> calls;
  std::vector<CollectiveOperation> operations;  // by place
};

}  // namespace kr::trace

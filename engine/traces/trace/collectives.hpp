// What a source says of operations that communicate, beside their names and times: PyTorch's
// profiler of each operation, NCCL of each call that requests one. Read only if requested
// (OpenOptions::collectives).
//
// Memory: 16 bytes per operation that communicates and per request, and the texts of each distinct
// call once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kr::trace {

/// What is the same for many calls.
struct CollectiveCall {
  std::string name;  // as the source spells it: `allreduce`, `_allgather_base`; may be empty
  /// The name of the process group, of NCCL the id of its communicator: `0xc0ffee00d15ea5e5`. May
  /// be empty.
  std::string group;
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
  /// Of NCCL it is the root, or of a send or receive the other end.
  std::optional<int64_t> rank_argument;
  // What NCCL alone says.
  std::string reduction = {};                 // `Sum`; may be empty
  std::optional<int64_t> group_rank = {};     // of the caller
  std::optional<int64_t> message_bytes = {};  // as NCCL counts: of an allgather one rank's part
  std::optional<int64_t> bytes = {};  // of an allgather all parts: with the members of the group

  friend auto operator<=>(const CollectiveCall&, const CollectiveCall&) = default;
};

struct CollectiveOperation {
  static constexpr int64_t no_sequence = -1;

  int64_t sequence;    // among those of its process group; no_sequence: it is not known
  uint32_t operation;  // its place in Trace::operations
  uint32_t call;       // in Collectives::calls
};
static_assert(sizeof(CollectiveOperation) == 16);

/// A call of a library that requests an operation. Several calls may become one operation, or none:
/// those of one group of NCCL, of no bytes, or captured into a CUDA graph.
struct CollectiveRequest {
  static constexpr int32_t no_device = -1;

  int64_t start_ns;
  int32_t device;  // no_device: it is not known
  uint32_t call;   // in Collectives::calls
};
static_assert(sizeof(CollectiveRequest) == 16);

struct Collectives {
  std::vector<CollectiveCall> calls;
  std::vector<CollectiveOperation> operations;  // by place
  std::vector<CollectiveRequest> requests;      // by thread, then start
};

}  // namespace kr::trace

// What a program requested of NCCL: its calls, by device, communicator and kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/fact.hpp"

namespace kr::job {

/// Calls that are alike, and the kernels that do what they requested. Kernels of a group whose
/// calls are not alike have a row of their own, without calls.
struct NcclCallSums {
  std::optional<int32_t> device = {};
  std::string group = {};  // the id of the communicator; empty: the payloads have none
  std::string kind = {};   // as those of collectives
  std::string reduction = {};
  std::optional<int64_t> peer = {};  // the root, or the other end: its rank in the communicator
  std::optional<int64_t> group_size = {};
  std::optional<int64_t> group_rank = {};  // nullopt: not known, or several
  int64_t calls = 0;
  int64_t bytes = 0;                       // as the program gave them
  std::optional<int64_t> moved_bytes = 0;  // nullopt: unknown, of all or of some
  int64_t kernels = 0;
  int64_t kernel_ns = 0;
};

struct NcclCalls {
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::collectives;
  static facts::Computed<NcclCalls> compute(const facts::Input& run);

  std::vector<NcclCallSums> all;  // by device, group, kind, reduction and peer
};

}  // namespace kr::job

// What NCCL's ranges of NVTX and their payloads mean. Payloads are known by the names of their
// entries: layouts, and numbers of schemas and enums, differ between versions of NCCL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trace/readers/nvtx_payload.hpp"

namespace kr::trace {

/// A function of NCCL, by the name of its range. `other`: it requests no operation.
enum class NcclFunction : uint8_t { none, operation, group_start, group_end, other };
NcclFunction nccl_function(std::string_view range) noexcept;

/// The arguments of a call, as far as its payload has them.
struct NcclArguments {
  std::optional<uint64_t> communicator;
  std::optional<int64_t> bytes;  // of one rank: see nccl_total_bytes
  std::optional<int64_t> peer;   // the root, or the other end: a rank of the communicator
  std::string reduction;         // `Sum`; empty: it does not reduce
  // Of a call that makes a communicator.
  std::optional<int64_t> ranks;
  std::optional<int64_t> rank;

  friend auto operator<=>(const NcclArguments&, const NcclArguments&) = default;
};
NcclArguments nccl_arguments(std::span<const NvtxField> payload);

/// More is no size.
inline constexpr int64_t max_nccl_bytes = int64_t{1} << 60;
/// What an operation moves: the size is that of the whole buffer, or of one rank's part of it.
/// `ranks`: of the communicator. Nullopt: it needs them and they are not known, or it is too large.
std::optional<int64_t> nccl_total_bytes(std::string_view range, int64_t bytes,
                                        std::optional<int64_t> ranks) noexcept;
/// Whether the size is that of one rank's part.
bool nccl_size_is_of_part(std::string_view range) noexcept;

/// `0xc0ffee00d15ea5e5`
std::string nccl_communicator_name(uint64_t communicator);

}  // namespace kr::trace

#include "trace/readers/nccl_payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::array nccl_operations{"ncclAllGather"sv, "ncclAllReduce"sv,     "ncclBroadcast"sv,
                                     "ncclBcast"sv,     "ncclReduceScatter"sv, "ncclReduce"sv,
                                     "ncclSend"sv,      "ncclRecv"sv,          "ncclAlltoAll"sv,
                                     "ncclGather"sv,    "ncclScatter"sv,       "ncclPutSignal"sv};
constexpr std::array nccl_operations_of_parts{"ncclAllGather"sv, "ncclReduceScatter"sv,
                                              "ncclAlltoAll"sv, "ncclGather"sv, "ncclScatter"sv};

template <size_t n>
bool is_nccl_word(const std::array<std::string_view, n>& all, std::string_view name) noexcept {
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Nullopt: it is negative, or too large to be a size.
std::optional<int64_t> nccl_amount(uint64_t value) {
  if (value > uint64_t{max_nccl_bytes}) return std::nullopt;
  return static_cast<int64_t>(value);
}

}  // namespace

NcclFunction nccl_function(std::string_view range) noexcept {
  if (range.size() < 5 || !range.starts_with("nccl") || !is_upper(range[4])) {
    return NcclFunction::none;
  }
  if (range == "ncclGroupStart") return NcclFunction::group_start;
  if (range == "ncclGroupEnd") return NcclFunction::group_end;
  return is_nccl_word(nccl_operations, range) ? NcclFunction::operation : NcclFunction::other;
}

NcclArguments nccl_arguments(std::span<const NvtxField> payload) {
  NcclArguments out;
  for (const NvtxField& field : payload) {
    if (field.name == "NCCL communicator ID") {
      out.communicator = field.value;
    } else if (field.name == "Message size [bytes]" || field.name == "Bytes") {
      out.bytes = nccl_amount(field.value);
    } else if (field.name == "Root" || field.name == "Peer rank") {
      out.peer = nccl_amount(field.value);
    } else if (field.name == "Reduction operation") {
      // One that the program made has a number that is not in the enum.
      out.reduction = field.label.empty() ? fmt::format("{}", field.value) : field.label;
    } else if (field.name == "No. of ranks") {
      out.ranks = nccl_amount(field.value);
    } else if (field.name == "Rank") {
      out.rank = nccl_amount(field.value);
    }
  }
  return out;
}

bool nccl_size_is_of_part(std::string_view range) noexcept {
  return is_nccl_word(nccl_operations_of_parts, range);
}

std::optional<int64_t> nccl_total_bytes(std::string_view range, int64_t bytes,
                                        std::optional<int64_t> ranks) noexcept {
  if (!nccl_size_is_of_part(range)) return bytes;
  int64_t total = 0;
  if (!ranks || __builtin_mul_overflow(bytes, *ranks, &total)) return std::nullopt;
  return total <= max_nccl_bytes ? std::optional(total) : std::nullopt;
}

std::string nccl_communicator_name(uint64_t communicator) {
  return fmt::format("{:#x}", communicator);
}

}  // namespace kr::trace

// What a source says of operations beside their times: the shape of a launch, the size of a copy.
// Read only if requested (OpenOptions::operation_details).
//
// Operations of a trace have few distinct details, since a kernel is launched again and again with
// the same shape: each is stored once. Memory: 8 bytes per operation and 128 per distinct detail,
// and while the trace is read as much again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "base/hash.hpp"
#include "base/hash_index.hpp"

namespace kr::trace {

enum class DetailField : uint8_t {
  grid_x,  // of kernels: thread blocks
  grid_y,
  grid_z,
  block_x,  // threads
  block_y,
  block_z,
  registers,       // per thread
  static_shared,   // bytes per thread block
  dynamic_shared,  // bytes per thread block
  bytes,           // of copies and sets
  copy_kind,       // CUPTI's number
  source_kind,     // of memory, by OperationDetails::memory_kinds; of sets, that of their memory
  destination_kind,
  context,
  green_context,
  graph_node,
  count,
};

struct OperationDetail {
  static constexpr int64_t none = INT64_MIN;

  std::array<int64_t, static_cast<size_t>(DetailField::count)> values = all_none();

  int64_t& operator[](DetailField field) noexcept { return values[static_cast<size_t>(field)]; }
  std::optional<int64_t> get(DetailField field) const noexcept {
    const int64_t value = values[static_cast<size_t>(field)];
    return value != none ? std::optional(value) : std::nullopt;
  }
  friend auto operator<=>(const OperationDetail&, const OperationDetail&) = default;

 private:
  static constexpr std::array<int64_t, static_cast<size_t>(DetailField::count)> all_none() {
    std::array<int64_t, static_cast<size_t>(DetailField::count)> values{};
    for (int64_t& value : values) value = none;
    return values;
  }
};

/// Distinct details, numbered in the order first met.
class DetailTable {
 public:
  uint32_t add(const OperationDetail& detail) {
    if (last_ < details_.size() && details_[last_] == detail) return last_;
    const std::string_view bytes(reinterpret_cast<const char*>(detail.values.data()),
                                 sizeof detail.values);
    const auto next = static_cast<uint32_t>(details_.size());
    last_ = index_.find_or_add(hash_bytes(bytes), next,
                               [&](uint32_t known) { return details_[known] == detail; });
    if (last_ == next) details_.push_back(detail);
    return last_;
  }
  const OperationDetail& operator[](uint32_t number) const noexcept { return details_[number]; }
  size_t size() const noexcept { return details_.size(); }

 private:
  std::vector<OperationDetail> details_;
  HashIndex index_;
  uint32_t last_ = 0;
};

struct OperationDetails {
  static constexpr uint32_t no_correlation = UINT32_MAX;

  DetailTable distinct;
  // By operation of the trace.
  GrowingArray<uint32_t> detail_of;       // in `distinct`
  GrowingArray<uint32_t> correlation_of;  // as the source writes it, by process
  std::map<int64_t, std::string> memory_kinds;

  /// A number that fits, or none.
  static uint32_t correlation(const std::optional<int64_t>& number) noexcept {
    const bool fits = number && *number >= 0 && *number < no_correlation;
    return fits ? static_cast<uint32_t>(*number) : no_correlation;
  }
  const OperationDetail& of(size_t operation) const noexcept {
    return distinct[detail_of[operation]];
  }
};

}  // namespace kr::trace

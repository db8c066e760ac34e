#pragma once

#include <cstdint>

namespace kr::tables {

/// 0 of nothing.
inline double ratio_of(int64_t part, int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace kr::tables

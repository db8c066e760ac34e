// Why the time of a record cannot be right, and how a reader hands such a record on: as an
// operation whose start or duration is a mark in place of a time. What becomes of it is decided in
// one place for all formats: see trace/time_faults.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/decimal.hpp"

namespace kr::trace {

enum class TimeFault : uint8_t {
  missing,    // no start, no end or no duration
  negative,   // a start or a duration below 0
  too_large,  // beyond 64 bits of nanoseconds
  backwards,  // it ends before it starts
  zero,       // a start of 0, which is not a time like those of the others
  far,        // more than a day from all others
  too_long,   // longer than its stream allows
};
inline constexpr size_t time_fault_count = 7;

/// The start of an operation that has none.
constexpr int64_t no_start(TimeFault fault) noexcept {
  return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(fault);
}
/// The duration of an operation whose start is right.
constexpr int64_t no_duration(TimeFault fault) noexcept {
  return -1 - static_cast<int64_t>(fault);
}

constexpr std::optional<TimeFault> fault_of_start(int64_t start_ns) noexcept {
  if (start_ns >= no_start(TimeFault{}) + static_cast<int64_t>(time_fault_count)) {
    return std::nullopt;
  }
  return static_cast<TimeFault>(start_ns - no_start(TimeFault{}));
}
constexpr std::optional<TimeFault> fault_of_duration(int64_t duration_ns) noexcept {
  if (duration_ns >= 0) return std::nullopt;
  const int64_t number = -1 - duration_ns;
  return number < static_cast<int64_t>(time_fault_count) ? static_cast<TimeFault>(number)
                                                         : TimeFault::negative;
}

/// The fault of a number that is not a time; `not_a_number` is none of these: the row is not one.
constexpr std::optional<TimeFault> time_fault_of(DecimalFault fault) noexcept {
  switch (fault) {
    case DecimalFault::missing:
      return TimeFault::missing;
    case DecimalFault::negative:
      return TimeFault::negative;
    case DecimalFault::too_large:
      return TimeFault::too_large;
    case DecimalFault::none:
    case DecimalFault::not_a_number:
      break;
  }
  return std::nullopt;
}

}  // namespace kr::trace

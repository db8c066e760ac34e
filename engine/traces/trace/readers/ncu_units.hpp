// Numbers and units in cells of ncu's pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/ncu_profile.hpp"

namespace kr::trace {

enum class NcuNumberIs : uint8_t {
  number,
  missing,        // empty, `n/a`, `nan`
  text,           // something else
  decimal_comma,  // `1,23`, `1.234,5`, `1.234.567`: of a locale with a comma as decimal sign
};

struct NcuNumber {
  NcuNumberIs is = NcuNumberIs::missing;
  double value = 0;    // times 10^exponent, correctly rounded
  float rounding = 0;  // half of the last digit, in the same unit
};

/// `1,234.5`, and the first number of `7 (3; 4)`, which has one value per instance.
NcuNumber read_ncu_number(std::string_view text, int exponent);

/// 10^exponent ns; no unit is ns, which metrics of time are based on: whole numbers only, since
/// others are of a unit that is missing. Nothing: it is not a unit of time.
std::optional<int> ncu_time_unit(std::string_view unit);

/// `(224, 1, 1)`; all 0 if it is something else.
LaunchShape read_launch_shape(std::string_view text);

}  // namespace kr::trace

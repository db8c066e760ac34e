// Decimals as exact whole numbers of a smaller unit: times in ns, shares in millionths. No floating
// point: a double represents a time of day in microseconds only to a quarter of one.
#pragma once

#include <cstdint>
#include <string_view>

namespace kr {

enum class DecimalFault : uint8_t { none, missing, negative, not_a_number, too_large };

/// `digits[.digits]` × 10^exponent, half a unit away from zero. Blanks around it are nothing; an
/// empty cell and `None` are missing.
DecimalFault read_decimal(std::string_view text, int exponent, int64_t& value) noexcept;

/// The same of a number as JSON has it, which may have an exponent of its own: `1.2e-05`. `text`
/// has to be one. A negative zero is zero.
DecimalFault read_json_number(std::string_view text, int exponent, int64_t& value) noexcept;

}  // namespace kr

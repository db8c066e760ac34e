// Times printed as decimals, as exact nanoseconds. No floating point: a double holds a time of day
// in microseconds only to a quarter of one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::trace {

enum class TimeFault : uint8_t { none, missing, negative, not_a_number, too_large };

/// `digits[.digits]` × 10^exponent ns, half a nanosecond away from zero. Blanks around it are
/// nothing; an empty cell and `None` are missing.
TimeFault time_from_decimal(std::string_view text, int exponent, int64_t& ns) noexcept;

/// The same of a number as JSON has it, which may have an exponent of its own: `1.2e-05`. `text`
/// has to be one. A negative zero is zero.
TimeFault time_from_number(std::string_view text, int exponent, int64_t& ns) noexcept;

/// What is wrong with the cell `text` of column `column`, for an Error.
std::string describe(TimeFault fault, std::string_view column, std::string_view text);

/// A piece of a file inside a message: at most 60 bytes, control bytes as \xNN.
std::string shown_text(std::string_view text);

}  // namespace kr::trace

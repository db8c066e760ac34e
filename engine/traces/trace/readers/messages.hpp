// What files have, in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.hpp"

namespace kr::trace {

/// What is wrong with the time in the cell `text` of column `column`, for an Error.
std::string describe(DecimalFault fault, std::string_view column, std::string_view text);

/// A piece of a file inside a message: at most 60 bytes, control bytes as \xNN.
std::string shown_text(std::string_view text);

/// The first three of several names: `a, b, c, …`.
std::string some_of(const std::vector<std::string>& names);

}  // namespace kr::trace

// The order in which people number files: `run2` before `run10`.
#pragma once

#include <string_view>

namespace kr {

/// Whether a text is before another if digits that follow each other are compared as one number,
/// and all else byte by byte. Texts that differ only in leading zeros are in the order of their
/// bytes, so that any two texts have an order.
bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace kr

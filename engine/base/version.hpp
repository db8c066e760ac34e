// Versions of kr, as files require them: `>= 0.2`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kr {

/// Major, minor, patch. Later versions are larger.
using Version = std::array<uint32_t, 3>;

/// `0.2` or `0.2.1`: two or three numbers below 10^6. Nothing else is a version.
std::optional<Version> parse_version(std::string_view text);
/// `>= 0.2`, or `0.2`, which means the same: the least version.
std::optional<Version> parse_least_version(std::string_view text);

}  // namespace kr

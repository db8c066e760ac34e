#include "base/version.hpp"

#include <algorithm>
#include <charconv>

namespace kr {

std::optional<Version> parse_version(std::string_view text) {
  Version version{};
  size_t parts = 0;
  while (parts < version.size()) {
    uint32_t& part = version[parts++];
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, part);
    if (error != std::errc() || part >= 1'000'000) return std::nullopt;
    if (stop == end) return parts >= 2 ? std::optional(version) : std::nullopt;
    if (*stop != '.') return std::nullopt;
    text.remove_prefix(static_cast<size_t>(stop - text.data()) + 1);
  }
  return std::nullopt;
}

std::optional<Version> parse_least_version(std::string_view text) {
  if (text.starts_with(">=")) {
    text.remove_prefix(2);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return parse_version(text);
}

}  // namespace kr

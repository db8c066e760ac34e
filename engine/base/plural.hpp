// `1 name`, `2 names`.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kr {

inline std::string plural(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace kr

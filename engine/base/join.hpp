// Texts joined by a separator.
#pragma once

#include <string>
#include <string_view>

#include "base/join.hpp"

namespace kr {

/// `a, b, c`. Compiles in a fraction of the time of fmt::join.
template <class Texts>
std::string join(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) joined += separator;
    first = false;
    joined += text;
  }
  return joined;
}

}  // namespace kr

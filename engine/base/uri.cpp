#include "base/uri.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"

namespace kr {

std::string uri_path(std::string_view path) {
  constexpr std::string_view marks = "/-._~";
  std::string uri;
  for (const char c : path) {
    if (is_letter(c) || is_digit(c) || marks.find(c) != marks.npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace kr

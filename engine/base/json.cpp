#include "base/json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace kr {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
      ++at;
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", c);
      ++at;
    } else if (const size_t length = utf8_length(text, at); length > 0) {
      out += text.substr(at, length);
      at += length;
    } else {
      out += fmt::format("\\udc{:02x}", c);
      ++at;
    }
  }
  out += '"';
}

void append_for_script(std::string& out, std::string_view json) {
  while (true) {
    const size_t at = json.find('<');
    out += json.substr(0, at);
    if (at == json.npos) return;
    out += "\\u003c";
    json.remove_prefix(at + 1);
  }
}

std::string utf8_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text, at);
    if (length == 0) out += hex_byte(text[at]);
    out += text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace kr

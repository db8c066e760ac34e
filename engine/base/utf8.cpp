#include "base/utf8.hpp"

#include <simdjson.h>

namespace kr {

size_t utf8_length(std::string_view text, size_t at) noexcept {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](size_t i) { return i < text.size() && continues_character(text[i]); };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(at + 1) ? 2 : 0;
  const unsigned second = byte(at + 1);
  if (first >= 0xe0 && first <= 0xef) {
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return continues(at + 1) && continues(at + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return continues(at + 1) && continues(at + 2) && continues(at + 3) ? 4 : 0;
  }
  return 0;
}

size_t utf8_end(std::string_view text) noexcept {
  if (simdjson::validate_utf8(text)) return text.size();
  size_t at = 0;
  while (const size_t length = utf8_length(text, at)) at += length;
  return at;
}

size_t character_begin(std::string_view text, size_t at) noexcept {
  while (at > 0 && continues_character(text[at])) --at;
  return at;
}

uint32_t code_point(std::string_view character) noexcept {
  const auto head = static_cast<unsigned char>(character[0]);
  uint32_t code = character.size() == 1 ? head : head & (0x7fU >> character.size());
  for (const char byte : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return code;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto add = [&](uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [&](int shift) { add(0x80U | (code >> shift & 0x3fU)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0U | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    add(0xe0U | code >> 12);
    tail(6);
    tail(0);
  } else {
    add(0xf0U | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace kr

#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/utf8.hpp"

namespace kr {
namespace {

bool is_control(uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
         (point >= 0x202a && point <= 0x202e) ||  // turns of direction
         (point >= 0x2066 && point <= 0x2069) || point == 0x200e || point == 0x200f ||
         point == 0x2028 || point == 0x2029 || point == 0xfeff;
}

/// The blocks that terminals draw over two columns, and combining marks; near enough.
size_t columns_of(uint32_t point) {
  if ((point >= 0x300 && point < 0x370) || point == 0x200b || point == 0x200d ||
      (point >= 0xfe00 && point < 0xfe10)) {
    return 0;
  }
  const bool wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point < 0xa4d0) ||
                    (point >= 0xac00 && point < 0xd7a4) || (point >= 0xf900 && point < 0xfb00) ||
                    (point >= 0xfe30 && point < 0xfe70) || (point >= 0xff00 && point < 0xff61) ||
                    (point >= 0x1f300 && point < 0x1fb00) || (point >= 0x20000 && point < 0x40000);
  return wide ? 2 : 1;
}

}  // namespace

std::string hex_byte(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

std::string hex_bytes(std::string_view text) {
  std::string out;
  for (const char byte : text) out += hex_byte(byte);
  return out;
}

Glyph first_glyph(std::string_view text) {
  if (text[0] == '\t') return {1, "\t", 0};
  const size_t length = utf8_length(text);
  const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
  if (length > 0) {
    const uint32_t point = code_point(character);
    if (!is_control(point)) return {length, std::string(character), columns_of(point)};
  }
  const std::string shown = hex_bytes(character);
  return {character.size(), shown, shown.size()};
}

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    shown += glyph.shown;
    text.remove_prefix(glyph.bytes);
  }
  return shown;
}

std::string excerpt(std::string_view text, size_t limit) {
  if (text.size() <= limit) return printable(text);
  return printable(text.substr(0, character_begin(text, limit))) + "…";
}

}  // namespace kr

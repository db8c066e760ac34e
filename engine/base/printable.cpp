#include "base/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace kr {
namespace {

/// Length of the well-formed UTF-8 sequence at the head of `text`, with its code point; 0 where
/// it is broken (overlong forms and surrogates included).
size_t decode(std::string_view text, uint32_t& point) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char head = byte(0);
  const size_t length = head < 0x80    ? 1
                        : head < 0xc2  ? 0
                        : head < 0xe0  ? 2
                        : head < 0xf0  ? 3
                        : head <= 0xf4 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  point = length == 1 ? head : head & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3fU);
  }
  if (length == 3 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return 0;
  if (length == 4 && (point < 0x10000 || point > 0x10ffff)) return 0;
  return length;
}

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

size_t utf8_length(std::string_view text) {
  uint32_t point = 0;
  return decode(text, point);
}

Glyph first_glyph(std::string_view text) {
  if (text[0] == '\t') return {1, "\t", 0};
  uint32_t point = 0;
  const size_t length = decode(text, point);
  if (length > 0 && !is_control(point)) {
    return {length, std::string(text.substr(0, length)), columns_of(point)};
  }
  Glyph glyph{length > 0 ? length : 1, {}, 0};
  for (size_t i = 0; i < glyph.bytes; ++i) {
    glyph.shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
  }
  glyph.columns = glyph.shown.size();
  return glyph;
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
  size_t cut = limit;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return printable(text.substr(0, cut)) + "…";
}

}  // namespace kr

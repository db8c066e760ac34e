// Bytes as a terminal may show them: control bytes, broken UTF-8 and characters that turn the
// direction of writing become `\xNN`, so that no name or rules file can play with the screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kr {

/// `\x1b`, and so for each byte of a text.
std::string hex_byte(char byte);
std::string hex_bytes(std::string_view text);

/// What represents one character of a text on the screen.
struct Glyph {
  size_t bytes = 0;    // of the text
  std::string shown;   // `\x1b` for an escape; the character itself otherwise
  size_t columns = 0;  // 0 for combining marks, 2 for wide characters
};

/// The first glyph of a text that is not empty. A tab is left to the caller: it shows as a tab
/// of no columns.
Glyph first_glyph(std::string_view text);

/// A whole text, tabs as they are; line breaks are shown as `\x0a`.
std::string printable(std::string_view text);

/// The same, cut to `limit` bytes of the text at most, with `…` where something was left out.
std::string excerpt(std::string_view text, size_t limit);

}  // namespace kr

// UTF-8 as Unicode has it: without overlong forms, without surrogates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr {

/// Some editors write it before a text. Readers skip it.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The length of the character that begins at `at`; 0 if the bytes are not a character.
size_t utf8_length(std::string_view text, size_t at = 0) noexcept;

/// Where `text` stops being UTF-8: its size where it never does.
size_t utf8_end(std::string_view text) noexcept;
inline bool is_utf8(std::string_view text) noexcept {
  return utf8_end(text) == text.size();
}

/// Whether a byte goes on with a character, rather than beginning one.
constexpr bool continues_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80;
}

/// Where the character begins that the byte at `at` is of.
size_t character_begin(std::string_view text, size_t at) noexcept;

/// Of a text that is one character.
uint32_t code_point(std::string_view character) noexcept;
void append_utf8(std::string& out, uint32_t code);

}  // namespace kr

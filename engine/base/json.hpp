// Bytes as JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace kr {

/// `text` between quotes. Valid UTF-8 is unchanged; an invalid byte becomes `\udcNN`, the
/// lone surrogate that Python's `surrogateescape` reads back as that byte, so that no two names
/// look the same and the result is always valid JSON in valid UTF-8.
std::string json_string(std::string_view text);
void append_json_string(std::string& out, std::string_view text);

/// JSON for a script element of a page: a `<`, which only texts have, becomes
/// `\u003c`, so that no text ends the element.
void append_for_script(std::string& out, std::string_view json);

/// `text` for readers that take no lone surrogates: a byte that is not UTF-8 becomes the four
/// characters `\xNN`.
std::string utf8_text(std::string_view text);

}  // namespace kr

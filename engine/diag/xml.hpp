// Bytes in XML 1.0, which has no way to say a control byte.
#pragma once

#include <string>
#include <string_view>

namespace kr::diag {

/// `text` as the content of an element or attribute: what may be shown as in `printable`
/// (`\xNN` for control bytes, broken UTF-8, line breaks and tabs), with `&`, `<`, `>`, `"` and `'`
/// as entities.
std::string xml_text(std::string_view text);

/// The same, but lines stay lines: for the content of an element alone.
std::string xml_lines(std::string_view text);

}  // namespace kr::diag

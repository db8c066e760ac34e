// Text in XML 1.0, which cannot express control bytes.
#pragma once

#include <string>
#include <string_view>

namespace kr::diag {

/// `text` as the content of an element or attribute. Unprintable bytes, line breaks and tabs become
/// `\xNN`, as `printable` writes them; `&`, `<`, `>`, `"` and `'` become entities.
std::string xml_text(std::string_view text);

/// The same, but line breaks stay: only for the content of an element.
std::string xml_lines(std::string_view text);

}  // namespace kr::diag

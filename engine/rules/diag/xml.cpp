#include "diag/xml.hpp"

#include <utility>

#include "base/printable.hpp"

namespace kr::diag {
namespace {

constexpr std::pair<std::string_view, std::string_view> replacements[] = {
    {"&", "&amp;"},
    {"<", "&lt;"},
    {">", "&gt;"},
    {"\"", "&quot;"},
    {"'", "&apos;"},
    {"\t", "\\x09"},  // XML readers turn a tab in an attribute into a space
    // XML does not allow U+FFFE and U+FFFF.
    {"\xef\xbf\xbe", "\\xef\\xbf\\xbe"},
    {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"}};

std::string escape_xml(std::string_view text, bool keep_line_breaks) {
  std::string out;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    std::string_view shown = glyph.shown;
    if (keep_line_breaks && text[0] == '\n') shown = "\n";
    for (const auto& [special, replacement] : replacements) {
      if (shown == special) shown = replacement;
    }
    out += shown;
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

}  // namespace

std::string xml_text(std::string_view text) {
  return escape_xml(text, false);
}

std::string xml_lines(std::string_view text) {
  return escape_xml(text, true);
}

}  // namespace kr::diag

#include "diag/xml.hpp"

#include "base/printable.hpp"

namespace kr::diag {
namespace {

void append(std::string& out, std::string_view glyph) {
  if (glyph == "&") {
    out += "&amp;";
  } else if (glyph == "<") {
    out += "&lt;";
  } else if (glyph == ">") {
    out += "&gt;";
  } else if (glyph == "\"") {
    out += "&quot;";
  } else if (glyph == "'") {
    out += "&apos;";
  } else if (glyph == "\t") {
    out += "\\x09";  // an attribute's tab is read as a blank
  } else if (glyph == "\xef\xbf\xbe") {
    out += "\\xef\\xbf\\xbe";  // U+FFFE and U+FFFF are no characters of XML
  } else if (glyph == "\xef\xbf\xbf") {
    out += "\\xef\\xbf\\xbf";
  } else {
    out += glyph;
  }
}

std::string escaped(std::string_view text, bool keeps_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (keeps_lines && text[0] == '\n') {
      out += '\n';
      text.remove_prefix(1);
      continue;
    }
    const Glyph glyph = first_glyph(text);
    append(out, glyph.shown);
    text.remove_prefix(glyph.bytes);
  }
  return out;
}

}  // namespace

std::string xml_text(std::string_view text) {
  return escaped(text, false);
}

std::string xml_lines(std::string_view text) {
  return escaped(text, true);
}

}  // namespace kr::diag

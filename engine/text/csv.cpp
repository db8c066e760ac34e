#include "text/csv.hpp"

#include "base/has_byte.hpp"

namespace kr::text {
namespace {

bool is_formula(std::string_view text, bool escape) noexcept {
  constexpr std::string_view formula_heads = "=+-@\t\r";
  return escape && !text.empty() && formula_heads.find(text.front()) != std::string_view::npos;
}

bool needs_quotes(std::string_view text) noexcept {
  return has_byte<INT8_MIN, ',', '"', '\r', '\n'>(text);
}

}  // namespace

bool is_plain_csv(std::string_view text, bool escape) noexcept {
  return !needs_quotes(text) && !is_formula(text, escape);
}

void append_csv_text(std::string& out, std::string_view text, bool escape) {
  const bool quote = needs_quotes(text);
  if (quote) out += '"';
  if (is_formula(text, escape)) out += '\'';
  for (size_t at = 0; at < text.size();) {
    const size_t mark = text.find('"', at);
    if (mark == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, mark - at);
    out += "\"\"";
    at = mark + 1;
  }
  if (quote) out += '"';
}

}  // namespace kr::text

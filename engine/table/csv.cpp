#include "table/csv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kr::table {
namespace {

bool is_formula(std::string_view text, CsvWriter::Cells cells) noexcept {
  constexpr std::string_view formula_heads = "=+-@\t\r";
  return cells == CsvWriter::Cells::escaped && !text.empty() &&
         formula_heads.find(text.front()) != std::string_view::npos;
}

bool needs_quotes(std::string_view text) noexcept {
  bool needs = false;  // without a branch, so that the compiler looks at many bytes at once
  for (const char c : text) needs |= (c == ',') | (c == '"') | (c == '\r') | (c == '\n');
  return needs;
}

}  // namespace

bool is_plain_csv(std::string_view text, CsvWriter::Cells cells) noexcept {
  return !needs_quotes(text) && !is_formula(text, cells);
}

void append_csv_text(std::string& out, std::string_view text, CsvWriter::Cells cells) {
  const bool quote = needs_quotes(text);
  if (quote) out += '"';
  if (is_formula(text, cells)) out += '\'';
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

void CsvWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

CsvWriter& CsvWriter::text(std::string_view value) {
  separate();
  append_csv_text(out_, value, cells_);
  return *this;
}

CsvWriter& CsvWriter::number(int64_t value) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  return *this;
}

CsvWriter& CsvWriter::plain(std::string_view value) {
  separate();
  out_ += value;
  return *this;
}

void CsvWriter::end_row() {
  out_ += '\n';
  first_ = true;
}

}  // namespace kr::table

#include "report/csv.hpp"

#include <fmt/format.h>

#include <iterator>

namespace kr {

void CsvWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

CsvWriter& CsvWriter::text(std::string_view value) {
  separate();
  constexpr std::string_view formula_heads = "=+-@\t\r";
  const bool disarm = cells_ == Cells::disarmed && !value.empty() &&
                      formula_heads.find(value.front()) != std::string_view::npos;
  const bool quote = value.find_first_of(",\"\r\n") != std::string_view::npos;
  if (quote) out_ += '"';
  if (disarm) out_ += '\'';
  for (size_t at = 0; at < value.size();) {
    const size_t mark = value.find('"', at);
    if (mark == std::string_view::npos) {
      out_ += value.substr(at);
      break;
    }
    out_ += value.substr(at, mark - at);
    out_ += "\"\"";
    at = mark + 1;
  }
  if (quote) out_ += '"';
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

}  // namespace kr

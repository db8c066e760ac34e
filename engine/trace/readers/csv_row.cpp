#include "trace/readers/csv_row.hpp"

#include <algorithm>

namespace kr::trace {

// Both give the place of the comma or line break behind the cell, or of the fault.
size_t CsvRow::quoted_cell(std::string_view text, size_t at) {
  const size_t begin = ++at;
  std::string* unquoted = nullptr;
  size_t copied = begin;  // so far to `unquoted`
  while (true) {
    at = std::min(text.find('"', at), text.size());
    const bool doubled = at + 1 < text.size() && text[at + 1] == '"';
    if (!doubled) break;
    if (unquoted == nullptr) unquoted = &unquoted_.emplace_back();
    unquoted->append(text, copied, at + 1 - copied);
    at += 2;
    copied = at;
  }
  if (unquoted != nullptr) {
    unquoted->append(text, copied, at - copied);
    cells.emplace_back(*unquoted);
  } else {
    cells.push_back(text.substr(begin, at - begin));
  }
  if (at == text.size()) {
    end = End::inside;
    return at;
  }
  ++at;
  const bool returns = at < text.size() && text[at] == '\r';
  if (returns && (at + 1 == text.size() || text[at + 1] == '\n')) ++at;
  if (at < text.size() && text[at] != ',' && text[at] != '\n') end = End::malformed;
  return at;
}

size_t CsvRow::plain_cell(std::string_view text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && text[at] != ',' && text[at] != '\n' && text[at] != '"') ++at;
  if (at < text.size() && text[at] == '"') end = End::malformed;
  const bool at_end = at == text.size() || text[at] == '\n';
  const bool returns = at_end && at != begin && text[at - 1] == '\r';
  cells.push_back(text.substr(begin, at - begin - (returns ? 1 : 0)));
  return at;
}

void CsvRow::read(std::string_view text) {
  cells.clear();
  unquoted_.clear();
  end = End::row;
  fault = 0;
  for (size_t at = 0;; ++at) {
    const bool quoted = at < text.size() && text[at] == '"';
    at = quoted ? quoted_cell(text, at) : plain_cell(text, at);
    size = at;
    if (end == End::malformed) fault = at;
    if (end != End::row) return;
    if (at == text.size()) {
      end = End::text_ended;
      return;
    }
    if (text[at] == '\n') {
      ++size;
      return;
    }
  }
}

}  // namespace kr::trace

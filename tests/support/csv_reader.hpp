// CSV read back by a reader that shares nothing with the writer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kr::test {

using CsvRows = std::vector<std::vector<std::string>>;

inline CsvRows read_csv(std::string_view text) {
  CsvRows rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      row.push_back(std::move(cell));
      cell.clear();
      if (c == '\n') {
        rows.push_back(std::move(row));
        row.clear();
      }
    } else {
      cell += c;
    }
  }
  return rows;
}

}  // namespace kr::test

// One row of CSV (RFC 4180): quotes around cells with commas, quotes or line breaks, inner quotes
// doubled; line breaks LF or CRLF; cells are any bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace kr::trace {

/// Cells of one row, quotes undone. To be used again for row after row.
class CsvRow {
 public:
  enum class End : uint8_t {
    row,         // whole
    text_ended,  // no newline: the last row of a file, or one that goes on
    inside,      // the text ends between quotes
    malformed,   // a quote where none can stand
  };

  /// The row that `text` begins with. The text has to live as long as the cells are looked at.
  void read(std::string_view text);

  End end = End::row;
  std::vector<std::string_view> cells;  // into the text, or of this row
  size_t size = 0;                      // bytes, with the line break
  size_t fault = 0;                     // malformed: where

 private:
  size_t quoted_cell(std::string_view text, size_t at);
  size_t plain_cell(std::string_view text, size_t at);

  std::deque<std::string> unquoted_;  // cells with doubled quotes
};

}  // namespace kr::trace

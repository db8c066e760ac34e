// Columns of text for a terminal: measured, aligned, cut to its width, coloured on demand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kr::text {

/// Columns on the screen that a text takes once it is `printable`.
size_t columns_of(std::string_view shown);

/// `text` as `printable`, cut to `width` columns with `…` at the end. 0: not cut.
std::string cut(std::string_view text, size_t width);
/// The same, with what is left out taken from the middle: for names that differ at both ends.
std::string cut_middle(std::string_view text, size_t width);

/// Words of `text` in lines of at most `width` columns (0: no limit), each behind `indent` blanks.
std::string wrapped(std::string_view text, size_t width, size_t indent);

/// The widest of lines, in columns of the screen.
size_t widest_line(std::string_view lines);
/// The words of a head in lines as wide as the cells below it, or as the longest word.
std::string in_lines(std::string_view head, size_t cells);

enum class Ink : uint8_t { none, bold, faint, warning };
/// `text` between escapes; as it is without `color`.
std::string inked(std::string_view text, Ink ink, bool color);
/// The same in `#rrggbb`.
std::string tinted(std::string_view text, std::string_view rgb, bool color);

/// How wide the cells of a column are. Numbers are aligned at the decimal point.
struct Extent {
  size_t whole = 0;     // of a number, up to its decimal point; all of a text
  size_t fraction = 0;  // from the point on

  size_t width() const { return whole + fraction; }
  void add_text(std::string_view shown);
  void add_number(std::string_view shown);
  void add(const Extent& other);
};

class TextGrid {
 public:
  enum class Align : uint8_t { text, number };
  struct Cell {
    std::string text;  // printable
    std::string tint;  // `#rrggbb` or empty
  };

  /// `gap` blanks come before the column. The head may have several lines.
  void column(std::string head, Align align, size_t gap = 2);
  /// At least that wide.
  void widen(size_t column, const Extent& extent);
  /// Cells by column; what is missing is empty.
  void row(std::vector<Cell> cells, Ink ink = Ink::none);
  void rule();

  /// As wide as its widest row.
  size_t width() const;
  /// Where a column ends, counted from the first.
  size_t end_of(size_t column) const;
  /// `indent` blanks before each line. Nothing follows the last cell of a line that is not empty.
  std::string text(size_t indent, bool color) const;

  /// For rows that are not kept: the heads, and a row. The columns are as wide as `widen` says.
  void append_head(std::string& out, size_t indent, bool color) const;
  void append_row(std::string& out, const std::vector<Cell>& cells, size_t indent, bool color,
                  Ink ink = Ink::none) const;

 private:
  struct Column {
    std::string head;
    Align align;
    size_t gap;
    size_t head_width;
    Extent extent;

    size_t width() const { return std::max(head_width, extent.width()); }
  };
  struct Row {
    std::vector<Cell> cells;
    Ink ink = Ink::none;
    bool rule = false;
  };
  void append_cells(std::string& out, const std::vector<Cell>& cells, size_t indent, bool color,
                    Ink ink, bool at_point) const;
  void append_rule(std::string& out, size_t indent, bool color) const;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace kr::text

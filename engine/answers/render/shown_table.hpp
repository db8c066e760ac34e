// A table as people read it, on a terminal or in Markdown: some of its rows, and cells as texts
// with units that fit.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "table/table.hpp"
#include "text/numbers.hpp"

namespace kr::render {

class ShownTable {
 public:
  /// Reads the whole table. `max_rows`: 0: all; then rows are not kept, but read again by `each`.
  ShownTable(const Table& table, size_t max_rows);

  size_t rows() const noexcept { return rows_; }
  size_t left() const noexcept { return all_rows_ - rows_; }
  /// Whether a row that is shown has a text or a number in it.
  bool is_filled(size_t column) const { return facts_[column].filled; }
  /// Whether all rows, shown or not, have the same text.
  bool has_one_text(size_t column) const { return facts_[column].one_text; }

  /// `total ms`: the unit of times is that of the column.
  std::string heading(size_t column) const;
  /// A text is as the table has it: not fit for a terminal yet. Of documentation, the first
  /// paragraph. Of a name, its short form (see `table/names.hpp`): names of one column differ.
  std::string text(size_t column, const Cell& cell) const;
  /// From now on, names in the column have at most `width` columns of the screen, and still differ.
  void cut_names(size_t column, size_t width);

  using Row = std::function<void(std::span<const Cell>)>;
  /// The rows shown, in order.
  void each(const Row& row) const;

 private:
  struct Facts {
    bool filled = false;
    bool one_text = true;
    std::string first_text;
    text::ColumnUnit times;
    text::TimeUnit time{};
    std::unordered_map<std::string, std::string> names;  // of rows that are shown, and their texts
  };
  void read(std::span<const Cell> cells, size_t max_rows);
  void choose_times();
  void choose_names();

  const Table& table_;
  size_t rows_ = 0;
  size_t all_rows_ = 0;
  bool kept_;
  std::vector<Facts> facts_;
  Cells cells_;  // of rows that are kept, one after another
  std::deque<std::string> texts_;
};

/// Whether its cells are aligned right.
bool is_number(Unit unit) noexcept;

/// `text` on one line, with nothing in it that Markdown or GitHub takes for markup. A `_` inside
/// a word is kept: it is not markup.
std::string markdown_text(std::string_view text);

}  // namespace kr::render

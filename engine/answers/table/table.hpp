// The public header of tables is that of this module: see kr/table.hpp.
#pragma once

#include <optional>
#include <utility>

#include "kr/table.hpp"

namespace kr::table {

using kr::AliasColumn;
using kr::AliasForm;
using kr::Cell;
using kr::Cells;
using kr::Column;
using kr::dimension_columns;
using kr::is_nothing;
using kr::is_text;
using kr::Role;
using kr::RowSink;
using kr::Table;
using kr::title;
using kr::to_string;
using kr::Unit;
using Info = TableInfo;

/// Calls `to` with the cells of each row.
template <class To>
class RowsTo final : public RowSink {
 public:
  explicit RowsTo(To to) : to_(std::move(to)) {}
  using RowSink::row;
  void row(std::span<const Cell> cells) override { to_(cells); }

 private:
  To to_;
};

inline Cell cell(const std::optional<int64_t>& number) {
  return number ? Cell(*number) : Cell();
}
inline Cell cell(const std::optional<double>& number) {
  return number ? Cell(*number) : Cell();
}
/// Nothing where there is no text.
inline Cell cell_or_nothing(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

}  // namespace kr::table

// The public header of tables is that of this module: see kr/table.hpp.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
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

/// Of a number, a truth, a text, a value that `to_string` knows, or of what an optional or a
/// pointer has: nothing if it has none. Texts have to outlive the cell.
template <class Of>
inline Cell cell(Of&& of) {
  using Bare = std::remove_cvref_t<Of>;
  if constexpr (std::is_same_v<Bare, Cell>) {
    return of;
  } else if constexpr (std::is_integral_v<Bare>) {
    return static_cast<int64_t>(of);
  } else if constexpr (std::is_floating_point_v<Bare>) {
    return static_cast<double>(of);
  } else if constexpr (std::is_enum_v<Bare>) {
    return std::string_view(to_string(of));
  } else if constexpr (std::is_convertible_v<Bare, std::string_view>) {
    static_assert(std::is_lvalue_reference_v<Of> || !std::is_same_v<Bare, std::string>);
    return std::string_view(of);
  } else {
    return of ? cell(*std::forward<Of>(of)) : Cell();
  }
}
/// Nothing where there is no text.
inline Cell cell_or_nothing(std::string_view text) {
  return text.empty() ? Cell() : Cell(text);
}

}  // namespace kr::table

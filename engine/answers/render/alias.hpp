// Cells of a table as another program prints them (TableInfo::alias).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/render.hpp"
#include "table/table.hpp"

namespace kr::render {

using table::AliasColumn;
using table::AliasForm;
using table::Cell;
using table::Table;

class AliasCells {
 public:
  /// Throws InternalError if a column is about one that the table does not have.
  AliasCells(const Table& table, Alias style);

  const std::vector<std::string>& titles() const noexcept { return titles_; }
  /// What a column of the alias shows of a row. Nothing if a cell that it needs has no value: an
  /// empty text, or as the style says.
  std::string text(size_t column, std::span<const Cell> cells) const;

 private:
  struct Member {
    AliasForm form = AliasForm::plain;
    std::vector<size_t> from;  // places of columns
  };
  bool former_cells_;
  std::vector<std::string> titles_;
  std::vector<Member> members_;
};

/// With one decimal, rounded half away from zero, as SQLite's `round(x, 1)` does.
std::string with_tenths(double number);

/// `[CUDA Unified Memory memcpy HtoD]` for `[CUDA memcpy Unified Host-to-Device]`, as nsys 2022 has
/// it. Other names are as they are.
std::string short_copy(std::string_view name);

}  // namespace kr::render

// Cells of a table as another program prints them (TableInfo::alias).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "table/table.hpp"

namespace kr::render {

using table::AliasColumn;
using table::AliasForm;
using table::Cell;
using table::Table;

class AliasCells {
 public:
  /// Throws InternalError if a column is about one that the table does not have.
  explicit AliasCells(const Table& table);

  /// What a column of the alias shows of a row. Empty if a cell that it needs is.
  std::string text(size_t column, std::span<const Cell> cells) const;

 private:
  struct Member {
    AliasForm form = AliasForm::plain;
    std::vector<size_t> from;  // places of columns
  };
  std::vector<Member> members_;
};

/// With one decimal, rounded half away from zero, as SQLite's `round(x, 1)` does.
std::string with_tenths(double number);

}  // namespace kr::render

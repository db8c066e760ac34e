// Rows of tables by number, for SQLite, which reads single cells.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "table/table.hpp"
#include "tables/source.hpp"

namespace kr::session {

/// Rows that SQLite reads by number.
class NumberedRows {
 public:
  virtual ~NumberedRows() = default;
  /// Called before the first row is read. Throws Error.
  virtual void prepare() = 0;
  virtual size_t size() const = 0;
  /// A text is valid until the next call.
  virtual Cell cell(size_t row, size_t column) = 0;
  /// The rows in the order of the cells of the column, as SQLite orders them: by their bytes. Equal
  /// cells keep the order of the rows. Null: no such order is known.
  virtual const std::vector<uint32_t>* ordered(size_t /*column*/, bool /*descending*/) {
    return nullptr;
  }
  virtual bool can_order(size_t /*column*/) const { return false; }
};

/// Those of a table made from `source`, which has to outlive them: the operations of all runs where
/// they are, other rows kept once they are read.
std::unique_ptr<NumberedRows> numbered_rows(Table table, const tables::Source& source);

}  // namespace kr::session

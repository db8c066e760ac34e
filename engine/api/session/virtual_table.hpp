// Tables of kr as virtual tables of SQLite: nothing is copied that the trace already contains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "table/table.hpp"
#include "tables/operations.hpp"

struct sqlite3;

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
  virtual const std::vector<uint32_t>* ordered(size_t column, bool descending) = 0;
  virtual bool can_order(size_t column) const = 0;
};

/// A table's rows, kept once they are read.
std::unique_ptr<NumberedRows> kept_rows(Table table);
/// The operations of all runs, where they are.
std::unique_ptr<NumberedRows> operation_rows(const tables::Source& source);

/// Makes `rows` a table of the connection, which has to be closed before `rows` go.
void add_virtual_table(sqlite3* connection, const std::string& name,
                       const std::vector<Column>& columns, NumberedRows& rows);

}  // namespace kr::session

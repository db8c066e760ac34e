// SQL over the tables of runs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/registry.hpp"

namespace kr::session {

/// Whether a query is to end.
using Stop = std::function<bool()>;

/// The tables that a query may be about: those about runs whose id is a word of it.
std::vector<const tables::Definition*> tables_named(std::string_view query);

/// The result of one query over the tables that `source` has, in memory. It may read them and
/// nothing else. `source` has to outlive the table. Each `write` runs the query again. A column has
/// the unit of the column of kr that has its name, else that of its first value. Throws Error: what
/// SQLite says of the query, with near names; also once `stop`, which may be empty and is called
/// all the time, says so.
Table query_table(const tables::Source& source, const std::string& query, Stop stop = {});

/// At most so many rows, from the one with number `skip` on.
struct RowBound {
  size_t skip = 0;
  size_t max_rows = 0;   // 0: all
  size_t max_bytes = 0;  // of all rows as objects of JSON, but at least one row; 0: any number
  bool empty() const noexcept { return skip == 0 && max_rows == 0 && max_bytes == 0; }
};
struct BoundedRows {
  Table table;
  size_t shown = 0;
  size_t all = 0;
  size_t bytes = 0;  // of those shown
};
/// Goes through all rows once, to count them.
BoundedRows bounded_rows(Table table, const RowBound& bound);

/// The chosen rows of one table, with its columns; as query_table. Equal ones of a sorted column
/// keep the order of the table. Only the rows that are shown are made whole: those that a bound
/// leaves out are found and counted by their numbers.
BoundedRows chosen_rows(const Table& table, const tables::Source& source, const RowChoice& choice,
                        const RowBound& bound = {}, Stop stop = {});

}  // namespace kr::session

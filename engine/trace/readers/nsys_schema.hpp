// What tables and columns an nsys SQLite export has. Any of them may be absent: a table is there
// only when the profile had such events, and eighteen schemas from 2020 to 2026 differ in columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.hpp"

namespace kr {

class NsysSchema {
 public:
  explicit NsysSchema(const sqlite::Database& database);

  bool has(std::string_view table) const;
  /// Any table that only nsys writes.
  bool is_nsys() const;
  /// The first tables, for a message.
  std::string some_tables() const;
  /// A table (no view) whose rows have numbers to split by.
  bool has_row_ids(std::string_view table) const;

 private:
  struct Table {
    std::string name;
    bool view = false;
  };
  const Table* find(std::string_view name) const;
  const sqlite::Database* database_;
  std::vector<Table> tables_;
};

/// The columns of one table.
class NsysColumns {
 public:
  NsysColumns(const sqlite::Database& database, std::string_view table);

  bool has(std::string_view column) const { return find(column) != nullptr; }
  /// The column as SQL, or `otherwise`.
  std::string or_else(std::string_view column, std::string_view otherwise) const;
  /// The first of them that is not null in a row, as SQL; `NULL` where none is there.
  std::string first_of(const std::vector<std::string_view>& columns) const;
  /// It is the integer key, by which rows are found at once.
  bool is_key(std::string_view column) const { return key_ == column; }

 private:
  struct Column {
    std::string name;
    bool never_null = false;
  };
  const Column* find(std::string_view name) const;
  std::vector<Column> columns_;
  std::string key_;
};

}  // namespace kr

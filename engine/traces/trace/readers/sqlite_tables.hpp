// What tables and columns an SQLite file of a profiler has, and the SQL that reads some of them.
// Any may be absent: columns differ between the versions of a profiler. Names are compared as
// SQLite does, without regard to the case of ASCII letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.hpp"

namespace kr::trace {

/// The columns of one table, with generated ones.
class SqliteColumns {
 public:
  SqliteColumns(const sqlite::Database& database, std::string_view table);

  bool has(std::string_view column) const { return find(column) != nullptr; }
  /// The first of them that is not null in a row, as SQL; empty where none is there.
  std::string first_of(const std::vector<std::string_view>& columns) const;
  /// It is the integer key, by which rows are found at once.
  bool is_key(std::string_view column) const;
  /// Columns whose values are computed when they are read.
  size_t computed() const noexcept { return computed_; }

 private:
  struct Column {
    std::string name;
    bool never_null = false;
  };
  const Column* find(std::string_view name) const;
  std::vector<Column> columns_;
  std::string key_;
  size_t computed_ = 0;
};

/// What is read of each row: a column under one of its names, or something else.
class ScanColumn {
 public:
  /// The table is not read without it.
  ScanColumn(const char* name) : names_{name} {}
  /// `otherwise`: SQL, where there is no such column.
  ScanColumn(std::string_view name, std::string otherwise)
      : names_{name}, otherwise_(std::move(otherwise)) {}
  /// The first that is not null in a row.
  static ScanColumn first_of(std::vector<std::string_view> names, std::string otherwise = {});
  static ScanColumn value(std::string sql) { return first_of({}, std::move(sql)); }

  /// Empty: it is needed and not there.
  std::string sql(const SqliteColumns& columns) const;
  std::string_view name() const noexcept { return names_.front(); }

 private:
  std::vector<std::string_view> names_;
  std::string otherwise_;
};

/// A table and what is read of it, in the order of the columns of a statement. Columns are decoded
/// when they are asked for: of most rows not all are wanted, and each costs time.
struct TableScan {
  std::string_view table;
  std::vector<ScanColumn> columns;

  /// The first column that is needed and not there.
  std::optional<std::string_view> missing(const SqliteColumns& there) const;
  /// Where none is missing. With `row_id`, of the rows from ?1 to ?2.
  std::string sql(const SqliteColumns& there, const char* row_id = nullptr) const;
};

/// The tables of a file. The database has to outlive it.
class SqliteTables {
 public:
  explicit SqliteTables(const sqlite::Database& database);

  const sqlite::Database& database() const noexcept { return *database_; }
  /// A table that has rows of its own: views and virtual tables are code of the author of the
  /// file.
  bool has(std::string_view table) const;
  /// Something of that name that is not such a table.
  bool has_other(std::string_view name) const;
  /// Names of all, in the order of the file; of those alone that have rows of their own.
  std::vector<std::string_view> names(bool stored) const;
  /// The first tables, for a message.
  std::string some() const;
  SqliteColumns columns(std::string_view table) const { return {*database_, table}; }
  /// What numbers the rows of a table, as SQL. Null where they have no numbers, or where columns
  /// hide all names of them.
  const char* row_id(std::string_view table) const;
  /// All rows; nullopt where there is no such table, or not with the columns that are needed.
  std::optional<sqlite::Statement> rows(const TableScan& scan) const;

 private:
  struct Table {
    std::string name;
    bool stored = false;
  };
  const Table* find(std::string_view name) const;
  const sqlite::Database* database_;
  std::vector<Table> tables_;
};

/// A table in SQL: no index of it is used, since a damaged one may lead to fewer rows.
std::string sqlite_table(std::string_view table);

}  // namespace kr::trace

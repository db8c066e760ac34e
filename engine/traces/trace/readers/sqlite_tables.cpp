#include "trace/readers/sqlite_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

sqlite::Statement pragma(const sqlite::Database& database, const char* what,
                         std::string_view table) {
  return database.prepare(fmt::format("PRAGMA main.{}({})", what, sqlite::quoted(table)));
}

}  // namespace

SqliteColumns::SqliteColumns(const sqlite::Database& database, std::string_view table) {
  enum Field { id, name, type, not_null, otherwise, key, hidden };
  constexpr int64_t computed = 2;
  auto rows = pragma(database, "table_xinfo", table);
  size_t keys = 0;
  while (rows.step()) {
    columns_.push_back({std::string(rows.text(name)), rows.integer(not_null) != 0});
    if (rows.integer(hidden) == computed) ++computed_;
    if (rows.integer(key) == 0) continue;
    ++keys;
    if (same_ignoring_case(rows.text(type), "INTEGER")) key_ = columns_.back().name;
  }
  if (keys != 1) key_.clear();
  if (key_.empty()) return;
  // A key that has an index is not the number of the row.
  auto indices = pragma(database, "index_list", table);
  while (indices.step()) {
    if (indices.text(3) == "pk") key_.clear();
  }
}

bool SqliteColumns::is_key(std::string_view column) const {
  return !key_.empty() && same_ignoring_case(key_, column);
}

const SqliteColumns::Column* SqliteColumns::find(std::string_view name) const {
  const auto at = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return same_ignoring_case(column.name, name);
  });
  return at == columns_.end() ? nullptr : &*at;
}

std::string SqliteColumns::first_of(const std::vector<std::string_view>& columns) const {
  std::string out;
  size_t found = 0;
  for (const std::string_view column : columns) {
    const Column* known = find(column);
    if (known == nullptr) continue;
    if (found++ != 0) out += ", ";
    out += sqlite::quoted(column);
    if (known->never_null) break;
  }
  return found > 1 ? "coalesce(" + out + ")" : out;
}

ScanColumn ScanColumn::first_of(std::vector<std::string_view> names, std::string otherwise) {
  ScanColumn column("", std::move(otherwise));
  column.names_ = std::move(names);
  return column;
}

std::string ScanColumn::sql(const SqliteColumns& columns) const {
  std::string found = columns.first_of(names_);
  return found.empty() ? otherwise_ : found;
}

std::optional<std::string_view> TableScan::missing(const SqliteColumns& there) const {
  for (const ScanColumn& column : columns) {
    if (column.sql(there).empty()) return column.name();
  }
  return std::nullopt;
}

std::string TableScan::sql(const SqliteColumns& there, const char* row_id) const {
  std::string list;
  for (const ScanColumn& column : columns) {
    if (!list.empty()) list += ", ";
    list += column.sql(there);
  }
  return fmt::format(
      "SELECT {} FROM {}{}", list, sqlite_table(table),
      row_id != nullptr ? fmt::format(" WHERE {} BETWEEN ?1 AND ?2", row_id) : std::string());
}

// SQLite itself writes how a description begins, and takes one of another kind or name than its row
// says for damage.
SqliteTables::SqliteTables(const sqlite::Database& database) : database_(&database) {
  auto rows = database.prepare(
      "SELECT name, type, sql FROM main.sqlite_master WHERE type IN ('table', 'view')");
  while (rows.step()) {
    const bool stored = rows.text(1) == "table" && rows.text(2).starts_with("CREATE TABLE ");
    tables_.push_back({std::string(rows.text(0)), stored});
  }
}

const SqliteTables::Table* SqliteTables::find(std::string_view name) const {
  const auto at = std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) {
    return same_ignoring_case(table.name, name);
  });
  return at == tables_.end() ? nullptr : &*at;
}

bool SqliteTables::has(std::string_view table) const {
  const Table* const found = find(table);
  return found != nullptr && found->stored;
}

bool SqliteTables::has_other(std::string_view name) const {
  const Table* const found = find(name);
  return found != nullptr && !found->stored;
}

std::vector<std::string_view> SqliteTables::names(bool stored) const {
  std::vector<std::string_view> out;
  for (const Table& table : tables_) {
    if (!stored || table.stored) out.push_back(table.name);
  }
  return out;
}

std::string SqliteTables::some() const {
  constexpr size_t shown = 5;
  std::string out;
  for (size_t i = 0; i < std::min(shown, tables_.size()); ++i) {
    if (i != 0) out += ", ";
    out += tables_[i].name;
  }
  return tables_.size() > shown ? out + ", …" : out;
}

const char* SqliteTables::row_id(std::string_view table) const {
  const SqliteColumns there = columns(table);
  for (const char* const name : {"_rowid_", "rowid", "oid"}) {
    if (there.has(name)) continue;
    if (!database_->can_prepare(fmt::format("SELECT {} FROM {}", name, sqlite_table(table)))) break;
    return name;
  }
  return nullptr;
}

std::optional<sqlite::Statement> SqliteTables::rows(const TableScan& scan) const {
  if (!has(scan.table)) return std::nullopt;
  const SqliteColumns there = columns(scan.table);
  if (scan.missing(there)) return std::nullopt;
  return database_->prepare(scan.sql(there));
}

std::string sqlite_table(std::string_view table) {
  return fmt::format("main.{} NOT INDEXED", sqlite::quoted(table));
}

}  // namespace kr::trace

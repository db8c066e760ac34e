// A database that a person can query. docs/exports.md has its schema.
#include "base/sqlite.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/distinct_texts.hpp"
#include "base/utf8.hpp"
#include "render/columns.hpp"
#include "render/render.hpp"

namespace kr::render {
namespace {

using kr::sqlite::quoted;
using kr::sqlite::Statement;

/// Whether SQLite and its readers take it for a text: they stop at NUL bytes, and many refuse what
/// is not UTF-8.
bool is_sqlite_text(std::string_view bytes) {
  return bytes.find('\0') == bytes.npos && is_utf8(bytes);
}

/// Bytes that are not text become a blob of the same bytes.
void bind_text(Statement& statement, int parameter, std::string_view text) {
  if (text.empty()) return statement.bind(parameter, std::string_view(""));  // no null pointer
  if (is_sqlite_text(text)) return statement.bind(parameter, text);
  statement.bind_blob(parameter, text);
}

Statement insert_into(const kr::sqlite::Database& database, std::string_view table,
                      size_t columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", sqlite::quoted(table));
  for (size_t i = 0; i < columns; ++i) sql += i == 0 ? "?" : ", ?";
  return database.prepare(sql + ")");
}

void insert_texts(Statement& statement, std::initializer_list<std::string_view> texts) {
  int parameter = 0;
  for (const std::string_view text : texts) bind_text(statement, ++parameter, text);
  statement.step();
  statement.reset();
}

/// The texts of tables with many rows, each once.
class StoredTexts {
 public:
  struct Text {
    std::string_view text;
    int64_t id = -1;  // of none
  };

  explicit StoredTexts(const kr::sqlite::Database& database)
      : insert_(insert_into(database, "texts", 2)) {}

  Text store(std::string_view text) {
    const size_t stored = texts_.size();
    const uint32_t id = texts_.add(text);
    if (id == stored) {
      insert_.bind(1, int64_t{id});
      bind_text(insert_, 2, text);
      insert_.step();
      insert_.reset();
    }
    return {texts_.text(id), id};
  }

 private:
  Statement insert_;
  DistinctTexts texts_;
};

struct SqlColumn {
  size_t column;     // of the table
  std::string name;  // SQLite's names ignore case
};

std::vector<SqlColumn> sql_columns(const Table& table) {
  std::vector<SqlColumn> columns;
  std::set<std::string> taken;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const Column& column = table.columns()[i];
    if (!is_in_files(column)) continue;
    std::string name = column.id;
    for (int n = 2; !taken.insert(lowered(name)).second; ++n) {
      name = fmt::format("{}_{}", column.id, n);
    }
    columns.push_back({i, std::move(name)});
  }
  return columns;
}

/// Rows into one table. With `texts`, cells contain the ids of texts.
class SqliteRows final : public RowSink {
 public:
  SqliteRows(Statement insert, std::vector<SqlColumn> columns, StoredTexts* texts)
      : insert_(std::move(insert)),
        columns_(std::move(columns)),
        texts_(texts),
        last_(columns_.size()) {}

  using RowSink::row;
  void row(std::span<const Cell> cells) override {
    for (size_t i = 0; i < columns_.size(); ++i) bind(i, cells[columns_[i].column]);
    insert_.step();
    insert_.reset();
  }

 private:
  void bind(size_t i, const Cell& cell) {
    const int parameter = static_cast<int>(i) + 1;
    if (const auto* whole = std::get_if<int64_t>(&cell)) {
      insert_.bind(parameter, *whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
      insert_.bind_real(parameter, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      if (texts_ == nullptr) return bind_text(insert_, parameter, *text);
      // Most columns have the same text in many rows that follow each other.
      StoredTexts::Text& last = last_[i];
      if (last.id < 0 || last.text != *text) last = texts_->store(*text);
      insert_.bind(parameter, last.id);
    } else {
      insert_.bind_null(parameter);
    }
  }

  Statement insert_;
  std::vector<SqlColumn> columns_;
  StoredTexts* texts_;
  std::vector<StoredTexts::Text> last_;
};

std::string_view sql_type(const Column& column, bool stored_texts) {
  if (is_text(column.unit)) return stored_texts ? "INTEGER" : "TEXT";
  return may_have_fraction(column) ? "REAL" : "INTEGER";
}

std::string create_table(const Table& table, const std::vector<SqlColumn>& columns,
                         std::string_view name, bool stored_texts) {
  std::string sql = fmt::format("CREATE TABLE {} (", sqlite::quoted(name));
  std::string_view separator = "\n  ";
  for (const SqlColumn& one : columns) {
    const Column& column = table.columns()[one.column];
    sql +=
        fmt::format("{}{} {}", separator, sqlite::quoted(one.name), sql_type(column, stored_texts));
    if (!column.optional) sql += " NOT NULL";
    if (stored_texts && is_text(column.unit)) sql += " REFERENCES texts";
    separator = ",\n  ";
  }
  return sql + "\n)";
}

/// A subquery per text is as quick as a join, is left out where the text is not selected, and
/// there may be any number of them.
std::string create_view(const Table& table, const std::vector<SqlColumn>& columns,
                        std::string_view rows) {
  std::string sql = fmt::format("CREATE VIEW {} AS SELECT", sqlite::quoted(table.id()));
  std::string_view separator = "\n  ";
  for (const SqlColumn& one : columns) {
    const std::string name = sqlite::quoted(one.name);
    sql += separator;
    if (is_text(table.columns()[one.column].unit)) {
      sql += fmt::format("(SELECT text FROM texts WHERE text_id = r.{}) AS {}", name, name);
    } else {
      sql += fmt::format("r.{} AS {}", name, name);
    }
    separator = ",\n  ";
  }
  return sql + fmt::format("\nFROM {} AS r", sqlite::quoted(rows));
}

class SqliteWriter {
 public:
  SqliteWriter(const std::string& location, const std::string& path)
      : database_(kr::sqlite::Database::write(location, path)) {
    // The file is nobody's until it is renamed, so a half-written one may be lost.
    database_.execute(
        fmt::format("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;"
                    "PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN;",
                    sqlite_application_id, schema_version));
    database_.execute(
        "CREATE TABLE info (\n  key TEXT PRIMARY KEY,\n  value TEXT NOT NULL\n) WITHOUT ROWID;"
        "CREATE TABLE columns (\n  table_name TEXT NOT NULL,\n  column_name TEXT NOT NULL,\n"
        "  unit TEXT NOT NULL,\n  role TEXT NOT NULL,\n  doc TEXT NOT NULL\n);");
    Statement info = insert_into(database_, "info", 2);
    insert_texts(info, {"kr", KR_VERSION});
    insert_texts(info, {"schema", std::to_string(schema_version)});
  }

  void add(const Table& table) {
    const std::vector<SqlColumn> columns = sql_columns(table);
    document(table, columns);
    const bool stored = table.info().many_rows;
    const std::string rows = stored ? table.id() + "_rows" : table.id();
    if (stored && !texts_) {
      database_.execute(
          "CREATE TABLE texts (\n  text_id INTEGER PRIMARY KEY,\n"
          "  text TEXT NOT NULL\n)");
      texts_.emplace(database_);
    }
    database_.execute(create_table(table, columns, rows, stored));
    if (stored) database_.execute(create_view(table, columns, rows));
    SqliteRows sink(insert_into(database_, rows, columns.size()), columns,
                    stored ? &*texts_ : nullptr);
    table.write(sink);
  }

  void finish() { database_.execute("COMMIT"); }

 private:
  void document(const Table& table, const std::vector<SqlColumn>& columns) {
    Statement insert = insert_into(database_, "columns", 5);
    for (const SqlColumn& one : columns) {
      const Column& column = table.columns()[one.column];
      insert_texts(insert, {table.id(), one.name, to_string(column.unit), to_string(column.role),
                            column.doc});
    }
  }

  kr::sqlite::Database database_;
  std::optional<StoredTexts> texts_;
};

}  // namespace

void sqlite(std::span<const Table> tables, const std::string& location, const std::string& path) {
  SqliteWriter writer(location, path);
  for (const Table& table : tables) writer.add(table);
  writer.finish();
}

}  // namespace kr::render

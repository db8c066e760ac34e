// SQLite, wrapped just enough: a connection, a statement, and every failure a kr::Error that names
// the file. Traces are read through it, reports are written through it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace kr::sqlite {

class Statement;

// A database that is read may come from anywhere, so nothing in its schema is executed: no view, no
// trigger, no virtual table, no function in a generated column. What a connection does is bounded
// by the size of the file: the steps of SQLite's machine, the bytes of texts, and the length of one
// value. Past a bound there is an Error, so that pages that lead in circles end.
class Database {
 public:
  /// Opens for reading only. Rows of a `-wal` file beside it are seen. Waits two seconds for a
  /// lock. Throws Error where the file is missing, locked, damaged or no database.
  static Database read(const std::string& path);
  /// A file that no one else writes and that has no `-wal`: no locks are taken, nothing is written
  /// beside it. Errors name `path`.
  static Database read_private(const std::string& location, std::string path);
  /// A new or existing file, for writing. It may be renamed to `path` when it is whole: errors name
  /// `path`.
  static Database write(const std::string& location, std::string path = {});

  /// One statement, of which only the first is prepared. Throws Error.
  Statement prepare(std::string_view sql) const;
  /// Whether `prepare` would not throw.
  bool can_prepare(std::string_view sql) const;
  /// Any number of statements without results.
  void execute(const std::string& sql) const;
  const std::string& path() const noexcept { return path_; }
  /// A second connection to the same file, opened the same way: for another thread.
  Database again() const;

  /// Of a database that is read: what is damaged in its schema is passed over where it can be.
  void allow_damage();
  /// Of a database that is read: no value may be longer, for tables whose values are computed.
  void limit_values(int bytes);

 private:
  friend class Statement;
  enum class Mode : uint8_t { read, unshared, write };
  struct Budget {
    uint64_t size = 0;        // of the file, with its log
    uint64_t steps_left = 0;  // of SQLite's machine
    uint64_t text_left = 0;   // bytes
  };
  Database(std::string location, std::string path, Mode mode);
  void open(bool immutable);
  void distrust();
  void use_text(uint64_t bytes) const;
  [[noreturn]] void fail(int code) const;
  void check(int code) const;

  std::string location_;
  std::string path_;
  Mode mode_;
  bool damage_allowed_ = false;
  std::optional<int> longest_value_;
  std::unique_ptr<Budget> budget_;  // none: of a database that is written
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// Columns and parameters count from 0 and 1, as in SQLite. Not to outlive its Database.
class Statement {
 public:
  /// To the next row; false after the last. Throws Error (damaged, locked, full disk).
  /// With `whole`, where the database allows damage, rows end there and it becomes false: a file
  /// that was cut off is read up to the cut.
  bool step(bool* whole = nullptr);
  void reset();

  void bind(int parameter, int64_t value);
  void bind(int parameter, std::string_view text);
  void bind_blob(int parameter, std::string_view bytes);
  void bind_real(int parameter, double value);
  void bind_null(int parameter);

  /// Numbered as SQLite does.
  enum class Type : uint8_t { integer = 1, real, text, blob, null };
  Type type(int column) const;
  bool is_null(int column) const { return type(column) == Type::null; }
  int64_t integer(int column) const;
  double real(int column) const;
  /// A whole number, of whatever type the column has: an integer, or a text or real number that is
  /// one and nothing else.
  std::optional<int64_t> whole_number(int column) const;
  /// The first columns at once, which is quicker: `integer` is 0 where the type is another.
  struct Cell {
    int64_t integer;
    Type type;
  };
  void cells(std::span<Cell> out) const;
  /// The whole number of a column whose cell is known.
  std::optional<int64_t> whole_number(int column, const Cell& cell) const {
    if (cell.type == Type::integer) return cell.integer;
    return cell.type == Type::null ? std::nullopt : whole_number(column);
  }
  /// Bytes of text, as UTF-8 whatever the database has, or of a blob; good until the next step.
  /// Throws Error if all texts read are longer than the file can contain.
  std::string_view text(int column) const;

 private:
  friend class Database;
  Statement(const Database& database, sqlite3_stmt* handle)
      : database_(&database), handle_(handle) {}
  const Database* database_;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// `name` as an identifier in SQL: in double quotes, inner ones doubled.
std::string quoted(std::string_view name);

}  // namespace kr::sqlite

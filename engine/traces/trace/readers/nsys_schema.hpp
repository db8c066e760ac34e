// What tables and columns an nsys SQLite export has, and what it says in place of numbers: names as
// `nsys stats` of 2023 and later spells them. Any of them may be absent: a table is there
// only when the profile had such events, and eighteen schemas from 2020 to 2026 differ in columns.
// Names are compared as SQLite does, without regard to the case of ASCII letters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/sqlite.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class NsysSchema {
 public:
  explicit NsysSchema(const sqlite::Database& database);

  /// A table that has rows of its own: views and virtual tables are code of the author of the
  /// file.
  bool has(std::string_view table) const;
  /// Something of that name that is not such a table.
  bool has_other(std::string_view name) const;
  /// Any table that only nsys writes.
  bool is_nsys() const;
  /// The first tables, for a message.
  std::string some_tables() const;
  /// Tables of ROCm's profilers: rpd, rocpd.
  bool is_rocm() const;
  /// Tables with rows whose names and columns are as those of GPU work, besides `read`.
  std::vector<std::string> unread_work(std::span<const std::string_view> read) const;
  /// What numbers the rows of a table, as SQL. Null where they have no numbers, or where columns
  /// hide all names of them.
  const char* row_id(std::string_view table) const;

 private:
  struct Table {
    std::string name;
    bool stored = false;
  };
  const Table* find(std::string_view name) const;
  const sqlite::Database* database_;
  std::vector<Table> tables_;
};

/// The columns of one table, with generated ones.
class NsysColumns {
 public:
  NsysColumns(const sqlite::Database& database, std::string_view table);

  bool has(std::string_view column) const { return find(column) != nullptr; }
  /// The column as SQL, or `otherwise`.
  std::string or_else(std::string_view column, std::string_view otherwise) const;
  /// The first of them that is not null in a row, as SQL; `NULL` where none is there.
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

/// A table in SQL: no index of it is used, since a damaged one may lead to fewer rows.
std::string nsys_table(std::string_view table);

/// A GPU as one process numbers it. With CUDA_VISIBLE_DEVICES each process begins with 0.
struct NsysDevice {
  int64_t process = 0;
  int64_t number = 0;
  int64_t gpu = 0;  // its number among all of the machine

  friend auto operator<=>(const NsysDevice&, const NsysDevice&) = default;
};

/// Read once, for all connections.
struct NsysLabels {
  NsysLabels(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out);

  /// The name of a kind of copy; `known`: whether there is one.
  std::string copy(int64_t kind, bool& known) const;

  bool strings_have_key = false;  // found in the file; else all are in `strings`
  std::unordered_map<int64_t, std::string, NumberHash> strings;
  std::unordered_map<int64_t, std::string, NumberHash> devices;
  /// Where processes give several GPUs one number: by process and number. Operations then have the
  /// GPU's number among all. Empty: no number means several GPUs.
  std::vector<NsysDevice> numbered_by_process;

 private:
  void read_strings(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out);
  void read_copies(const sqlite::Database& database, const NsysSchema& schema);
  void read_devices(const sqlite::Database& database, const NsysSchema& schema);
  void read_processes(const sqlite::Database& database, const NsysSchema& schema);
  std::map<int64_t, std::string> copies_;
};

/// The kinds of memory of an export, by number.
std::map<int64_t, std::string> nsys_memory_kinds(const sqlite::Database& database,
                                                 const NsysSchema& schema);

/// The strings of an export, for one connection.
class NsysStrings {
 public:
  NsysStrings(const sqlite::Database& database, const NsysLabels& labels);
  /// False where there is none of that id. Prepared once: a table may have any number of columns
  /// and indices.
  bool find(int64_t id, std::string& text);

 private:
  const NsysLabels* labels_;
  std::optional<sqlite::Statement> query_;
};

}  // namespace kr::trace

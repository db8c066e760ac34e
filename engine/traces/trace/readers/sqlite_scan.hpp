// The one way large tables of an SQLite file are read: in ranges of row numbers, so that several
// connections share a table, and merged in the order of the tables and their rows.
//
//     struct Rows : ScanRows { ... };         // what is found in one range
//     SqliteScan scan(tables, options, bytes_per_row);
//     scan.add(0, "KERNELS");
//     scan.read<Rows>([&] { return std::make_shared<Reader>(tables.database().again()); },
//                     [&](Rows& rows) { ... });
//
// `Reader::read(Rows&)` fills one range by RangeReader::read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/open.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/sqlite_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Rows [first, last] of a table by number, or all of a table without numbers.
struct ScanRows {
  size_t table = 0;  // as given to SqliteScan::add
  std::string_view table_name;
  const char* row_id = nullptr;  // SqliteTables::row_id; null: without numbers
  int64_t first = 0;
  int64_t last = 0;
  // What RangeReader found.
  uint64_t met = 0;   // rows, with those that are left out; in `add`: before this one
  bool whole = true;  // the range was read to its end
};

/// Reads ranges with a connection of its own.
class RangeReader {
 public:
  explicit RangeReader(sqlite::Database database) : database_(std::move(database)) {}

  const sqlite::Database& database() const noexcept { return database_; }

  /// Calls `add(row)` for each row of the range. `make_sql(columns)` makes the statement of a
  /// table, once. Throws Error.
  template <class MakeSql, class Add>
  void read(ScanRows& rows, const MakeSql& make_sql, const Add& add) {
    rows.met = 0;
    rows.whole = true;
    if (rows.table >= statements_.size()) statements_.resize(rows.table + 1);
    std::optional<sqlite::Statement>& statement = statements_[rows.table];
    if (!statement) {
      statement.emplace(database_.prepare(make_sql(SqliteColumns(database_, rows.table_name))));
    }
    sqlite::Statement& row = *statement;
    row.reset();
    if (rows.row_id != nullptr) {
      row.bind(1, rows.first);
      row.bind(2, rows.last);
    }
    for (; row.step(&rows.whole); ++rows.met) add(row);
  }

  /// The number of the row that is being read. Asked for only of rows that are reported: reading
  /// all would cost a tenth.
  int64_t row_number(const ScanRows& rows) const;
  /// Counts a row that is left out, or a part of one.
  void add_dropped(std::vector<DroppedRecords>& dropped, const ScanRows& rows,
                   std::string_view what) const;

 private:
  sqlite::Database database_;
  std::vector<std::optional<sqlite::Statement>> statements_;  // by table
};

class SqliteScan {
 public:
  struct Table {
    size_t number;
    std::string_view name;
    const char* row_id;
    bool empty = true;  // or without numbers; else the first and last
    int64_t first = 0;
    int64_t last = 0;
    uint64_t met = 0;  // rows
  };

  /// `bytes_per_row`: how much of OpenOptions::block_size a row counts for. All that is given has
  /// to outlive it.
  SqliteScan(const SqliteTables& tables, const OpenOptions& options, uint64_t bytes_per_row)
      : tables_(&tables), options_(&options), range_rows_(options.block_size / bytes_per_row) {}

  /// A table that is there is read, as number `number`.
  void add(size_t number, std::string_view table);
  /// OpenOptions::progress counts the rows of this scan.
  void show_progress();

  template <class Rows, class MakeReader, class Merge>
  void read(const MakeReader& make_reader, const Merge& merge) {
    if (ranges_.empty()) return;
    BlockReader<Rows> reader(worker_threads(options_->threads), [&] {
      return [rows = make_reader()](Rows& out) { rows->read(out); };
    });
    reader.read([this](Rows& rows) { return cut(rows); },
                [&](Rows& rows) {
                  merge(rows);
                  count(rows);
                  return true;
                });
  }

  /// False where the file had less than its tables say.
  bool whole() const noexcept { return whole_; }
  const std::vector<Table>& tables() const noexcept { return read_; }
  /// How many rows the table has. If numbers do not rise from page to page, as in a damaged file,
  /// these are more than were met by them. Rows are counted one by one, unless every number was met
  /// and none is beyond.
  uint64_t rows(const Table& table) const;
  /// After `read`: throws Error if a table has rows that were not met by their numbers, unless
  /// damaged files are allowed (OpenOptions::allow_truncated). `remedy`: `export it again`.
  void check_counts(std::string_view remedy) const;

 private:
  std::optional<int64_t> end(const Table& table, const char* which, int64_t if_cut_off);
  void split(const Table& table);
  bool any_beyond(const Table& table) const;
  bool cut(ScanRows& rows);
  void count(const ScanRows& rows);

  const SqliteTables* tables_;
  const OpenOptions* options_;
  uint64_t range_rows_;
  std::vector<Table> read_;
  std::vector<ScanRows> ranges_;
  size_t next_ = 0;
  bool counts_ = false;
  bool whole_ = true;
};

}  // namespace kr::trace

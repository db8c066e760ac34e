// Numbers of a table by the id of their row, for tables of millions: what links an operation to its
// call, or an id of a time to the time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/readers/sqlite_scan.hpp"

namespace kr::trace {

/// In place of a number that is NULL.
inline constexpr int64_t no_number = INT64_MIN;

/// `count` numbers per id. Memory: 8 bytes for each, and for the id.
template <size_t count>
class NumbersById {
 public:
  using Row = std::array<int64_t, count + 1>;  // the id first

  /// Reads columns of a table, of which the first is the id: with others all have to be there.
  /// Rows without whole numbers are dropped as `what`. False where the file had less than the table
  /// says. Throws Error.
  bool read(const SqliteTables& tables, const OpenOptions& options, const TableScan& scan,
            std::string_view what, TraceBuilder& out) {
    if (!tables.has(scan.table)) return true;
    if (scan.missing(tables.columns(scan.table))) {
      out.add_dropped(fmt_missing(scan.table), 0);
      return true;
    }
    constexpr uint64_t bytes_per_row = 8;
    SqliteScan ranges(tables, options, bytes_per_row);
    ranges.add(0, scan.table);
    ranges.read<Rows>(
        [&] { return std::make_shared<Reader>(tables.database().again(), scan, what); },
        [&](Rows& rows) {
          std::copy(rows.rows.begin(), rows.rows.end(), rows_.extend(rows.rows.size()));
          for (const DroppedRecords& one : rows.dropped) {
            out.add_dropped(one.what, one.first_offset, one.count);
          }
        });
    const auto before = [](const Row& a, const Row& b) { return a[0] < b[0]; };
    if (!std::is_sorted(rows_.begin(), rows_.end(), before)) {
      std::stable_sort(rows_.begin(), rows_.end(), before);
    }
    return ranges.whole();
  }

  /// Null: there is none. Of several with that id the first in the table. `near`: where the last
  /// search ended, since ids mostly rise.
  const Row* find(int64_t id, size_t& near) const noexcept {
    if (near + 1 < rows_.size() && rows_[near][0] < id && rows_[near + 1][0] == id) {
      return &rows_[++near];
    }
    const auto at =
        std::lower_bound(rows_.begin(), rows_.end(), id,
                         [](const Row& row, int64_t wanted) { return row[0] < wanted; });
    if (at == rows_.end() || (*at)[0] != id) return nullptr;
    near = static_cast<size_t>(at - rows_.begin());
    return at;
  }
  bool empty() const noexcept { return rows_.empty(); }

 private:
  static std::string fmt_missing(std::string_view table) {
    return "table " + std::string(table) + " without its columns";
  }

  struct Rows : ScanRows {
    GrowingArray<Row> rows;
    std::vector<DroppedRecords> dropped;
  };

  class Reader {
   public:
    Reader(sqlite::Database database, const TableScan& scan, std::string_view what)
        : rows_(std::move(database)), scan_(&scan), what_(what) {}

    void read(Rows& out) {
      out.rows.clear();
      out.dropped.clear();
      rows_.read(
          out, [&](const SqliteColumns& columns) { return scan_->sql(columns, out.row_id); },
          [&](const sqlite::Statement& statement) {
            std::array<sqlite::Statement::Cell, count + 1> cells;
            statement.cells(cells);
            Row row;
            for (size_t i = 0; i <= count; ++i) {
              const bool null = i > 0 && cells[i].type == sqlite::Statement::Type::null;
              const auto number = null ? std::optional(no_number)
                                       : statement.whole_number(static_cast<int>(i), cells[i]);
              if (!number) return rows_.add_dropped(out.dropped, out, what_);
              row[i] = *number;
            }
            out.rows.push_back(row);
          });
    }

   private:
    RangeReader rows_;
    const TableScan* scan_;
    std::string_view what_;
  };

  GrowingArray<Row> rows_;
};

}  // namespace kr::trace

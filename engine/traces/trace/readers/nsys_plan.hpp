// How a table of an nsys export is cut, so that several connections share it: ranges of row
// numbers, and whether all of its rows were found by them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/readers/nsys_schema.hpp"

namespace kr::trace {

/// Rows [first, last] by number.
struct RowRange {
  int64_t first = 0;
  int64_t last = 0;
};

class NsysPlan {
 public:
  /// Of a table that is there. `rows`: of one range. All that is given has to outlive it.
  NsysPlan(const sqlite::Database& database, const NsysSchema& schema, std::string_view table,
           uint64_t rows);

  /// What numbers the rows; null: they have no numbers, and are read at once.
  const char* row_id() const noexcept { return row_id_; }
  /// None: the table is empty, or its rows have no numbers.
  const std::vector<RowRange>& ranges() const noexcept { return ranges_; }
  /// False where the way to the first or last row leads through what was cut off.
  bool whole() const noexcept { return whole_; }
  /// From the first number to the last.
  uint64_t numbers() const noexcept { return numbers_; }

  /// How many rows the table has, after `met` were found by their numbers. If numbers do not rise
  /// from page to page, as in a damaged file, these are more. Rows are counted one by one, unless
  /// every number was met and none is beyond.
  uint64_t rows(uint64_t met) const;

 private:
  std::optional<int64_t> end(const char* which);
  void split(RowRange range, uint64_t rows);
  bool any_beyond() const;

  const sqlite::Database* database_;
  std::string_view table_;
  const char* row_id_;
  std::vector<RowRange> ranges_;
  uint64_t numbers_ = 0;
  bool whole_ = true;
};

}  // namespace kr::trace

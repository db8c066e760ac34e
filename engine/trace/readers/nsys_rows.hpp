// Rows of the tables of GPU activity in an nsys export, read in ranges of row numbers so that
// several connections can share a table.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/readers/nsys_schema.hpp"

namespace kr {

/// A table of operations, and what of a row says its name.
enum class NsysTable : uint8_t { kernel, memcpy, memset, graph };
inline constexpr size_t nsys_table_count = 4;
std::string_view name_of(NsysTable table) noexcept;

struct NsysRow {
  enum class Name : uint8_t { id, text, none };
  int64_t start_ns;
  int64_t duration_ns;
  int64_t name;  // id: of a string, kind of copy, or graph; text: index into `texts`
  int64_t stream;
  int32_t device;
  Name name_form;
  /// Where launches are asked for: of the call; NsysRow::no_id where there is none.
  int64_t correlation;
  int64_t process;  // globalPid
  static constexpr int64_t no_id = -1;
};

/// Rows [first, last] by number, or all of a table without numbers.
struct NsysRange {
  NsysTable table = NsysTable::kernel;
  bool numbered = true;
  int64_t first = 0;
  int64_t last = 0;
};

struct NsysRows {
  NsysRange range;
  std::vector<NsysRow> rows;
  std::deque<std::string> texts;
  uint64_t open_ends = 0;  // rows without an end, left out
  uint64_t first_open_end = 0;
  bool damaged = false;  // the range could not be read to its end
};

/// The query for a table, of start, end, name, device and stream, with ?1 and ?2 as range;
/// `linked`: of the correlation and process of its launch, too. Throws Error where the table has no
/// times.
std::string nsys_query(const sqlite::Database& database, NsysTable table, bool numbered,
                       bool linked);

/// Reads ranges with a connection of its own.
class NsysRowReader {
 public:
  NsysRowReader(sqlite::Database database, bool allow_damage, bool linked);
  /// Fills `out` from `out.range`. Throws Error, naming table and row, on times that cannot be.
  void read(NsysRows& out);

 private:
  bool step(sqlite::Statement& statement, NsysRows& out) const;
  void add(const sqlite::Statement& statement, NsysRows& out, uint64_t number);
  void odd_row(const sqlite::Statement& statement, NsysRows& out, uint64_t number);
  int64_t row_id(const NsysRange& range, uint64_t number) const;
  [[noreturn]] void fail(const NsysRange& range, uint64_t number, std::string_view what) const;

  sqlite::Database database_;
  bool allow_damage_;
  bool linked_;
  std::array<std::unique_ptr<sqlite::Statement>, nsys_table_count> statements_;
};

}  // namespace kr

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
#include "trace/trace.hpp"

namespace kr::trace {

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

/// Rows [first, last] by number, all of a table without numbers, or only how many a table has.
struct NsysRange {
  NsysTable table = NsysTable::kernel;
  const char* row_id = nullptr;  // NsysSchema::row_id; null: without numbers
  bool count_only = false;
  int64_t first = 0;
  int64_t last = 0;
};

struct NsysRows {
  NsysRange range;
  std::vector<NsysRow> rows;
  std::deque<std::string> texts;
  std::vector<Loss> losses;
  uint64_t met = 0;      // rows of the range, with those that are left out
  bool damaged = false;  // the range could not be read to its end
};

/// The query for a range, of start, end, name, device and stream, with ?1 and ?2 as its ends;
/// `linked`: of the correlation and process of its launch, too. Throws Error where the table has no
/// times.
std::string nsys_query(const sqlite::Database& database, const NsysRange& range, bool linked);

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
  int64_t device(const sqlite::Statement& statement, NsysRows& out, uint64_t number) const;
  int64_t stream(const sqlite::Statement& statement, NsysRows& out, uint64_t number) const;
  void link(const sqlite::Statement& statement, NsysRow& row, NsysRows& out, uint64_t number) const;
  void loss(NsysRows& out, std::string_view what, uint64_t number) const;
  void count(NsysRows& out) const;
  int64_t row_id(const NsysRange& range, uint64_t number) const;
  [[noreturn]] void fail(const NsysRange& range, uint64_t number, std::string_view what) const;

  sqlite::Database database_;
  bool allow_damage_;
  bool linked_;
  std::array<std::unique_ptr<sqlite::Statement>, nsys_table_count> statements_;
};

}  // namespace kr::trace

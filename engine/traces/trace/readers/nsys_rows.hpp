// Rows of the tables of GPU activity in an nsys export, read in ranges of row numbers so that
// several connections can share a table.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/nsys_schema.hpp"

namespace kr::trace {

/// A table of operations, and what of a row says its name.
enum class NsysTable : uint8_t { kernel, memcpy, memset, graph };
inline constexpr size_t nsys_table_count = 4;
std::string_view name_of(NsysTable table) noexcept;

/// Rows [first, last] by number, or all of a table without numbers.
struct NsysRange {
  NsysTable table = NsysTable::kernel;
  const char* row_id = nullptr;  // NsysSchema::row_id; null: without numbers
  int64_t first = 0;
  int64_t last = 0;
};

struct NsysRows : BlockRows {
  NsysRange range;
  std::vector<int64_t> processes;  // globalPid, by correlation
  std::vector<int64_t> nodes;      // graphNodeId, by correlation; 0: none. Empty: not wanted
  uint64_t met = 0;                // rows of the range, with those that are left out
  bool whole = true;               // the range was read to its end
};

/// What is read of an operation's launch.
enum class NsysLink : uint8_t { none, launch, launch_and_node };

/// What is read of an operation beside its times, name and track.
struct NsysParts {
  NsysLink link = NsysLink::none;
  bool details = false;
  bool strict = false;  // OpenOptions::strict
};

/// The query for a range, of start, end, name, device and stream, with ?1 and ?2 as its ends; of
/// correlation, process and node of a graph with either part, and of details in the order of
/// `detail_columns`. Throws Error where the table has no times.
std::string nsys_query(const sqlite::Database& database, const NsysLabels& labels,
                       const NsysRange& range, NsysParts parts);

/// Names by their values in the rows of one table.
using NameMemory = IdMemory<NameId>;

/// Reads ranges with a connection of its own.
class NsysRowReader {
 public:
  NsysRowReader(sqlite::Database database, const NsysLabels& labels, NsysParts parts);
  /// Fills `out` from `out.range`; correlations are as in the file. Times that cannot be right are
  /// marked (trace/time_fault.hpp). Throws Error, naming table and row, on times that are not whole
  /// numbers, and if `strict`, on those that cannot be right.
  void read(NsysRows& out);

 private:
  void add(const sqlite::Statement& statement, NsysRows& out, uint64_t number);
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
  };
  Times times(std::span<const sqlite::Statement::Cell> cells, const NsysRows& out,
              uint64_t number) const;
  NameId name(const sqlite::Statement& statement, const sqlite::Statement::Cell& cell,
              NsysRows& out, uint64_t number);
  NameId name_of_id(int64_t id, NsysTable table);
  void add_link(const sqlite::Statement& statement, std::span<const sqlite::Statement::Cell> cells,
                NsysRows& out, uint64_t number) const;
  void add_detail(const sqlite::Statement& statement, NsysRows& out, uint64_t number);
  void add_dropped(NsysRows& out, std::string_view what, uint64_t number) const;
  int64_t row_id(const NsysRange& range, uint64_t number) const;
  [[noreturn]] void fail(const NsysRange& range, uint64_t number, std::string_view what) const;

  sqlite::Database database_;
  const NsysLabels* labels_;
  NsysStrings strings_;
  NsysParts parts_;
  std::array<std::unique_ptr<sqlite::Statement>, nsys_table_count> statements_;
  LocalIds ids_;
  std::array<NameMemory, nsys_table_count> met_;
  std::unordered_set<uint32_t> made_up_;  // names without a string or label
};

}  // namespace kr::trace

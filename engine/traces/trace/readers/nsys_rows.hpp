// Rows of the tables of GPU activity in an nsys export, read in ranges of row numbers so that
// several connections can share a table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/readers/sqlite_scan.hpp"

namespace kr::trace {

/// A table of operations, and what of a row says its name.
enum class NsysTable : uint8_t { kernel, memcpy, memset, graph };
inline constexpr size_t nsys_table_count = 4;
std::string_view name_of(NsysTable table) noexcept;

struct NsysRows : BlockRows, ScanRows {
  std::vector<int64_t> processes;  // globalPid, by correlation
  std::vector<int64_t> nodes;      // graphNodeId, by correlation; 0: none. Empty: not wanted

  NsysTable kind() const noexcept { return static_cast<NsysTable>(table); }
};

/// What is read of an operation's launch.
enum class NsysLink : uint8_t { none, launch, launch_and_node };

/// What is read of an operation beside its times, name and track.
struct NsysParts {
  NsysLink link = NsysLink::none;
  bool details = false;
  bool strict = false;  // OpenOptions::strict
};

/// Names by their values in the rows of one table.
using NameMemory = IdMemory<NameId>;

/// Reads ranges with a connection of its own.
class NsysRowReader {
 public:
  NsysRowReader(sqlite::Database database, const NsysLabels& labels, NsysParts parts);
  /// Fills `out`; correlations are as in the file. Times that cannot be right are
  /// marked (trace/time_fault.hpp). Throws Error, naming table and row, on times that are not whole
  /// numbers, and if `strict`, on those that cannot be right.
  void read(NsysRows& out);

 private:
  std::string sql(const SqliteColumns& columns, const NsysRows& out) const;
  void add(const sqlite::Statement& statement, NsysRows& out);
  NameId name(const sqlite::Statement& statement, const sqlite::Statement::Cell& cell,
              NsysRows& out);
  NameId name_of_id(int64_t id, NsysTable table);
  void add_link(const sqlite::Statement& statement, std::span<const sqlite::Statement::Cell> cells,
                NsysRows& out) const;
  void add_detail(const sqlite::Statement& statement, NsysRows& out);
  void add_dropped(NsysRows& out, std::string_view what) const {
    rows_.add_dropped(out.dropped, out, what);
  }
  [[noreturn]] void fail(const NsysRows& out, std::string_view what) const;

  RangeReader rows_;
  const NsysLabels* labels_;
  NsysStrings strings_;
  NsysParts parts_;
  LocalIds ids_;
  std::array<NameMemory, nsys_table_count> met_;
  std::unordered_set<uint32_t> made_up_;  // names without a string or label
};

}  // namespace kr::trace

// The host's side of an nsys export: calls of the runtime and the driver, and NVTX ranges.
//
// A call is joined to what it launched by the correlation id, which counts by process. A globalTid
// holds the process in all but its lowest 24 bits, a globalPid the same with those bits zero.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/sqlite.hpp"
#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class NsysHost {
 public:
  /// All that is given has to outlive it.
  NsysHost(const sqlite::Database& database, const NsysSchema& schema, const NsysLabels& labels,
           TraceBuilder& out, HostDetail detail);

  /// The correlation of an operation or call, for a HostTrace: one number of id and process.
  int64_t correlation(int64_t global_pid, int64_t id);
  /// Reads all calls and ranges. False where the file had less than its tables say. Rows that
  /// cannot be are counted and left out. Of HostDetail::range_names: only the names of ranges, and
  /// nothing is said of what is wrong there.
  bool read();

 private:
  using Numbers = std::unordered_map<int64_t, uint32_t, NumberHash>;
  bool told_by_process() const;
  void read_calls();
  void read_ranges();
  void add_dropped(std::string_view what, int64_t number);
  const char* row_id(const char* table) const;
  uint32_t thread(int64_t global_tid, bool whole_process);
  uint32_t call(const sqlite::Statement& row, int column);
  uint32_t range_name(const sqlite::Statement& row, int text, int id);
  int64_t thread_number(const sqlite::Statement& row, int column, int64_t number);

  const sqlite::Database* database_;
  const NsysSchema* schema_;
  NsysStrings strings_;
  TraceBuilder* out_;
  HostTrace* host_;  // null: only names of ranges are wanted
  bool by_process_;
  bool whole_ = true;
  std::unordered_map<int64_t, int64_t, NumberHash> processes_;  // numbered as met
  Numbers threads_;                                             // by globalTid
  Numbers whole_processes_;
  Numbers calls_, range_names_;  // by id of the string
};

}  // namespace kr::trace

// Synchronisations (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) and calls of the operating system's
// runtime (OSRT_API) in an nsys export.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "base/interned.hpp"
#include "base/sqlite.hpp"
#include "trace/host_waits.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class NsysWaits {
 public:
  /// The correlation of a call in a HostTrace, by its globalPid and its id.
  using Correlation = std::function<int64_t(int64_t global_pid, int64_t id)>;

  /// All that is given has to outlive it.
  NsysWaits(const SqliteTables& schema, const NsysLabels& labels, TraceBuilder& out);

  /// False where the file had less than its tables say. Rows that cannot be are counted and left
  /// out.
  bool read(const Correlation& correlation);

 private:
  using Numbers = Interned<int64_t, NumberHash>;
  void read_type_names();
  void read_synchronizations(const Correlation& correlation);
  void read_system_calls();
  /// Adds a note where a row has no valid times.
  bool has_times(const sqlite::Statement& row, std::string_view what, int64_t number);
  uint32_t type(int64_t id);
  uint32_t name(int64_t id);
  uint32_t process(int64_t global_pid);

  const SqliteTables* schema_;
  NsysStrings strings_;
  TraceBuilder* out_;
  HostWaits* waits_;
  std::map<int64_t, std::string> type_names_;
  Numbers types_, names_, processes_;
  bool whole_ = true;
};

}  // namespace kr::trace

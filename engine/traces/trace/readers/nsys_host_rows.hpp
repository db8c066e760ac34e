// Rows of the tables of an nsys export that say what the host did: calls of the runtime and the
// driver, NVTX ranges, and the creation of nodes of CUDA graphs. They are read in ranges of row
// numbers, so that several connections share a table.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/sqlite.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/nccl_calls.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/readers/nvtx_payload.hpp"
#include "trace/readers/sqlite_scan.hpp"

namespace kr::trace {

/// A table of kr cut, for HostTrace::cut_steps.
inline constexpr std::string_view nsys_cut_steps = "KR_CUT_STEPS";

enum class NsysHostTable : uint8_t { calls, ranges, nodes };
inline constexpr size_t nsys_host_table_count = 3;
std::string_view name_of(NsysHostTable table) noexcept;

/// Types of NVTX events. Marks (34), categories and names of threads are not ranges.
constexpr bool is_pushed_range(int64_t type) {
  return type == 59 || type == 70;
}
constexpr bool is_started_range(int64_t type) {
  return type == 60 || type == 71;
}

/// A globalTid has the process in all but its lowest 24 bits, a globalPid the same with those
/// bits zero.
inline constexpr int nsys_process_shift = 24;

/// An event of a node of a CUDA graph: its creation, or, with `original`, its copy for a graph that
/// can be launched.
struct NsysNodeEvent {
  int64_t node;
  std::optional<int64_t> original;
  int64_t process;
  int64_t time_ns;
  uint32_t thread;  // of the parser
};

struct NsysHostRows : BlockRows, ScanRows {
  /// By launch: its process. Correlations are as in the file.
  GrowingArray<int64_t> processes;
  std::vector<NsysNodeEvent> nodes;
  /// The name of a domain, by the text that identifies it in the names of ranges.
  std::vector<std::pair<std::string, std::string>> domains;
  /// Ranges of NCCL, if they are wanted. The thread is the parser's; the call is one of these.
  std::vector<NcclEvent> nccl_events;
  std::vector<NcclCall> nccl_calls;

  NsysHostTable kind() const noexcept { return static_cast<NsysHostTable>(table); }
};

/// Whether the table has the columns without which it says nothing.
bool has_columns(const SqliteTables& schema, NsysHostTable table);

/// Reads ranges with a connection of its own. Rows that cannot be are counted and left out.
class NsysHostReader {
 public:
  /// `names_only`: of ranges only their names, and nothing is said of what is wrong. `payloads`: if
  /// not empty, ranges of NCCL are decoded; has to outlive it.
  NsysHostReader(sqlite::Database database, const SqliteTables& schema, const NsysLabels& labels,
                 const NvtxPayloadSchemas& payloads, bool names_only);
  /// Fills `out` from its table and range.
  void read(NsysHostRows& out);

 private:
  struct CallTag;
  using CallId = Id<CallTag>;
  struct RangeName {
    uint32_t index = UINT32_MAX;
    bool module = false;
    bool unnamed = false;  // the id of its text is not known
    uint32_t nccl = 0;     // in `nccl_ranges_`

    bool valid() const noexcept { return index != UINT32_MAX; }
  };
  using Cells = std::array<sqlite::Statement::Cell, 5>;

  TableScan scan(NsysHostTable table) const;
  void add_call(const Cells& cells);
  void add_event(const Cells& cells);
  void add_node(const Cells& cells);
  void add_domain(const Cells& cells);
  void add_dropped(std::string_view what);
  std::optional<int64_t> number_in(const Cells& cells, int column) const;
  int64_t thread_number(const Cells& cells, int column);
  uint32_t thread(int64_t global_tid, bool whole_process);
  uint32_t call(const Cells& cells);
  RangeName range_name(size_t domain, bool may_be_module);
  RangeName named_by_id(int64_t id, size_t domain, bool may_be_module);
  RangeName named(std::string_view text, size_t domain, bool may_be_module);
  RangeName module_named(std::string_view text, size_t domain);
  size_t domain(int64_t global_tid);
  uint32_t nccl_range(std::string_view text);
  void add_nccl(const RangeName& name, const HostRange& range, int64_t global_tid);
  bool read_payload(NcclCall& call);

  RangeReader rows_;
  NsysStrings strings_;
  const NvtxPayloadSchemas* payloads_;  // null: they are not wanted
  bool names_only_;
  bool text_incomplete_;  // texts may be in a column that is missing
  // Of the range that is being read.
  const sqlite::Statement* row_ = nullptr;
  NsysHostRows* out_ = nullptr;
  // What is known by the numbers of `ids_`.
  LocalIds ids_;
  struct SeenThread {
    int64_t global_tid = 0;
    uint32_t number = 0;
    bool known = false;
  };
  std::array<SeenThread, 16> seen_threads_;
  IdMemory<CallId> calls_;  // by id of the string
  std::unordered_set<uint32_t> unnamed_calls_;
  // By id of the string, without and with modules; the default domain has most.
  std::array<IdMemory<RangeName>, 2> names_;
  std::map<std::tuple<size_t, int64_t, bool>, RangeName> names_in_domains_;
  std::map<std::pair<int64_t, int64_t>, size_t> domains_;  // by process and number
  std::vector<std::string> domain_keys_;                   // of the default: empty
  DistinctTexts module_texts_;
  std::vector<RangeName> module_names_;  // by text
  std::string text_;
  DistinctTexts nccl_ranges_;  // the first is empty: none
  std::vector<NvtxField> payload_fields_;
};

}  // namespace kr::trace

// `nsys export --type sqlite`: the tables of GPU activity of any schema since 2020.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/readers/nsys_cut.hpp"
#include "trace/readers/nsys_host.hpp"
#include "trace/readers/nsys_memory.hpp"
#include "trace/readers/nsys_metrics.hpp"
#include "trace/readers/nsys_missing.hpp"
#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/readers/nsys_waits.hpp"
#include "trace/readers/sqlite_file.hpp"
#include "trace/readers/sqlite_scan.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t bytes_a_row = 16;  // that a thread reads at a time: 16,384 rows, mostly
constexpr const char* sqlite_remedy = "export a report with `nsys export --type sqlite`";
/// All that is read.
constexpr std::array all_nsys_tables{"CUPTI_ACTIVITY_KIND_KERNEL"sv,
                                     "CUPTI_ACTIVITY_KIND_MEMCPY"sv,
                                     "CUPTI_ACTIVITY_KIND_MEMSET"sv,
                                     "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"sv,
                                     "CUPTI_ACTIVITY_KIND_RUNTIME"sv,
                                     "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"sv,
                                     "NVTX_EVENTS"sv,
                                     "NVTX_PAYLOAD_SCHEMAS"sv,
                                     "NVTX_PAYLOAD_SCHEMA_ENTRIES"sv,
                                     "NVTX_PAYLOAD_ENUMS"sv,
                                     "NVTX_PAYLOAD_ENUM_ENTRIES"sv,
                                     "OSRT_API"sv,
                                     "CUDA_GRAPH_NODE_EVENTS"sv,
                                     "StringIds"sv,
                                     "ENUM_CUDA_MEMCPY_OPER"sv,
                                     "ENUM_CUDA_MEM_KIND"sv,
                                     "ENUM_CUPTI_SYNC_TYPE"sv,
                                     "TARGET_INFO_GPU"sv,
                                     "TARGET_INFO_CUDA_DEVICE"sv,
                                     "GPU_METRICS"sv,
                                     "TARGET_INFO_GPU_METRICS"sv,
                                     "CUDA_GPU_MEMORY_USAGE_EVENTS"sv,
                                     "CUDA_GPU_MEMORY_POOL_EVENTS"sv,
                                     "TARGET_INFO_SESSION_START_TIME"sv,
                                     "GENERIC_EVENTS"sv};
constexpr std::array tables{NsysTable::kernel, NsysTable::memcpy, NsysTable::memset,
                            NsysTable::graph};

SqliteTables checked_nsys_tables(sqlite::Database& database, TraceBuilder& out) {
  std::array<std::string_view, tables.size()> needed;
  std::ranges::transform(tables, needed.begin(), [](NsysTable table) { return name_of(table); });
  return checked_tables(database, all_nsys_tables, needed, sqlite_remedy, out);
}

class NsysReader {
 public:
  NsysReader(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out)
      : database_(&database),
        options_(&options),
        out_(&out),
        schema_(checked_nsys_tables(database, out)),
        labels_(schema_, out) {
    if (options.host != HostDetail::none) {
      host_.emplace(schema_, labels_, options, out);
    }
    if (options.operation_details) {
      out.details().memory_kinds = nsys_memory_kinds(schema_);
    }
  }

  /// False where the file had less than its tables say.
  bool run() {
    SqliteScan scan(schema_, *options_, bytes_a_row);
    for (const NsysTable table : tables) scan.add(static_cast<size_t>(table), name_of(table));
    scan.show_progress();
    const NsysParts parts{wanted_link(), options_->operation_details, options_->strict};
    scan.read<NsysRows>(
        [&] { return std::make_shared<NsysRowReader>(database_->again(), labels_, parts); },
        [this](NsysRows& rows) { merge(rows); });
    scan.check_counts("export it again");
    note_missing(scan);
    whole_ = scan.whole();
    finish();
    return whole_;
  }

 private:
  NsysLink wanted_link() const {
    if (options_->host != HostDetail::all) return NsysLink::none;
    return host_->wants_nodes() ? NsysLink::launch_and_node : NsysLink::launch;
  }

  void merge(NsysRows& rows) {
    for (size_t i = 0; i < rows.correlations.size(); ++i) {
      rows.correlations[i] = host_->correlation(rows.processes[i], rows.correlations[i]);
    }
    for (size_t i = 0; i < rows.nodes.size(); ++i) {
      if (rows.nodes[i] != 0) {
        host_->node(out_->operations() + i, rows.processes[i], rows.nodes[i]);
      }
    }
    add_block(rows, *out_);
    if (rows.kind() == NsysTable::graph) graphs_ += rows.operations.size();
  }

  void finish() {
    if (host_ && !host_->read()) whole_ = false;
    if (host_ && options_->waits && options_->host == HostDetail::all) {
      NsysWaits waits(schema_, labels_, *out_);
      const auto correlation = [this](int64_t pid, int64_t id) {
        return host_->correlation(pid, id);
      };
      if (!waits.read(correlation)) whole_ = false;
    }
    if (options_->gpu_metrics && !read_nsys_metrics(schema_, labels_, *options_, *out_)) {
      whole_ = false;
    }
    if (options_->memory && !read_nsys_memory(schema_, labels_, *out_)) whole_ = false;
    read_clock();
    for (Track& track : out_->tracks()) {
      const auto device = labels_.devices.find(track.device);
      track.device_name = device == labels_.devices.end() ? "GPU" : device->second;
    }
    if (graphs_ != 0) {
      out_->warn(
          "hidden-graph-kernels",
          fmt::format("{} launches of CUDA graphs were traced as a whole: the kernels inside "
                      "are hidden (trace with --cuda-graph-trace=node to see them).",
                      graphs_));
    }
    note_unread();
  }

  /// No GPU work may be said only of an export that has no table that looks like it.
  void note_unread() {
    std::vector<std::string_view> read;
    read.reserve(std::size(tables));
    for (const NsysTable table : tables) read.push_back(name_of(table));
    const std::vector<std::string> unread = unread_work(schema_, read);
    if (out_->operations() != 0) {
      for (const std::string& name : unread) {
        out_->add_dropped(fmt::format("table {}, which looks like GPU work: not read", name), 0);
      }
    } else if (unread.empty()) {
      out_->warn("no-gpu-work",
                 "The export contains no GPU work: it has no rows of kernels, copies or sets.");
    } else {
      out_->warn("unknown-layout",
                 fmt::format("No operation was read, but the export has tables that look like GPU "
                             "work and are not read: {}. kr reads {}.",
                             listed(unread), listed({read.begin(), read.end()})));
    }
  }

  static std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out;
  }

  void note_missing(const SqliteScan& scan) {
    std::vector<NsysTable> read;
    for (const SqliteScan::Table& table : scan.tables()) {
      if (table.met == 0) continue;
      read.push_back(static_cast<NsysTable>(table.number));
      if (!schema_.columns(table.name).has("streamId")) out_->made_up_streams();
    }
    note_missing_columns(schema_, read, options_->host == HostDetail::all, *out_);
  }

  void read_clock() {
    auto rows = schema_.rows({"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}});
    if (!rows || !rows->step()) return;
    constexpr int64_t most = int64_t{1} << 61;  // beyond 2043: sums with it might not fit
    const auto utc_ns = rows->whole_number(0);
    if (utc_ns && *utc_ns >= 0 && *utc_ns <= most) out_->clock({*utc_ns});
  }

  const sqlite::Database* database_;
  const OpenOptions* options_;
  TraceBuilder* out_;
  SqliteTables schema_;
  NsysLabels labels_;
  std::optional<NsysHost> host_;
  uint64_t graphs_ = 0;
  bool whole_ = true;
};

bool read_nsys(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out) {
  return NsysReader(database, options, out).run();
}

constexpr std::array<std::string_view, 3> nsys_sqlite_extensions{".sqlite", ".sqlite3", ".db"};

}  // namespace

const TraceFormat nsys_sqlite_format{
    .name = "nsys-sqlite",
    .kind = "nsys SQLite exports",
    .summary = "SQLite of `nsys export --type sqlite`, any schema",
    .extensions = nsys_sqlite_extensions,
    .carries = "launches, streams, modules, steps, shapes, costs, collectives, memory, metrics",
    .sniff = is_sqlite,
    .read = read_sqlite,
    .cut_database = cut_nsys,
    .sniff_tables = is_nsys,
    .read_tables = read_nsys};

}  // namespace kr::trace

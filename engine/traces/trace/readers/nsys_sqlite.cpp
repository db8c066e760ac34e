// `nsys export --type sqlite`: the tables of GPU activity of any schema since 2020.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/part_file.hpp"
#include "trace/format.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/nsys_host.hpp"
#include "trace/readers/nsys_metrics.hpp"
#include "trace/readers/nsys_missing.hpp"
#include "trace/readers/nsys_plan.hpp"
#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/readers/nsys_waits.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "SQLite format 3\0"sv;
constexpr uint64_t bytes_a_row = 16;  // that a thread reads at a time: 16,384 rows, mostly
constexpr const char* sqlite_remedy = "export a report with `nsys export --type sqlite`";
constexpr const char* rocm_remedy =
    "it is of ROCm's profilers, whose databases kr does not read: write CSV "
    "(`rocprofv3 --kernel-trace --output-format csv`), or use PyTorch's profiler";
/// All that is read.
constexpr std::array all_nsys_tables{"CUPTI_ACTIVITY_KIND_KERNEL"sv,
                                     "CUPTI_ACTIVITY_KIND_MEMCPY"sv,
                                     "CUPTI_ACTIVITY_KIND_MEMSET"sv,
                                     "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"sv,
                                     "CUPTI_ACTIVITY_KIND_RUNTIME"sv,
                                     "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"sv,
                                     "NVTX_EVENTS"sv,
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
                                     "TARGET_INFO_SESSION_START_TIME"sv,
                                     "GENERIC_EVENTS"sv};
constexpr std::array tables{NsysTable::kernel, NsysTable::memcpy, NsysTable::memset,
                            NsysTable::graph};

// What a schema computes is code of the author of the file. Generated columns are read, within
// bounds: each of several may use the one before it many times.
NsysSchema checked_schema(sqlite::Database& database, TraceBuilder& out) {
  constexpr size_t max_computed = 2;
  constexpr int longest_computed = 1 << 14;
  NsysSchema schema(database);
  for (const NsysTable table : tables) {
    if (!schema.has_other(name_of(table))) continue;
    throw Error(
        database.path(),
        fmt::format("its {} is a view or a virtual table: only tables are read", name_of(table)),
        sqlite_remedy);
  }
  for (const std::string_view name : all_nsys_tables) {
    if (schema.has_other(name)) {
      out.add_dropped(fmt::format("view or virtual table {}", name), 0);
    }
    if (!schema.has(name)) continue;
    const size_t computed = NsysColumns(database, name).computed();
    if (computed == 0) continue;
    if (computed > max_computed) {
      throw Error(database.path(),
                  fmt::format("its table {} has {} generated columns that are not stored; at most "
                              "{} are read",
                              name, computed, max_computed),
                  sqlite_remedy);
    }
    database.limit_values(longest_computed);
  }
  return schema;
}

class NsysReader {
 public:
  NsysReader(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out)
      : database_(&database),
        options_(&options),
        out_(&out),
        schema_(checked_schema(database, out)),
        labels_(database, schema_, out) {
    if (options.host != HostDetail::none) {
      host_.emplace(database, schema_, labels_, options, out);
    }
    if (options.operation_details) {
      out.details().memory_kinds = nsys_memory_kinds(database, schema_);
    }
    if (schema_.is_nsys()) return;
    const std::string tables = schema_.some_tables();
    throw Error(database.path(),
                tables.empty() ? "is an SQLite database without tables"
                               : fmt::format("is an SQLite database, but not an nsys export: its "
                                             "tables are {}",
                                             tables),
                schema_.is_rocm() ? rocm_remedy : sqlite_remedy);
  }

  /// False where the file had less than its tables say.
  bool run() {
    plan();
    BlockReader<NsysRows> reader(worker_threads(options_->threads), [this] {
      const NsysParts parts{wanted_link(), options_->operation_details, options_->strict};
      auto rows = std::make_shared<NsysRowReader>(database_->again(), labels_, parts);
      return [rows](NsysRows& out) { rows->read(out); };
    });
    size_t next = 0;
    reader.read(
        [&](NsysRows& rows) {
          if (next == ranges_.size()) return false;
          if (options_->progress != nullptr) options_->progress->check(database_->path());
          rows.range = ranges_[next++];
          return true;
        },
        [this](NsysRows& rows) {
          merge(rows);
          return true;
        });
    finish();
    return whole_;
  }

 private:
  NsysLink wanted_link() const {
    if (options_->host != HostDetail::all) return NsysLink::none;
    return host_->wants_nodes() ? NsysLink::launch_and_node : NsysLink::launch;
  }

  void plan() {
    uint64_t total = 0;
    for (const NsysTable table : tables) {
      if (!schema_.has(name_of(table))) continue;
      const NsysPlan& plan = plans_
                                 .emplace_back(table, NsysPlan(*database_, schema_, name_of(table),
                                                               options_->block_size / bytes_a_row))
                                 .second;
      whole_ = whole_ && plan.whole();
      if (plan.row_id() == nullptr) ranges_.push_back({.table = table});
      for (const RowRange& range : plan.ranges()) {
        ranges_.push_back({table, plan.row_id(), range.first, range.last});
      }
      total += plan.numbers();
    }
    if (options_->progress != nullptr) {
      options_->progress->done = 0;
      options_->progress->total = total;
    }
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
    if (rows.range.table == NsysTable::graph) graphs_ += rows.operations.size();
    whole_ = whole_ && rows.whole;
    met_[static_cast<size_t>(rows.range.table)] += rows.met;
    if (options_->progress != nullptr && rows.range.row_id != nullptr) {
      options_->progress->done +=
          static_cast<uint64_t>(rows.range.last) - static_cast<uint64_t>(rows.range.first) + 1;
    }
  }

  // Where numbers of rows do not rise from page to page, a range ends before its last row.
  void check_counts() const {
    if (options_->allow_truncated) return;
    for (const auto& [table, plan] : plans_) {
      const uint64_t met = met_[static_cast<size_t>(table)];
      const uint64_t all = plan.rows(met);
      if (all == met) continue;
      throw Error(database_->path(),
                  fmt::format("the database is damaged: its table {} has {} rows, of which {} are "
                              "found by their numbers",
                              name_of(table), all, met),
                  "export it again; --allow-truncated reads what is found");
    }
  }

  void finish() {
    check_counts();
    note_missing();
    if (host_ && !host_->read()) whole_ = false;
    if (host_ && options_->waits && options_->host == HostDetail::all) {
      NsysWaits waits(*database_, schema_, labels_, *out_);
      const auto correlation = [this](int64_t pid, int64_t id) {
        return host_->correlation(pid, id);
      };
      if (!waits.read(correlation)) whole_ = false;
    }
    if (options_->gpu_metrics &&
        !read_nsys_metrics(*database_, schema_, labels_, *options_, *out_)) {
      whole_ = false;
    }
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
    const std::vector<std::string> unread = schema_.unread_work(read);
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

  void note_missing() {
    std::vector<NsysTable> read;
    for (const NsysTable table : tables) {
      if (met_[static_cast<size_t>(table)] == 0) continue;
      read.push_back(table);
      if (!NsysColumns(*database_, name_of(table)).has("streamId")) out_->made_up_streams();
    }
    note_missing_columns(*database_, schema_, read, options_->host == HostDetail::all, *out_);
  }

  void read_clock() {
    constexpr std::string_view table = "TARGET_INFO_SESSION_START_TIME";
    if (!schema_.has(table) || !NsysColumns(*database_, table).has("utcEpochNs")) return;
    auto rows = database_->prepare(fmt::format("SELECT \"utcEpochNs\" FROM {}", nsys_table(table)));
    if (!rows.step()) return;
    constexpr int64_t most = int64_t{1} << 61;  // beyond 2043: sums with it might not fit
    const auto utc_ns = rows.whole_number(0);
    if (utc_ns && *utc_ns >= 0 && *utc_ns <= most) out_->clock({*utc_ns});
  }

  const sqlite::Database* database_;
  const OpenOptions* options_;
  TraceBuilder* out_;
  NsysSchema schema_;
  NsysLabels labels_;
  std::optional<NsysHost> host_;
  std::vector<NsysRange> ranges_;
  std::vector<std::pair<NsysTable, NsysPlan>> plans_;
  std::array<uint64_t, nsys_table_count> met_{};  // rows
  uint64_t graphs_ = 0;
  bool whole_ = true;
};

uint64_t big_endian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// The file's size, as the header has it. See “The Database Header” of SQLite's description of
// its file format: page size at 16, change counter at 24, pages at 28, and at 92 the change counter
// for which that number of pages is valid.
struct Pages {
  uint64_t size = 0;
  uint64_t count = 0;  // 0: not known

  uint64_t bytes() const { return size * count; }
};

Pages pages_of(std::string_view head) {
  if (head.size() < 100 || head.substr(24, 4) != head.substr(92, 4)) return {};
  const uint64_t size = big_endian(head.substr(16, 2));
  return {size == 1 ? 65536 : size, big_endian(head.substr(28, 4))};
}

// A file that is shorter than its header says was cut off.
[[noreturn]] void fail_cut(const std::string& shown, uint64_t size, const Pages& pages) {
  throw Error(shown, Error::Place{.line = {}, .offset = size},
              fmt::format("the database is cut off here: it should have {} bytes", pages.bytes()),
              "copy or export it again; --allow-truncated reads the complete part");
}

void read_nsys_database(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out) {
  if (options.allow_truncated) database.allow_damage();
  if (!NsysReader(database, options, out).run()) {
    out.warn("truncated",
             fmt::format("{} is damaged or cut off: rows are missing.", database.path()));
  }
}

// All of the input's text. Throws Error where it cannot be read or there is no room.
void unpack(Input& input, const PartFile& to) {
  std::string block(size_t{1} << 20, '\0');
  while (const size_t size = input.read(block.data(), block.size())) {
    const int code = write_all(to.descriptor(), std::string_view(block).substr(0, size));
    if (code == 0) continue;
    throw Error(temporary_folder().string(),
                std::string("cannot unpack the trace: ") + std::strerror(code),
                "set TMPDIR to a folder with enough space for the unpacked file");
  }
}

// From a copy, of whole pages.
void read_copy(Input& input, TraceBuilder& out) {
  const OpenOptions& options = input.options();
  const Pages pages = pages_of(input.head());
  const std::string folder = temporary_folder().string();
  const PartFile file(temporary_folder() / "kr", folder, 0600);
  unpack(input, file);
  const uint64_t size = input.offset();
  if (size < pages.bytes()) {
    if (!options.allow_truncated) fail_cut(input.shown(), size, pages);
    const uint64_t whole = size / pages.size * pages.size;
    if (::ftruncate(file.descriptor(), static_cast<off_t>(whole)) != 0) {
      throw Error(folder, std::string("cannot truncate a temporary file: ") + std::strerror(errno));
    }
    out.warn("truncated", fmt::format("{} is cut off at byte {} of {}: rows after it are missing.",
                                      input.shown(), size, pages.bytes()));
  }
  auto database = sqlite::Database::read_private(file.path().string(), input.shown());
  read_nsys_database(database, options, out);
}

bool is_nsys_sqlite(std::string_view head) noexcept {
  return head.starts_with(magic);
}

bool has_log(const std::string& path) {
  struct stat info {};
  return ::stat((path + "-wal").c_str(), &info) == 0 && info.st_size > 0;
}

constexpr std::array<std::string_view, 3> nsys_sqlite_extensions{".sqlite", ".sqlite3", ".db"};

void read_nsys_sqlite(Input& input, TraceBuilder& out) {
  if (!input.plain_file()) return read_copy(input, out);
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(input.path(), failed);
  const Pages pages = pages_of(input.head());
  // Where there is a log, it may have the rest.
  if (!failed && size < pages.bytes() && !has_log(input.path())) {
    if (!input.options().allow_truncated) fail_cut(input.shown(), size, pages);
    return read_copy(input, out);
  }
  auto database = sqlite::Database::read(input.path());
  read_nsys_database(database, input.options(), out);
}

}  // namespace

const TraceFormat nsys_sqlite_format{.name = "nsys-sqlite",
                                     .kind = "nsys SQLite exports",
                                     .summary = "SQLite of `nsys export --type sqlite`, any schema",
                                     .extensions = nsys_sqlite_extensions,
                                     .sniff = is_nsys_sqlite,
                                     .read = read_nsys_sqlite};

}  // namespace kr::trace

// rocpd, the database of rocprofv3 since ROCm 7: SQLite with tables per process. In one layout rows
// have their times and places, in the other ids of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rocpd_rows.hpp"
#include "trace/readers/rocpd_schema.hpp"
#include "trace/readers/sqlite_file.hpp"

namespace kr::trace {
namespace {

constexpr uint64_t bytes_per_rocpd_row = 16;  // that a thread reads at a time: 16,384 rows, mostly
constexpr const char* rocpd_remedy = "record it again with `rocprofv3 --output-format rocpd`";

class RocpdReader {
 public:
  RocpdReader(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out)
      : options_(&options), out_(&out), tables_(database), processes_(rocpd_processes(tables_)) {
    // Names are known only now.
    std::vector<std::string_view> names;
    for (const RocpdProcess& process : processes_) {
      for (const auto& [name, table] : process.tables) names.push_back(table);
    }
    checked_tables(database, names, {}, rocpd_remedy, out);
    if (processes_.empty()) {
      throw Error(database.path(),
                  "is a rocpd database whose tables are views: only tables are read", rocpd_remedy);
    }
    if (options.host == HostDetail::all) out.host();
  }

  /// False where the file had less than its tables say.
  bool run() {
    const bool host = options_->host != HostDetail::none;
    for (RocpdProcess& process : processes_) read_numbers(process, host);
    SqliteScan scan(tables_, *options_, bytes_per_rocpd_row);
    for (const RocpdProcess& process : processes_) {
      add(scan, process, RocpdTable::kernels);
      add(scan, process, RocpdTable::copies);
      if (host) add(scan, process, RocpdTable::regions);
    }
    scan.show_progress();
    const RocpdParts parts{options_->host == HostDetail::all,
                           options_->host == HostDetail::range_names, options_->strict};
    scan.read<RocpdRows>(
        [&] {
          return std::make_shared<RocpdRowReader>(tables_.database().again(), tables_, processes_,
                                                  parts);
        },
        [this](RocpdRows& rows) {
          add_block(rows, *out_);
          of_tracer_ += rows.of_tracer;
        });
    whole_ = scan.whole() && whole_;
    scan.check_counts("copy it again");
    if (options_->host == HostDetail::all) note_calls_of_tracer(of_tracer_, *out_);
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work", "The trace contains no GPU work: it has no rows of operations.");
    }
    return whole_;
  }

 private:
  void read_numbers(RocpdProcess& process, bool host) {
    whole_ =
        process.times.read(tables_, *options_, {process.table("rocpd_timestamp"), {"id", "value"}},
                           "time without an id or a value", *out_) &&
        whole_;
    if (!host) return;
    whole_ = process.events.read(
                 tables_, *options_,
                 {process.table("rocpd_event"), {"id", {"stack_id", "0"}, {"category_id", "0"}}},
                 "event without an id", *out_) &&
             whole_;
  }

  void add(SqliteScan& scan, const RocpdProcess& process, RocpdTable table) {
    const std::string& name = process.table(name_of(table));
    if (has_columns(tables_, process, table)) {
      scan.add(process.number * rocpd_table_count + static_cast<size_t>(table), name);
    } else if (tables_.has(name)) {
      out_->add_dropped(fmt::format("table {} without its columns", name_of(table)), 0);
    }
  }

  const OpenOptions* options_;
  TraceBuilder* out_;
  SqliteTables tables_;
  std::deque<RocpdProcess> processes_;
  uint64_t of_tracer_ = 0;
  bool whole_ = true;
};

constexpr std::array<std::string_view, 1> rocpd_extensions{".db"};

}  // namespace

const TraceFormat rocpd_format{
    .name = "rocpd",
    .kind = "databases of rocprofv3 (rocpd)",
    .summary = "SQLite of rocprofv3 (rocpd, the default since ROCm 7), both layouts",
    .extensions = rocpd_extensions,
    .carries = "launches, streams, steps",
    .sniff = is_sqlite,
    .read = read_sqlite,
    .sniff_tables = is_rocpd,
    .read_tables = [](sqlite::Database& database, const OpenOptions& options, TraceBuilder& out) {
      return RocpdReader(database, options, out).run();
    }};

}  // namespace kr::trace

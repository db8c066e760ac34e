// rocmProfileData (`.rpd`): SQLite with a row per operation of a GPU, per call and per link of the
// two, of any schema since 2021.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/readers/numbers_by_id.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/rpd_rows.hpp"
#include "trace/readers/sqlite_file.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t bytes_per_rpd_row = 16;  // that a thread reads at a time: 16,384 rows, mostly
constexpr const char* rpd_remedy = "record it again with `runTracer.sh -o FILE.rpd`";
constexpr std::array all_rpd_tables{"rocpd_op"sv,     "rocpd_api"sv,     "rocpd_api_ops"sv,
                                    "rocpd_string"sv, "rocpd_ustring"sv, "rocpd_kernelop"sv,
                                    "rocpd_monitor"sv};
constexpr std::array needed_rpd_tables{"rocpd_op"sv};

class RpdReader {
 public:
  RpdReader(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out)
      : options_(&options),
        out_(&out),
        tables_(checked_tables(database, all_rpd_tables, needed_rpd_tables, rpd_remedy, out)) {
    if (whole_host()) out.host();
  }

  /// False where the file had less than its tables say.
  bool run() {
    if (whole_host()) {
      whole_ = links_.read(tables_, *options_, {"rocpd_api_ops", {"op_id", "api_id"}},
                           "link of an operation to its call that is not two numbers", *out_);
    }
    SqliteScan scan(tables_, *options_, bytes_per_rpd_row);
    add(scan, RpdTable::operations, "operations");
    if (options_->host != HostDetail::none) add(scan, RpdTable::calls, "calls");
    scan.show_progress();
    const RpdParts parts{whole_host(), options_->host == HostDetail::range_names, options_->strict};
    scan.read<RpdRows>(
        [&] { return std::make_shared<RpdRowReader>(tables_.database().again(), tables_, parts); },
        [this](RpdRows& rows) { merge(rows); });
    whole_ = scan.whole() && whole_;
    finish(scan);
    return whole_;
  }

 private:
  bool whole_host() const { return options_->host == HostDetail::all; }

  void add(SqliteScan& scan, RpdTable table, std::string_view what) {
    if (has_columns(tables_, table)) {
      scan.add(static_cast<size_t>(table), name_of(table));
    } else if (tables_.has(name_of(table))) {
      out_->add_dropped(fmt::format("table of {} without its columns", what), 0);
    }
  }

  void merge(RpdRows& rows) {
    for (int64_t& correlation : rows.correlations) {
      const auto* const link = links_.find(correlation, near_);
      correlation = link != nullptr ? (*link)[1] : Launch::no_correlation;
    }
    add_block(rows, *out_);
    of_tracer_ += rows.of_tracer;
  }

  void finish(const SqliteScan& scan) {
    scan.check_counts("copy it again");
    if (options_->gpu_metrics) read_clocks();
    for (Track& track : out_->tracks()) track.device_name = "GPU";
    if (whole_host()) note_calls_of_tracer(of_tracer_, *out_);
    if (out_->operations() == 0) {
      out_->warn("no-gpu-work", "The trace contains no GPU work: it has no rows of operations.");
    }
  }

  /// Rows have the time in which a value did not change. `deviceId` counts the GPUs of the machine;
  /// `gpuId` of operations counts agents, CPUs among them, if roctracer recorded them: which GPU is
  /// which is not known.
  void read_clocks() {
    enum Column { device, type, start, end, value };
    auto rows =
        tables_.rows({"rocpd_monitor", {"deviceId", "monitorType", "start", "end", "value"}});
    if (!rows) return;
    struct Stretch {
      int64_t start_ns, end_ns, value;
    };
    std::map<std::pair<int32_t, std::string>, std::vector<Stretch>> stretches;  // by GPU and type
    while (rows->step()) {
      const auto gpu = rows->whole_number(device);
      const auto start_ns = rows->whole_number(start);
      const auto end_ns = rows->whole_number(end);
      const auto number = rows->whole_number(value);
      const bool right = gpu && start_ns && end_ns && number && *gpu >= 0 && *gpu <= INT32_MAX &&
                         *start_ns >= 0 && *end_ns >= *start_ns && *number >= 0;
      if (!right) {
        out_->add_dropped("sample of a GPU without a number, a time or a value", 0);
        continue;
      }
      stretches[{static_cast<int32_t>(*gpu), std::string(rows->text(type))}].push_back(
          {*start_ns, *end_ns, *number});
    }
    GpuMetrics all;
    for (auto& [key, of_metric] : stretches) {
      GpuMetric& metric = all.metrics.emplace_back();
      metric.gpu = key.first;
      metric.name = name_of_monitor(key.second);
      std::ranges::stable_sort(of_metric, {}, &Stretch::start_ns);
      for (const Stretch& one : of_metric) {
        const bool again = !metric.samples.empty() &&
                           metric.samples[metric.samples.size() - 1].time_ns == one.start_ns;
        if (again) {
          out_->add_dropped("GPU metric sample with the time of another: the first is used", 0);
          continue;
        }
        metric.samples.push_back({one.start_ns, static_cast<double>(one.value)});
        metric.ends.push_back(one.end_ns);
      }
      finish_metric(metric);
    }
    if (all.metrics.empty()) return;
    out_->warn("gpu-metric-devices",
               "Clocks are of GPUs as the driver numbers them, operations of agents, which count "
               "CPUs, too: it is not known which operations ran on which of these GPUs.",
               "info");
    out_->gpu_metrics(std::move(all));
  }

  static std::string name_of_monitor(std::string_view type) {
    for (const std::string_view clock : {"sclk"sv, "mclk"sv, "fclk"sv, "socclk"sv}) {
      if (type == clock) return fmt::format("{} [MHz]", type);
    }
    return std::string(type);
  }

  const OpenOptions* options_;
  TraceBuilder* out_;
  SqliteTables tables_;
  NumbersById<1> links_;  // calls by operation
  size_t near_ = 0;
  uint64_t of_tracer_ = 0;
  bool whole_ = true;
};

bool is_rpd(const SqliteTables& tables) {
  const auto names = tables.names(false);
  return std::any_of(names.begin(), names.end(), [](std::string_view name) {
    return same_ignoring_case(name, "rocpd_op") || same_ignoring_case(name, "rocpd_api");
  });
}

constexpr std::array<std::string_view, 1> rpd_extensions{".rpd"};

}  // namespace

const TraceFormat rpd_format{
    .name = "rpd",
    .kind = "traces of rocmProfileData (.rpd)",
    .summary = "SQLite of rocmProfileData (.rpd), any schema",
    .extensions = rpd_extensions,
    .carries = "launches, streams, steps, metrics",
    .sniff = is_sqlite,
    .read = read_sqlite,
    .sniff_tables = is_rpd,
    .read_tables = [](sqlite::Database& database, const OpenOptions& options, TraceBuilder& out) {
      return RpdReader(database, options, out).run();
    }};

}  // namespace kr::trace

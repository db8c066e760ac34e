// Pages of Nsight Compute: `ncu --csv`, of a run or of a report (`--import`), as `--page details`
// or `--page raw`.
//
// ncu runs one kernel after the other and tells how long each took, not when. So operations follow
// each other without a gap in the order of their IDs, whatever their device and stream: elapsed is
// total.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "trace/format.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/ncu_rows.hpp"

namespace kr::trace {
namespace {

constexpr const char* duration_remedy =
    "profile with the metric gpu__time_duration.sum (`ncu --csv --metrics "
    "gpu__time_duration.sum`), or the section SpeedOfLight";
constexpr size_t most_unknown_metrics = 5;  // that a message names

/// Pages of ncu, for a CsvStream.
class NcuTable {
 public:
  using Layout = NcuLayout;
  using Rows = NcuRows;
  using Parser = NcuRowParser;

  NcuTable(Input& input, TraceBuilder& out) : input_(&input), out_(&out) {}

  const NcuLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  NcuRowParser parser() const { return {}; }

  bool line(std::string_view text, const TextPlace& place) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::string_view bare = trimmed(text);
    if (bare.empty() || is_ncu_message(bare)) return true;
    CsvRow row;
    row.read(bare);
    if (auto header = read_ncu_header(row.cells)) {
      begin_page(std::move(*header), place);
      return true;
    }
    return !waiting_ || units(row, place);
  }

  void merge(const NcuRows& rows, const TextPlace&) {
    for (const NcuKernel& kernel : rows.kernels) add(kernel);
    for (const std::string_view metric : rows.metrics) remember_metric(metric);
  }

  void finish() {
    if (waiting_) layout_ = std::move(waiting_);
    if (pages_ == 0) {
      out_->warn("no-gpu-work", "ncu printed no page: no kernel was profiled.");
    } else if (kernels_.empty()) {
      out_->warn("no-gpu-work", "The page has a header and no rows: no kernel was profiled.");
    } else {
      lay_out();
    }
  }

 private:
  /// A page, ID and process.
  using Key = std::tuple<size_t, int64_t, int64_t>;
  struct Kernel {
    NameId name;
    TrackId track;
    int rank;
    int64_t duration_ns;
    int rounded_to;
    uint64_t offset;
  };

  void begin_page(NcuLayout layout, const TextPlace& place) {
    if (layout.metric && !layout.metric->value) {
      throw Error(input_->shown(), place.where(),
                  "the header of an ncu page has no column `Metric Value`",
                  "export it again with `ncu --csv`");
    }
    ++pages_;
    layout_.reset();
    waiting_.reset();
    if (layout.metric) {
      layout_ = std::move(layout);
      return;
    }
    for (const std::string& title : layout.titles) {
      if (title.find("__") != title.npos) remember_metric(title);
    }
    waiting_ = std::move(layout);
  }

  // Below the header of a page with a column a metric: false where units were taken out, and this
  // is a row.
  bool units(const CsvRow& row, const TextPlace& place) {
    layout_ = std::move(waiting_);
    waiting_.reset();
    if (row.cells.size() <= layout_->id || !row.cells[layout_->id].empty()) return false;
    if (!layout_->duration || layout_->duration->column >= row.cells.size()) return true;
    const std::string_view unit = row.cells[layout_->duration->column];
    const auto exponent = ncu_unit(unit);
    if (!exponent) {
      throw Error(input_->shown(), place.where(),
                  fmt::format("`{}` is in `{}`, which is not a unit of time",
                              layout_->duration->title, shown_text(unit)));
    }
    layout_->duration->exponent = *exponent;
    return true;
  }

  void add(const NcuKernel& found) {
    const auto [known, added] = kernels_.try_emplace({pages_, found.id, found.process});
    Kernel& kernel = known->second;
    if (added) {
      kernel = {out_->name(found.name, OperationKind::kernel),
                out_->track({found.device, found.stream, {}}),
                0,
                0,
                0,
                found.offset};
    }
    if (found.rank <= kernel.rank) return;
    kernel.rank = found.rank;
    kernel.duration_ns = found.duration_ns;
    kernel.rounded_to = found.rounded_to;
  }

  void remember_metric(std::string_view name) {
    const bool known = std::find(metrics_.begin(), metrics_.end(), name) != metrics_.end();
    if (!known && metrics_.size() < most_unknown_metrics) metrics_.emplace_back(name);
  }

  // One kernel after the other.
  void lay_out() {
    int64_t now = 0;
    int rounded_to = 0;
    uint64_t unmeasured = 0;
    uint64_t first_unmeasured = std::numeric_limits<uint64_t>::max();
    for (const auto& [key, kernel] : kernels_) {
      if (kernel.rank == 0) {
        ++unmeasured;
        first_unmeasured = std::min(first_unmeasured, kernel.offset);
        continue;
      }
      rounded_to = std::max(rounded_to, kernel.rounded_to);
      out_->add({now, kernel.duration_ns, kernel.name, kernel.track});
      if (__builtin_add_overflow(now, kernel.duration_ns, &now)) {
        throw Error(input_->shown(), "all durations together do not fit in 64 bits of nanoseconds");
      }
    }
    if (unmeasured == kernels_.size()) {
      throw Error(
          input_->shown(),
          fmt::format("has no duration of a kernel: its metrics are {}",
                      metrics_.empty() ? "none" : fmt::format("{}", fmt::join(metrics_, ", "))),
          duration_remedy);
    }
    if (unmeasured != 0) {
      out_->add_dropped("kernel without a duration: dropped", first_unmeasured, unmeasured);
      out_->warn("no-duration", fmt::format("{} of {} have no duration and are dropped.",
                                            unmeasured, plural(kernels_.size(), "kernel")));
    }
    out_->warn("times-in-sequence",
               "ncu reports durations but no start times: kernels are read as one after the other, "
               "in order of ID.");
    if (rounded_to != 0) {
      int64_t unit = 1;
      for (int i = 0; i < rounded_to; ++i) unit *= 10;
      out_->inexact(
          fmt::format("ncu rounded durations to {} ns; `--print-units base` prints "
                      "nanoseconds",
                      unit));
    }
  }

  Input* input_;
  TraceBuilder* out_;
  std::optional<NcuLayout> layout_;
  std::optional<NcuLayout> waiting_;  // for the row below the header
  size_t pages_ = 0;
  std::map<Key, Kernel> kernels_;
  std::vector<std::string> metrics_;
};

constexpr std::array<std::string_view, 1> ncu_csv_extensions{".csv"};

void read_ncu_csv(Input& input, TraceBuilder& out) {
  NcuTable table(input, out);
  CsvStream(input, out, table).run();
  warn_where_cut_off(input, out);
  table.finish();
}

}  // namespace

const TraceFormat ncu_csv_format{.name = "ncu-csv",
                                 .kind = "ncu CSV",
                                 .summary = "CSV of `ncu --csv`, `--page details` or `--page raw`",
                                 .extensions = ncu_csv_extensions,
                                 .sniff = may_be_ncu_csv,
                                 .read = read_ncu_csv};

}  // namespace kr::trace

// Kernels by the NVTX ranges in which they were launched, as `nsys stats` does.
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyze/run.hpp"
#include "base/hash.hpp"
#include "tables/nsys_ranges.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::HostRange;
using trace::HostTrace;

/// What one row of `nvtx_kern_sum` is about; numbers are `RangeGroups::none` where there is none.
struct RangeKernel {
  uint32_t group = RangeGroups::none;
  uint32_t thread = RangeGroups::none;
  uint32_t name = 0;

  friend bool operator==(const RangeKernel&, const RangeKernel&) = default;
};

struct RangeKernelHash {
  size_t operator()(const RangeKernel& key) const noexcept {
    return hash_numbers(uint64_t{key.group} << 32 | key.thread, key.name);
  }
};

/// Kernels with the ranges around their launch, as rows of `nvtx_kern_sum`.
class RangeKernels {
 public:
  explicit RangeKernels(const trace::Trace& trace) : trace_(trace), names_(*trace.host) {
    each([&](uint32_t row, uint32_t range, size_t kernel) {
      count(kernels_, last_kernel_, row, kernel);
      if (range != HostRange::none && last_range_[row] != range) {
        last_range_[row] = range;
        pairs_.push_back(uint64_t{row} << 32 | range);
      }
    });
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    ranges_.resize(keys_.size());
    for (const uint64_t pair : pairs_) ++ranges_[pair >> 32];
  }

  /// Calls `to(row, range, operation)`: once for each range around a kernel, or once without one.
  template <class To>
  void each(const To& to) {
    const HostTrace& host = *trace_.host;
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::NameId id = trace_.operations[i].name;
      const trace::OperationName& name = trace_.names.get(id);
      if (name.kind != OperationKind::kernel || is_whole_graph(name)) continue;
      const trace::Launch* const launch = host.launch(i);
      RangeKernel key{.name = id.index};
      bool enclosed = false;
      if (launch != nullptr) {
        key.thread = launch->thread;
        each_enclosing(host, *launch, [&](uint32_t range) {
          enclosed = true;
          key.group = names_.group(host.ranges[range]);
          to(number(key), range, i);
        });
      }
      if (!enclosed) to(number(key), HostRange::none, i);
    }
  }
  const std::vector<RangeKernel>& keys() const noexcept { return keys_; }
  const RangeTitle& title(const RangeKernel& key) const { return names_.titles()[key.group]; }
  int64_t ranges(size_t row) const { return ranges_[row]; }
  int64_t kernels(size_t row) const { return kernels_[row]; }

 private:
  uint32_t number(const RangeKernel& key) {
    const auto [at, added] = numbers_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (added) {
      keys_.push_back(key);
      kernels_.push_back(0);
      last_kernel_.push_back(SIZE_MAX);
      last_range_.push_back(HostRange::none);
    }
    return at->second;
  }
  static void count(std::vector<int64_t>& counts, std::vector<size_t>& last, uint32_t row,
                    size_t kernel) {
    if (last[row] == kernel) return;
    last[row] = kernel;
    ++counts[row];
  }

  const trace::Trace& trace_;
  RangeGroups names_;
  std::unordered_map<RangeKernel, uint32_t, RangeKernelHash> numbers_;
  std::vector<RangeKernel> keys_;
  // By row.
  std::vector<int64_t> kernels_, ranges_;
  std::vector<size_t> last_kernel_;
  std::vector<uint32_t> last_range_;
  std::vector<uint64_t> pairs_;  // row and range, distinct in the end
};

/// As nsys orders rows: by range, thread and descending total. Those without a range or thread come
/// first.
std::vector<size_t> in_order(const trace::Trace& trace, const RangeKernels& kernels,
                             const std::vector<analyze::Spread>& spreads) {
  const auto place = [&](size_t number) {
    const RangeKernel& key = kernels.keys()[number];
    const bool named = key.group != RangeGroups::none;
    const RangeTitle title = named ? kernels.title(key) : RangeTitle{};
    return std::tuple(named, title.domain, title.name, key.thread + 1, -spreads[number].moments.sum,
                      trace.names.get(trace::NameId{key.name}).text);
  };
  std::vector<size_t> order(spreads.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

struct RangeKernelRow : Parts<Run, analyze::Spread, RangeTitle>, NamedRow {
  const trace::HostThread* thread;  // null: there is none
  int64_t ranges;
  int64_t kernels;
};

void add_range_kernels(const Source& source, Rows<RangeKernelRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.host) continue;
    const NameLabels labels(source, run);
    RangeKernels kernels(trace);
    const auto spreads = analyze::spreads(kernels.keys().size(), [&](const auto& add) {
      kernels.each([&](uint32_t number, uint32_t, size_t operation) {
        add(number, trace.operations[operation].duration_ns);
      });
    });
    for (const size_t number : in_order(trace, kernels, spreads)) {
      const RangeKernel& key = kernels.keys()[number];
      const trace::NameId name{key.name};
      rows.add({{run, spreads[number],
                 key.group != RangeGroups::none ? kernels.title(key) : RangeTitle()},
                {labels, name, trace.names.get(name).text},
                key.thread != RangeGroups::none ? &trace.host->threads[key.thread] : nullptr,
                kernels.ranges(number),
                kernels.kernels(number)});
    }
  }
}

Columns<RangeKernelRow> range_kernel_columns() {
  using Row = RangeKernelRow;
  Columns<Row> range = range_columns<Row>();
  for (Column& column : range.columns) column.optional = column.id != "run";
  return {range,
          {"pid", Unit::id, Role::key, "The process of the launch.",
           [](const Row& row) { return row.thread != nullptr ? pid_of(*row.thread) : Cell(); },
           optional},
          {"tid", Unit::id, Role::key, "The thread of the launch.",
           [](const Row& row) { return row.thread != nullptr ? tid_of(*row.thread) : Cell(); },
           optional},
          name_columns<Row>("kernel", "The name of the kernel."),
          {"ranges", Unit::count, Role::measure, "Ranges that enclose launches of the kernel.",
           &Row::ranges},
          {"instances", Unit::count, Role::measure, "Kernels that were launched inside.",
           &Row::kernels},
          {"total_ns", Unit::ns, Role::measure,
           "The sum of their durations; a kernel inside several ranges of this text counts once "
           "for each.",
           sum_of},
          duration_columns<Row>()};
}

}  // namespace

const Definition nvtx_kern_sum_table = TableOf<RangeKernelRow>{
    stats_info<RangeKernelRow>(
        "nvtx_kern_sum", "kernels by NVTX range",
        "One row per run, text of NVTX ranges, thread and name of kernels launched inside; without "
        "a text for kernels outside of all ranges. A kernel counts in every range that encloses "
        "its launch.",
        range_kernel_columns(),
        {{"NVTX Range", {"domain", "name"}, AliasForm::scoped},
         {"Style", {"style"}},
         {"PID", {"pid"}},
         {"TID", {"tid"}},
         {"NVTX Inst", {"ranges"}},
         {"Kern Inst", {"instances"}},
         {"Total Time (ns)", {"total_ns"}},
         {"Avg (ns)", {"mean_ns"}},
         {"Med (ns)", {"median_ns"}},
         {"Min (ns)", {"min_ns"}},
         {"Max (ns)", {"max_ns"}},
         {"StdDev (ns)", {"stddev_ns"}},
         {"Kernel Name", {"kernel"}}}),
    needs<analyze::LabelledTrace>, add_range_kernels, without_ranges, facts::Reads::host};

}  // namespace kr::tables

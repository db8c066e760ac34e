// NVTX ranges, and the operations that were launched inside them, as `nsys stats` sums them.
//
// A range encloses an operation if the call that launched it lies within the range, on the same
// thread. Ranges that end on another thread enclose none here, as in nsys.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "tables/nsys_stats.hpp"

namespace kr::tables {
namespace {

using trace::HostRange;
using trace::HostTrace;
using Form = HostRange::Form;

bool is_nvtx(const HostRange& range) noexcept {
  return range.form != Form::call;
}

/// As nsys has it.
std::string_view style_of(Form form) noexcept {
  return form == Form::start_end ? "StartEnd" : "PushPop";
}

/// What a range is called, and the domain of NVTX that it is in; empty: the default one.
struct RangeTitle {
  std::string_view domain;
  std::string_view name;
  Form form = Form::call;

  friend auto operator<=>(const RangeTitle&, const RangeTitle&) = default;
};

RangeTitle title_of(const HostTrace& host, const HostRange& range) {
  return {{}, host.range_names[range.name], range.form};
}

/// Ranges of one title are one group.
class RangeGroups {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  explicit RangeGroups(const HostTrace& host) {
    std::map<RangeTitle, uint32_t> known;
    by_name_.resize(host.range_names.size(), {none, none});
    for (const HostRange& range : host.ranges) {
      if (!is_nvtx(range) || group(range) != none) continue;
      const RangeTitle title = title_of(host, range);
      const auto next = static_cast<uint32_t>(titles_.size());
      const auto [at, added] = known.try_emplace(title, next);
      if (added) titles_.push_back(title);
      by_name_[range.name][place(range)] = at->second;
    }
  }
  uint32_t group(const HostRange& range) const noexcept {
    return by_name_[range.name][place(range)];
  }
  const std::vector<RangeTitle>& titles() const noexcept { return titles_; }

 private:
  static size_t place(const HostRange& range) noexcept {
    return range.form == Form::start_end ? 1 : 0;
  }
  std::vector<std::array<uint32_t, 2>> by_name_;
  std::vector<RangeTitle> titles_;
};

/// When the last range begins or ends: one that was open when profiling ended is shown to last till
/// then.
int64_t last_time(const HostTrace& host) {
  int64_t last = 0;
  for (const HostRange& range : host.ranges) {
    if (!is_nvtx(range)) continue;
    const bool open = range.end_ns == std::numeric_limits<int64_t>::max();
    last = std::max(last, open ? range.start_ns : range.end_ns);
  }
  return last;
}

/// Calls `to(range)` for each that encloses the call, the innermost first.
template <class To>
void each_enclosing(const HostTrace& host, const trace::Launch& launch, const To& to) {
  const auto [first, end] = host.ranges_of(launch.thread);
  const HostRange* const ranges = host.ranges.begin();
  const HostRange* const after =
      std::upper_bound(ranges + first, ranges + end, launch.start_ns,
                       [](int64_t time, const HostRange& range) { return time < range.start_ns; });
  if (after == ranges + first) return;
  for (auto at = static_cast<uint32_t>(after - ranges - 1); at != HostRange::none;
       at = ranges[at].parent) {
    if (is_nvtx(ranges[at]) && ranges[at].end_ns >= launch.end_ns()) to(at);
  }
}

enum class Styles : uint8_t { all, push_pop, start_end };

template <Styles styles>
bool is_wanted(const HostRange& range) {
  if (styles == Styles::push_pop) return range.form == Form::push_pop;
  return styles == Styles::all ? is_nvtx(range) : range.form == Form::start_end;
}

template <Styles styles>
void add_ranges(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.trace->trace.host.get();
    if (host == nullptr) continue;
    const RangeGroups names(*host);
    const int64_t last = last_time(*host);
    const auto spreads = analyze::spreads(names.titles().size(), [&](const auto& add) {
      for (const HostRange& range : host->ranges) {
        if (!is_wanted<styles>(range)) continue;
        add(names.group(range), std::min(range.end_ns, last) - range.start_ns);
      }
    });
    std::vector<SpreadGroup> groups;
    groups.reserve(names.titles().size());
    for (const RangeTitle& title : names.titles()) groups.push_back({title.name, groups.size()});
    const int64_t total_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(std::move(groups), spreads)) {
      const RangeTitle& title = names.titles()[one.group];
      row.assign({run.summary.id, table::cell_or_nothing(title.domain), title.name,
                  style_of(title.form), ratio_of(spreads[one.group].moments.sum, total_ns)});
      append_spread(spreads[one.group], row);
      sink.row(row);
    }
  }
}

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

void add_range_kernels(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.trace->trace;
    if (!trace.host) continue;
    const NameLabels labels(source, run);
    RangeKernels kernels(trace);
    const auto spreads = analyze::spreads(kernels.keys().size(), [&](const auto& add) {
      kernels.each([&](uint32_t number, uint32_t, size_t operation) {
        add(number, trace.operations[operation].duration_ns);
      });
    });
    const auto place = [&](size_t number) {
      const RangeKernel& key = kernels.keys()[number];
      const bool named = key.group != RangeGroups::none;
      // Rows without a thread or range come first, as nothing does in SQLite.
      return std::tuple(named ? kernels.title(key).domain : "",
                        named ? kernels.title(key).name : "", named, key.thread + 1,
                        -spreads[number].moments.sum,
                        trace.names.get(trace::NameId{key.name}).text);
    };
    std::vector<size_t> order(spreads.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
    for (const size_t number : order) {
      const RangeKernel& key = kernels.keys()[number];
      const trace::NameId name{key.name};
      const bool named = key.group != RangeGroups::none;
      const trace::HostThread* const thread =
          key.thread != RangeGroups::none ? &trace.host->threads[key.thread] : nullptr;
      row.assign({run.summary.id,
                  named ? table::cell_or_nothing(kernels.title(key).domain) : Cell(),
                  named ? Cell(kernels.title(key).name) : Cell(),
                  named ? Cell(style_of(kernels.title(key).form)) : Cell(),
                  thread != nullptr ? pid_of(*thread) : Cell(),
                  thread != nullptr ? tid_of(*thread) : Cell(), trace.names.get(name).text});
      labels.append(name, row);
      const analyze::Spread& spread = spreads[number];
      row.insert(row.end(), {kernels.ranges(number), kernels.kernels(number), spread.moments.sum,
                             spread.moments.mean(), spread.median, spread.moments.min,
                             spread.moments.max, spread.moments.deviation()});
      sink.row(row);
    }
  }
}

/// What the operations launched inside each range span on the devices.
struct Projection {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = 0;
  int64_t operations = 0;
  int64_t children = 0;  // ranges directly inside that have operations
  int64_t level = 0;     // ranges that enclose it

  bool any() const noexcept { return operations > 0; }
};

std::vector<Projection> projections_of(const trace::Trace& trace) {
  const HostTrace& host = *trace.host;
  std::vector<Projection> all(host.ranges.size());
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Launch* const launch = host.launch(i);
    if (launch == nullptr) continue;
    const trace::Operation& operation = trace.operations[i];
    each_enclosing(host, *launch, [&](uint32_t range) {
      Projection& one = all[range];
      one.first_ns = std::min(one.first_ns, operation.start_ns);
      one.last_ns = std::max(one.last_ns, operation.end_ns());
      ++one.operations;
    });
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].any()) continue;
    uint32_t outer = host.ranges[i].parent;
    while (outer != HostRange::none &&
           (!is_nvtx(host.ranges[outer]) || host.ranges[outer].end_ns < host.ranges[i].end_ns)) {
      outer = host.ranges[outer].parent;
    }
    if (outer == HostRange::none) continue;
    all[i].level = all[outer].level + 1;
    ++all[outer].children;
  }
  return all;
}

/// Sums over the ranges of a group that have operations.
struct ProjectionSum {
  int64_t range_ns = 0;
  int64_t operations = 0;
  int64_t children = 0;
  int64_t levels = 0;
};

void add_projections(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.trace->trace;
    if (!trace.host) continue;
    const HostTrace& host = *trace.host;
    const RangeGroups names(host);
    const int64_t last = last_time(host);
    const std::vector<Projection> all = projections_of(trace);
    std::vector<ProjectionSum> sums(names.titles().size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].any()) continue;
      const HostRange& range = host.ranges[i];
      ProjectionSum& sum = sums[names.group(range)];
      sum.range_ns += std::min(range.end_ns, last) - range.start_ns;
      sum.operations += all[i].operations;
      sum.children += all[i].children;
      sum.levels += all[i].level;
    }
    const auto spreads = analyze::spreads(sums.size(), [&](const auto& add) {
      for (size_t i = 0; i < all.size(); ++i) {
        if (all[i].any()) add(names.group(host.ranges[i]), all[i].last_ns - all[i].first_ns);
      }
    });
    std::vector<SpreadGroup> groups;
    groups.reserve(sums.size());
    for (const RangeTitle& title : names.titles()) groups.push_back({title.name, groups.size()});
    for (const SpreadGroup& one : by_total(std::move(groups), spreads)) {
      const RangeTitle& title = names.titles()[one.group];
      const analyze::Spread& spread = spreads[one.group];
      const ProjectionSum& sum = sums[one.group];
      const auto mean = [&](int64_t of) { return ratio_of(of, spread.moments.count); };
      row.assign({run.summary.id, table::cell_or_nothing(title.domain), title.name,
                  style_of(title.form), spread.moments.sum, sum.range_ns, spread.moments.count,
                  spread.moments.mean(), spread.median, spread.moments.min, spread.moments.max,
                  spread.moments.deviation(), sum.operations, mean(sum.operations),
                  mean(sum.levels), mean(sum.children)});
      sink.row(row);
    }
  }
}

template <Styles styles>
std::string without_ranges(const Source& source) {
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.trace->trace.host.get();
    if (host == nullptr) continue;
    if (std::any_of(host->ranges.begin(), host->ranges.end(), is_wanted<styles>)) return {};
  }
  return styles == Styles::all ? "no trace contains NVTX ranges"
                               : "no trace contains NVTX ranges of this kind";
}

std::vector<Column> range_key() {
  return {{"run", Unit::text, Role::key, "The run."},
          {"domain", Unit::text, Role::key, "The domain of NVTX; empty: the default one.", true},
          {"name", Unit::text, Role::key, "The text of the range."},
          {"style", Unit::text, Role::key,
           "As nsys names it: `PushPop`, or `StartEnd` for a range that may end out of order."}};
}

std::vector<AliasColumn> range_alias(bool with_style) {
  std::vector<AliasColumn> columns;
  if (with_style) columns.push_back({"Style", {"style"}});
  columns.push_back({"Range", {"domain", "name"}, AliasForm::scoped});
  return columns;
}

table::Info range_info(const char* id, const char* title, const std::string& of, bool with_style) {
  return stats_info(
      id, title, "One row per run and text of " + of + ", by descending total time on the host.",
      with_times(range_key(), "ranges"), time_alias("Instances", range_alias(with_style)));
}

table::Info range_kernels_info() {
  std::vector<Column> columns = range_key();
  for (Column& column : columns) column.optional = column.id != "run";
  columns.insert(columns.end(), {{"pid", Unit::id, Role::key, "The process of the launch.", true},
                                 {"tid", Unit::id, Role::key, "The thread of the launch.", true}});
  std::vector<Column> name = name_key("kernel", "The name of the kernel.");
  columns.insert(columns.end(), name.begin() + 1, name.end());
  columns.insert(
      columns.end(),
      {{"ranges", Unit::count, Role::measure, "Ranges that enclose launches of the kernel."},
       {"instances", Unit::count, Role::measure, "Kernels that were launched inside."},
       {"total_ns", Unit::ns, Role::measure,
        "The sum of their durations; a kernel inside several ranges of this text counts once for "
        "each."},
       {"mean_ns", Unit::ns, Role::measure, "The mean duration."},
       {"median_ns", Unit::ns, Role::measure, "The median duration."},
       {"min_ns", Unit::ns, Role::detail, "The shortest duration."},
       {"max_ns", Unit::ns, Role::detail, "The longest duration."},
       {"stddev_ns", Unit::ns, Role::detail,
        "The standard deviation of the sample of durations; 0 for one."}});
  return stats_info("nvtx_kern_sum", "kernels by NVTX range",
                    "One row per run, text of NVTX ranges, thread and name of kernels launched "
                    "inside; without a text for kernels outside of all ranges. A kernel counts in "
                    "every range that encloses its launch.",
                    std::move(columns),
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
                     {"Kernel Name", {"kernel"}}});
}

table::Info projection_info() {
  std::vector<Column> columns = range_key();
  columns.insert(
      columns.end(),
      {{"total_ns", Unit::ns, Role::measure,
        "The sum of the projected times: of each range, from the start of the first operation that "
        "was launched inside to the end of the last one."},
       {"range_ns", Unit::ns, Role::measure,
        "The sum of the durations of these ranges on the host."},
       {"instances", Unit::count, Role::measure, "Ranges in which operations were launched."},
       {"mean_ns", Unit::ns, Role::measure, "The mean projected time."},
       {"median_ns", Unit::ns, Role::measure, "The median projected time."},
       {"min_ns", Unit::ns, Role::detail, "The shortest projected time."},
       {"max_ns", Unit::ns, Role::detail, "The longest projected time."},
       {"stddev_ns", Unit::ns, Role::detail,
        "The standard deviation of the sample of projected times; 0 for one."},
       {"operations", Unit::count, Role::measure, "Operations that were launched inside."},
       {"operations_mean", Unit::count, Role::detail, "Their mean number per range."},
       {"level_mean", Unit::count, Role::detail,
        "How many ranges enclose the range on its thread, in the mean."},
       {"children_mean", Unit::count, Role::detail,
        "How many ranges with operations are directly inside, in the mean."}});
  return stats_info("nvtx_gpu_proj_sum", "NVTX ranges projected on the GPU",
                    "One row per run and text of NVTX ranges in which operations were launched, by "
                    "descending projected time.",
                    std::move(columns),
                    {{"Range", {"domain", "name"}, AliasForm::scoped},
                     {"Style", {"style"}},
                     {"Total Proj Time (ns)", {"total_ns"}},
                     {"Total Range Time (ns)", {"range_ns"}},
                     {"Range Instances", {"instances"}},
                     {"Proj Avg (ns)", {"mean_ns"}},
                     {"Proj Med (ns)", {"median_ns"}},
                     {"Proj Min (ns)", {"min_ns"}},
                     {"Proj Max (ns)", {"max_ns"}},
                     {"Proj StdDev (ns)", {"stddev_ns"}},
                     {"Total GPU Ops", {"operations"}},
                     {"Avg GPU Ops", {"operations_mean"}},
                     {"Avg Range Lvl", {"level_mean"}},
                     {"Avg Num Child", {"children_mean"}}});
}

}  // namespace

const Definition nvtx_sum_table{range_info("nvtx_sum", "NVTX ranges", "NVTX ranges", true),
                                Needs::operations, add_ranges<Styles::all>,
                                without_ranges<Styles::all>};

const Definition nvtx_pushpop_sum_table{
    range_info("nvtx_pushpop_sum", "NVTX push/pop ranges",
               "NVTX ranges that were pushed and popped", false),
    Needs::operations, add_ranges<Styles::push_pop>, without_ranges<Styles::push_pop>};

const Definition nvtx_startend_sum_table{
    range_info("nvtx_startend_sum", "NVTX start/end ranges",
               "NVTX ranges that were started and ended", false),
    Needs::operations, add_ranges<Styles::start_end>, without_ranges<Styles::start_end>};

const Definition nvtx_kern_sum_table{range_kernels_info(), Needs::operations, add_range_kernels,
                                     without_ranges<Styles::all>};

const Definition nvtx_gpu_proj_sum_table{projection_info(), Needs::operations, add_projections,
                                         without_ranges<Styles::all>};

}  // namespace kr::tables

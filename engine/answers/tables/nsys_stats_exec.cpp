// Kernels with the calls that launched them, as `nsys stats` shows them.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "analyze/run.hpp"
#include "tables/nsys_stats.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

/// A kernel and the call that launched it.
struct Execution {
  const trace::Launch* launch;
  int64_t total_ns;
  std::optional<int64_t> queue_ns;  // none: it began before the call returned
};

/// None: it is not a kernel, or its launch is not in the trace.
std::optional<Execution> execution_of(const trace::Trace& trace, size_t operation) {
  const trace::Operation& kernel = trace.operations[operation];
  const trace::OperationName& name = trace.names.get(kernel.name);
  const trace::Launch* const launch = trace.host ? trace.host->launch(operation) : nullptr;
  if (launch == nullptr || name.kind != OperationKind::kernel || is_whole_graph(name)) {
    return std::nullopt;
  }
  const int64_t queue_ns = kernel.start_ns - launch->end_ns();
  return Execution{launch, std::max(launch->end_ns(), kernel.end_ns()) - launch->start_ns,
                   queue_ns >= 0 ? std::optional(queue_ns) : std::nullopt};
}

/// Kernels with a launch, in its order.
std::vector<uint32_t> by_launch(const trace::Trace& trace) {
  std::vector<uint32_t> order;
  order.reserve(trace.operations.size());
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    if (execution_of(trace, i)) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const int64_t left = trace.host->launch(a)->start_ns;
    const int64_t right = trace.host->launch(b)->start_ns;
    return left != right ? left < right : a < b;
  });
  return order;
}

void add_exec_trace(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    const NameLabels labels(source, run);
    const trace::OperationDetail unknown;
    for (const uint32_t operation : by_launch(trace)) {
      const Execution one = *execution_of(trace, operation);
      const trace::Operation& kernel = trace.operations[operation];
      const trace::HostThread& thread = trace.host->threads[one.launch->thread];
      const trace::HostCall& call = trace.host->calls[one.launch->call];
      const Cell queue_start = one.queue_ns ? Cell(one.launch->end_ns()) : Cell();
      row.assign({run.summary.id, one.launch->start_ns, one.launch->duration_ns, queue_start,
                  table::cell(one.queue_ns), kernel.start_ns, kernel.duration_ns, one.total_ns,
                  pid_of(thread), tid_of(thread), int64_t{trace.track(kernel.track).device},
                  call.name, table::cell_or_nothing(call.version)});
      append_shape(trace.details ? trace.details->of(operation) : unknown, row);
      row.push_back(trace.names.get(kernel.name).text);
      labels.append(kernel.name, row);
      sink.row(row);
    }
  }
}

enum Part : size_t { total_part, api_part, queue_part, kernel_part, parts_count };

/// What one row of `cuda_kern_exec_sum` is about.
struct ExecutionKey {
  uint32_t thread;
  int32_t device;
  uint32_t call;
  uint32_t name;

  friend auto operator<=>(const ExecutionKey&, const ExecutionKey&) = default;
};

/// As nsys orders rows: by the mean of the whole, as it prints it.
double printed(double mean) {
  return std::floor(mean * 10 + 0.5);
}

/// Kernels by what their row is about.
class ExecutionGroups {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  explicit ExecutionGroups(const trace::Trace& trace) : trace_(trace) {
    std::map<ExecutionKey, uint32_t> numbers;
    group_of_.reserve(trace.operations.size());
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const auto one = execution_of(trace, i);
      group_of_.push_back(one ? number(numbers, *one->launch, trace.operations[i]) : none);
    }
    for (size_t part = 0; part < parts_count; ++part) {
      spreads_[part] = analyze::spreads(keys_.size(), [&](const auto& add) {
        for (size_t i = 0; i < group_of_.size(); ++i) {
          if (group_of_[i] == none) continue;
          if (const auto value = value_of(static_cast<Part>(part), i)) add(group_of_[i], *value);
        }
      });
    }
  }
  const ExecutionKey& key(size_t group) const { return keys_[group]; }
  const analyze::Spread& spread(Part part, size_t group) const { return spreads_[part][group]; }

  std::vector<size_t> by_mean_total() const {
    const auto mean = [&](size_t group) {
      return printed(spread(total_part, group).moments.mean());
    };
    const auto rest = [&](size_t group) {
      const ExecutionKey& key = keys_[group];
      return std::tuple(key.thread, key.device, std::string_view(trace_.host->calls[key.call].name),
                        trace_.names.get(trace::NameId{key.name}).text);
    };
    std::vector<size_t> order(keys_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return mean(a) != mean(b) ? mean(a) > mean(b) : rest(a) < rest(b);
    });
    return order;
  }

 private:
  uint32_t number(std::map<ExecutionKey, uint32_t>& numbers, const trace::Launch& launch,
                  const trace::Operation& kernel) {
    const ExecutionKey key{launch.thread, trace_.track(kernel.track).device, launch.call,
                           kernel.name.index};
    const auto next = static_cast<uint32_t>(keys_.size());
    const auto [at, added] = numbers.try_emplace(key, next);
    if (added) keys_.push_back(key);
    return at->second;
  }
  std::optional<int64_t> value_of(Part part, size_t operation) const {
    const Execution one = *execution_of(trace_, operation);
    switch (part) {
      case total_part:
        return one.total_ns;
      case api_part:
        return one.launch->duration_ns;
      case queue_part:
        return one.queue_ns;
      case kernel_part:
      case parts_count:
        break;
    }
    return trace_.operations[operation].duration_ns;
  }

  const trace::Trace& trace_;
  std::vector<uint32_t> group_of_;  // by operation
  std::vector<ExecutionKey> keys_;  // by group
  std::array<std::vector<analyze::Spread>, parts_count> spreads_;
};

/// mean, median, min, max and deviation; nothing where there is no value.
void append_part(const analyze::Spread& spread, Cells& row) {
  const analyze::Moments& moments = spread.moments;
  if (moments.count == 0) {
    row.resize(row.size() + 5);
    return;
  }
  row.insert(row.end(),
             {moments.mean(), spread.median, moments.min, moments.max, moments.deviation()});
}

void add_exec_sum(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    const NameLabels labels(source, run);
    const ExecutionGroups groups(trace);
    for (const size_t group : groups.by_mean_total()) {
      const ExecutionKey& key = groups.key(group);
      const trace::HostThread& thread = trace.host->threads[key.thread];
      const trace::HostCall& call = trace.host->calls[key.call];
      const trace::NameId name{key.name};
      row.assign({run.summary.id, pid_of(thread), tid_of(thread), int64_t{key.device}, call.name,
                  table::cell_or_nothing(call.version), trace.names.get(name).text});
      labels.append(name, row);
      row.push_back(groups.spread(total_part, group).moments.count);
      row.push_back(groups.spread(queue_part, group).moments.count);
      for (size_t part = 0; part < parts_count; ++part) {
        append_part(groups.spread(static_cast<Part>(part), group), row);
      }
      sink.row(row);
    }
  }
}

std::vector<Column> thread_columns() {
  return {{"pid", Unit::id, Role::key, "The process of the call.", true},
          {"tid", Unit::id, Role::key, "The thread of the call.", true},
          {"device", Unit::id, Role::key, "The number of the device."}};
}

std::vector<Column> exec_trace_columns() {
  std::vector<Column> columns{
      {"run", Unit::text, Role::key, "The run."},
      {"api_start_ns", Unit::ns, Role::key, "The start of the call that launched the kernel."},
      {"api_duration_ns", Unit::ns, Role::measure, "The duration of the call."},
      {"queue_start_ns", Unit::ns, Role::detail,
       "The end of the call; empty if the kernel began before.", true},
      {"queue_ns", Unit::ns, Role::measure,
       "From the end of the call to the start of the kernel; empty if it began before.", true},
      {"start_ns", Unit::ns, Role::key, "The start of the kernel, on the clock of the trace."},
      {"duration_ns", Unit::ns, Role::measure, "The duration of the kernel."},
      {"total_ns", Unit::ns, Role::measure,
       "From the start of the call to the end of the kernel or of the call, whichever is later."}};
  for (Column& column : thread_columns()) columns.push_back(std::move(column));
  columns.push_back({"api", Unit::text, Role::measure, "The function that was called."});
  columns.push_back(version_column());
  for (Column& column : shape_columns()) {
    column.role = Role::detail;
    columns.push_back(std::move(column));
  }
  const std::vector<Column> name = name_key("name", "The name of the kernel.");
  columns.insert(columns.end(), name.begin() + 1, name.end());
  return columns;
}

table::Info exec_trace_info() {
  table::Info info =
      stats_info("cuda_kern_exec_trace", "launches and executions of kernels",
                 "One row per kernel whose launch is in the trace, in order of the launch.",
                 exec_trace_columns(),
                 {{"API Start (ns)", {"api_start_ns"}},
                  {"API Dur (ns)", {"api_duration_ns"}},
                  {"Queue Start (ns)", {"queue_start_ns"}},
                  {"Queue Dur (ns)", {"queue_ns"}},
                  {"Kernel Start (ns)", {"start_ns"}},
                  {"Kernel Dur (ns)", {"duration_ns"}},
                  {"Total Dur (ns)", {"total_ns"}},
                  {"PID", {"pid"}},
                  {"TID", {"tid"}},
                  {"DevId", {"device"}},
                  {"API Function", {"api", "version"}, AliasForm::versioned},
                  {"GridXYZ", {"grid_x", "grid_y", "grid_z"}, AliasForm::extent},
                  {"BlockXYZ", {"block_x", "block_y", "block_z"}, AliasForm::extent},
                  {"Kernel Name", {"name"}}});
  info.many_rows = true;
  return info;
}

struct PartColumns {
  const char* id;
  const char* letter;  // of nsys
  const char* doc;
  bool optional;
};
constexpr PartColumns columns_of_parts[] = {
    {"total", "T", "the time from the start of the call to the end of the kernel or call", false},
    {"api", "A", "the duration of the call", false},
    {"queue", "Q", "the time from the end of the call to the start of the kernel", true},
    {"kernel", "K", "the duration of the kernel", false}};

table::Info exec_sum_info() {
  std::vector<Column> columns{{"run", Unit::text, Role::key, "The run."}};
  for (Column& column : thread_columns()) columns.push_back(std::move(column));
  columns.push_back({"api", Unit::text, Role::key, "The function that was called."});
  columns.push_back(version_column());
  const std::vector<Column> name = name_key("name", "The name of the kernel.");
  columns.insert(columns.end(), name.begin() + 1, name.end());
  columns.push_back({"instances", Unit::count, Role::measure, "Kernels."});
  columns.push_back({"queued", Unit::count, Role::measure,
                     "Kernels that began when their call had returned: those of which the queue "
                     "time is known."});
  std::vector<AliasColumn> alias{{"PID", {"pid"}},
                                 {"TID", {"tid"}},
                                 {"DevId", {"device"}},
                                 {"Count", {"instances"}},
                                 {"QCount", {"queued"}}};
  for (const PartColumns& part : columns_of_parts) {
    const std::string id = part.id;
    const std::string of = std::string(" of ") + part.doc + ".";
    columns.insert(columns.end(),
                   {{id + "_mean_ns", Unit::ns, Role::measure, "The mean" + of, part.optional},
                    {id + "_median_ns", Unit::ns, Role::detail, "The median" + of, part.optional},
                    {id + "_min_ns", Unit::ns, Role::detail, "The shortest" + of, part.optional},
                    {id + "_max_ns", Unit::ns, Role::detail, "The longest" + of, part.optional},
                    {id + "_stddev_ns", Unit::ns, Role::detail,
                     "The standard deviation of the sample" + of, part.optional}});
    const std::string letter = part.letter;
    alias.insert(alias.end(), {{letter + "Avg (ns)", {id + "_mean_ns"}},
                               {letter + "Med (ns)", {id + "_median_ns"}},
                               {letter + "Min (ns)", {id + "_min_ns"}},
                               {letter + "Max (ns)", {id + "_max_ns"}},
                               {letter + "StdDev (ns)", {id + "_stddev_ns"}}});
  }
  alias.push_back({"API Name", {"api", "version"}, AliasForm::versioned});
  alias.push_back({"Kernel Name", {"name"}});
  return stats_info("cuda_kern_exec_sum", "launch and execution times of kernels",
                    "One row per run, calling thread, device, function and name of kernels whose "
                    "launch is in the trace, by descending mean time from the call to the end.",
                    std::move(columns), std::move(alias));
}

}  // namespace

const Definition cuda_kern_exec_sum_table{exec_sum_info(), needs<analyze::LabelledTrace>,
                                          add_exec_sum, without_launched_kernels,
                                          facts::Reads::host};

const Definition cuda_kern_exec_trace_table{exec_trace_info(), needs<analyze::LabelledTrace>,
                                            add_exec_trace, without_launched_kernels,
                                            facts::Reads::host | facts::Reads::details};

}  // namespace kr::tables

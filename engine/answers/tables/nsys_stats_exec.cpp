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

struct ExecutionRow
    : Parts<Run, Execution, trace::Launch, trace::Operation, trace::HostThread, trace::HostCall>,
      NamedRow {
  int32_t device;
  const trace::OperationDetail* detail;
};

void add_exec_trace(const Source& source, Rows<ExecutionRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    const NameLabels labels(source, run);
    for (const uint32_t operation : by_launch(trace)) {
      const Execution one = *execution_of(trace, operation);
      const trace::Operation& kernel = trace.operations[operation];
      rows.add({{run, one, *one.launch, kernel, trace.host->threads[one.launch->thread],
                 trace.host->calls[one.launch->call]},
                {labels, kernel.name, trace.names.get(kernel.name).text},
                trace.track(kernel.track).device,
                trace.details ? &trace.details->of(operation) : nullptr});
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

struct ExecutionSumRow : Parts<Run, trace::HostThread, trace::HostCall>, NamedRow {
  int32_t device;
  const ExecutionGroups& groups;
  size_t group;
};

void add_exec_sum(const Source& source, Rows<ExecutionSumRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    const NameLabels labels(source, run);
    const ExecutionGroups groups(trace);
    for (const size_t group : groups.by_mean_total()) {
      const ExecutionKey& key = groups.key(group);
      const trace::NameId name{key.name};
      rows.add({{run, trace.host->threads[key.thread], trace.host->calls[key.call]},
                {labels, name, trace.names.get(name).text},
                key.device,
                groups,
                group});
    }
  }
}

template <class Row>
Columns<Row> thread_columns() {
  return {{"pid", Unit::id, Role::key, "The process of the call.", pid_of, optional},
          {"tid", Unit::id, Role::key, "The thread of the call.", tid_of, optional},
          {head::device, &Row::device}};
}

/// Of one part of the executions.
Columns<ExecutionSumRow> part_columns(Part part, const std::string& id, const std::string& doc,
                                      table::More more = {}) {
  return moment_columns<ExecutionSumRow>(
      {id + "_{}_ns", " of " + doc, " of " + doc, Unit::ns, "shortest", "longest", Role::detail,
       more},
      [part](const ExecutionSumRow& row) { return row.groups.spread(part, row.group); });
}

std::vector<AliasColumn> exec_sum_alias() {
  std::vector<AliasColumn> alias{{"PID", {"pid"}},
                                 {"TID", {"tid"}},
                                 {"DevId", {"device"}},
                                 {"Count", {"instances"}},
                                 {"QCount", {"queued"}}};
  for (const auto& [id, letter] : {std::pair<std::string, std::string>{"total", "T"},
                                   {"api", "A"},
                                   {"queue", "Q"},
                                   {"kernel", "K"}}) {
    alias.insert(alias.end(), {{letter + "Avg (ns)", {id + "_mean_ns"}},
                               {letter + "Med (ns)", {id + "_median_ns"}},
                               {letter + "Min (ns)", {id + "_min_ns"}},
                               {letter + "Max (ns)", {id + "_max_ns"}},
                               {letter + "StdDev (ns)", {id + "_stddev_ns"}}});
  }
  alias.push_back({"API Name", {"api", "version"}, AliasForm::versioned});
  alias.push_back({"Kernel Name", {"name"}});
  return alias;
}

InfoOf<ExecutionRow> exec_trace_info() {
  InfoOf<ExecutionRow> info = stats_info<ExecutionRow>(
      "cuda_kern_exec_trace", "launches and executions of kernels",
      "One row per kernel whose launch is in the trace, in order of the launch.",
      {run_column,
       {"api_start_ns", Unit::ns, Role::key, "The start of the call that launched the kernel.",
        &trace::Launch::start_ns},
       {"api_duration_ns", Unit::ns, Role::measure, "The duration of the call.",
        &trace::Launch::duration_ns},
       {"queue_start_ns", Unit::ns, Role::detail,
        "The end of the call; empty if the kernel began before.",
        [](const Execution& one) {
          return cell_if(one.queue_ns.has_value(), one.launch->end_ns());
        },
        optional},
       {"queue_ns", Unit::ns, Role::measure,
        "From the end of the call to the start of the kernel; empty if it began before.",
        &Execution::queue_ns, optional},
       {"start_ns", Unit::ns, Role::key, "The start of the kernel, on the clock of the trace.",
        &trace::Operation::start_ns},
       {"duration_ns", Unit::ns, Role::measure, "The duration of the kernel.",
        &trace::Operation::duration_ns},
       {"total_ns", Unit::ns, Role::measure,
        "From the start of the call to the end of the kernel or of the call, whichever is later.",
        &Execution::total_ns},
       thread_columns<ExecutionRow>(),
       {"api", Unit::text, Role::measure, "The function that was called.", &trace::HostCall::name},
       {version_column, &trace::HostCall::version},
       shape_columns<ExecutionRow>(Role::detail),
       name_columns<ExecutionRow>("name", "The name of the kernel.")},
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

}  // namespace

const Definition cuda_kern_exec_sum_table = TableOf<ExecutionSumRow>{
    stats_info<ExecutionSumRow>(
        "cuda_kern_exec_sum", "launch and execution times of kernels",
        "One row per run, calling thread, device, function and name of kernels whose launch is in "
        "the trace, by descending mean time from the call to the end.",
        {run_column,
         thread_columns<ExecutionSumRow>(),
         {"api", Unit::text, Role::key, "The function that was called.", &trace::HostCall::name},
         {version_column, &trace::HostCall::version},
         name_columns<ExecutionSumRow>("name", "The name of the kernel."),
         {"instances", Unit::count, Role::measure, "Kernels.",
          [](const ExecutionSumRow& row) {
            return row.groups.spread(total_part, row.group).moments.count;
          }},
         {"queued", Unit::count, Role::measure,
          "Kernels that began when their call had returned: those of which the queue time is "
          "known.",
          [](const ExecutionSumRow& row) {
            return row.groups.spread(queue_part, row.group).moments.count;
          }},
         part_columns(total_part, "total",
                      "the time from the start of the call to the end of the kernel or call"),
         part_columns(api_part, "api", "the duration of the call"),
         part_columns(queue_part, "queue",
                      "the time from the end of the call to the start of the kernel", optional),
         part_columns(kernel_part, "kernel", "the duration of the kernel")},
        exec_sum_alias()),
    needs<analyze::LabelledTrace>, add_exec_sum, without_launched_kernels, facts::Reads::host};

const Definition cuda_kern_exec_trace_table =
    TableOf<ExecutionRow>{exec_trace_info(), needs<analyze::LabelledTrace>, add_exec_trace,
                          without_launched_kernels, facts::Reads::host | facts::Reads::details};

}  // namespace kr::tables

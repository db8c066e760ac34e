// Calls of the host summed by function, as `nsys stats` does.
#include "analyze/run.hpp"
#include "tables/nsys_stats.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::HostTrace;

std::vector<analyze::Spread> spreads_of_calls(const HostTrace& host) {
  return analyze::spreads(host.calls.size(), [&](const auto& add) {
    for (const trace::Launch& launch : host.launches) add(launch.call, launch.duration_ns);
  });
}

std::vector<SpreadGroup> names_of_calls(const HostTrace& host) {
  std::vector<SpreadGroup> groups;
  groups.reserve(host.calls.size());
  for (const trace::HostCall& call : host.calls) groups.push_back({call.name, groups.size()});
  return groups;
}

struct CallSumRow : Parts<Run, analyze::Spread, trace::HostCall> {
  int64_t all_ns;
};

void add_api_sum(const Source& source, Rows<CallSumRow>& rows) {
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    const std::vector<analyze::Spread> spreads = spreads_of_calls(*host);
    const int64_t all_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(names_of_calls(*host), spreads)) {
      rows.add({{run, spreads[one.group], host->calls[one.group]}, all_ns});
    }
  }
}

struct CallOrNameRow : SumRow {
  std::string_view version;
  std::string_view category;
};

/// Calls first, then the names of operations: the groups of `cuda_api_gpu_sum`.
void add_api_gpu_sum(const Source& source, Rows<CallOrNameRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.host) continue;
    const HostTrace& host = *trace.host;
    const NameLabels labels(source, run);
    const size_t calls = host.calls.size();
    const auto spreads = analyze::spreads(calls + trace.names.size(), [&](const auto& add) {
      for (const trace::Launch& launch : host.launches) add(launch.call, launch.duration_ns);
      for (const trace::Operation& operation : trace.operations) {
        add(calls + operation.name.index, operation.duration_ns);
      }
    });
    std::vector<SpreadGroup> groups = names_of_calls(host);
    for (const trace::OperationName& name : trace.names) {
      groups.push_back({name.text, groups.size(), name.kind});
    }
    const int64_t all_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(std::move(groups), spreads)) {
      const analyze::Spread& spread = spreads[one.group];
      if (one.group < calls) {
        rows.add({{{run, spread}, {labels, {}, one.text}, all_ns},
                  host.calls[one.group].version,
                  "CUDA_API"});
      } else {
        const trace::NameId name{static_cast<uint32_t>(one.group - calls)};
        rows.add({{{run, spread}, {labels, name, one.text}, all_ns},
                  {},
                  category_of(trace.names.get(name))});
      }
    }
  }
}

}  // namespace

const Definition cuda_api_sum_table = TableOf<CallSumRow>{
    stats_info<CallSumRow>(
        "cuda_api_sum", "calls of the host by function",
        "One row per run, function of the CUDA runtime or driver, and version of it, by "
        "descending total.",
        {run_column,
         {"api", Unit::text, Role::key, "The function of the runtime or driver.",
          &trace::HostCall::name},
         {version_column, &trace::HostCall::version},
         time_columns<CallSumRow>("calls", "calls")},
        time_alias("Num Calls", {{"Name", {"api", "version"}, AliasForm::versioned}}, "calls")),
    needs<analyze::LabelledTrace>, add_api_sum, without_calls, facts::Reads::host};

const Definition cuda_api_gpu_sum_table = TableOf<CallOrNameRow>{
    stats_info<CallOrNameRow>(
        "cuda_api_gpu_sum", "calls, kernels, copies and sets by name",
        "One row per run and function of the host or name of operations, by descending total: "
        "`cuda_api_sum` and `cuda_gpu_sum` in one table.",
        {run_column,
         name_columns<CallOrNameRow>("name",
                                     "The function, or the name of the kernel, copy or set."),
         {version_column, &CallOrNameRow::version},
         {"category", Unit::text, Role::measure,
          "As nsys names it: `CUDA_API`, `CUDA_KERNEL` or `MEMORY_OPER`; `CUDA_GRAPH` for a graph "
          "that was traced as a whole.",
          &CallOrNameRow::category},
         time_columns<CallOrNameRow>("calls or operations")},
        time_alias("Instances", {{"Category", {"category"}},
                                 {"Operation", {"name", "version"}, AliasForm::versioned}})),
    needs<analyze::LabelledTrace>, add_api_gpu_sum, without_calls, facts::Reads::host};

}  // namespace kr::tables

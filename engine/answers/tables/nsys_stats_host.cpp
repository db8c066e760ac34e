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

void add_api_sum(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const HostTrace* const host = run.get<analyze::LabelledTrace>().trace.host.get();
    if (host == nullptr) continue;
    const std::vector<analyze::Spread> spreads = spreads_of_calls(*host);
    const int64_t total_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(names_of_calls(*host), spreads)) {
      const trace::HostCall& call = host->calls[one.group];
      row.assign({run.summary.id, call.name, table::cell_or_nothing(call.version),
                  ratio_of(spreads[one.group].moments.sum, total_ns)});
      append_spread(spreads[one.group], row);
      sink.row(row);
    }
  }
}

/// Calls first, then the names of operations: the groups of `cuda_api_gpu_sum`.
void add_api_gpu_sum(const Source& source, RowSink& sink) {
  Cells row;
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
    const int64_t total_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(std::move(groups), spreads)) {
      const bool is_call = one.group < calls;
      const trace::NameId name =
          is_call ? trace::NameId{} : trace::NameId{static_cast<uint32_t>(one.group - calls)};
      row.assign({run.summary.id, one.text});
      is_call ? labels.append_nothing(row) : labels.append(name, row);
      row.push_back(is_call ? table::cell_or_nothing(host.calls[one.group].version) : Cell());
      row.push_back(is_call ? Cell("CUDA_API") : Cell(category_of(trace.names.get(name))));
      row.push_back(ratio_of(spreads[one.group].moments.sum, total_ns));
      append_spread(spreads[one.group], row);
      sink.row(row);
    }
  }
}

std::vector<Column> call_key() {
  return {{"run", Unit::text, Role::key, "The run."},
          {"api", Unit::text, Role::key, "The function of the runtime or driver."},
          version_column()};
}

std::vector<Column> call_or_name_key() {
  std::vector<Column> columns =
      name_key("name", "The function, or the name of the kernel, copy or set.");
  columns.push_back(version_column());
  columns.push_back({"category", Unit::text, Role::measure,
                     "As nsys names it: `CUDA_API`, `CUDA_KERNEL` or `MEMORY_OPER`; `CUDA_GRAPH` "
                     "for a graph that was traced as a whole."});
  return columns;
}

}  // namespace

const Definition cuda_api_sum_table{
    stats_info(
        "cuda_api_sum", "calls of the host by function",
        "One row per run, function of the CUDA runtime or driver, and version of it, by "
        "descending total.",
        with_times(call_key(), "calls", "calls"),
        time_alias("Num Calls", {{"Name", {"api", "version"}, AliasForm::versioned}}, "calls")),
    needs<analyze::LabelledTrace>, add_api_sum, without_calls, facts::Reads::host};

const Definition cuda_api_gpu_sum_table{
    stats_info("cuda_api_gpu_sum", "calls, kernels, copies and sets by name",
               "One row per run and function of the host or name of operations, by descending "
               "total: `cuda_api_sum` and `cuda_gpu_sum` in one table.",
               with_times(call_or_name_key(), "calls or operations"),
               time_alias("Instances", {{"Category", {"category"}},
                                        {"Operation", {"name", "version"}, AliasForm::versioned}})),
    needs<analyze::LabelledTrace>, add_api_gpu_sum, without_calls, facts::Reads::host};

}  // namespace kr::tables

// What NCCL Inspector wrote beside a run, and what the traces have of the same communicators.
#include "job/nccl_inspector.hpp"

#include "job/nccl_calls.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::InspectedOperations;

struct InspectorRow : Parts<InspectedOperations> {
  // Of the run that has the rank.
  std::string_view run = {};
  std::optional<int64_t> device = {};
  int64_t calls = 0;
  int64_t kernels = 0;
  int64_t kernel_ns = 0;
};

/// Adds what the runs have of it.
void join_calls(const Source& source, InspectorRow& row) {
  const InspectedOperations& of = row.of<InspectedOperations>();
  for (const Run& run : source.runs) {
    const job::NcclCalls* const calls = run.facts.find<job::NcclCalls>();
    if (calls == nullptr) continue;
    for (const job::NcclCallSums& one : calls->all) {
      if (one.group != of.communicator || one.group_rank != of.rank) continue;
      row.run = run.summary.id;
      if (one.device) row.device = *one.device;
      if (one.kind != job::to_string(of.kind)) continue;
      row.calls += one.calls;
      row.kernels += one.kernels;
      row.kernel_ns += one.kernel_ns;
    }
  }
}

void add_nccl_inspector(const Source& source, Rows<InspectorRow>& rows) {
  for (const InspectedOperations& one : source.nccl_inspector->all) {
    InspectorRow row{{one}};
    join_calls(source, row);
    rows.add(row);
  }
}

std::string without_nccl_inspector(const Source& source) {
  return source.nccl_inspector != nullptr ? "" : "nothing was given with --nccl-inspector";
}

Cell if_in_run(const InspectorRow& row, int64_t value) {
  return cell_if(!row.run.empty(), value);
}

}  // namespace

const Definition nccl_inspector_table = TableOf<InspectorRow>{
    {.id = "nccl_inspector",
     .title = "operations that NCCL Inspector timed",
     .doc =
         "One row per communicator, rank and kind of operation in the files of "
         "`--nccl-inspector`. Traces are joined by the id of the communicator and the rank in it, "
         "if they contain them (`nccl_calls`).",
     .columns = {{"group", Unit::text, Role::key, "The id of the communicator, as in `nccl_calls`.",
                  &InspectedOperations::communicator},
                 {"name", Unit::text, Role::detail,
                  "What the program calls it; empty in older files.", &InspectedOperations::name},
                 {"group_rank", Unit::id, Role::key, "The rank in the communicator.",
                  &InspectedOperations::rank},
                 {"operation", Unit::name, Role::key, "As NCCL spells it: `AllReduce`.",
                  &InspectedOperations::operation},
                 {"group_size", Unit::count, Role::measure, "Ranks of the communicator.",
                  &InspectedOperations::ranks},
                 {"instances", Unit::count, Role::measure,
                  "Records. NCCL leaves out small operations by default.",
                  &InspectedOperations::instances},
                 {"first_sequence", Unit::id, Role::detail, "The smallest sequence number.",
                  &InspectedOperations::first_sequence, optional},
                 {"last_sequence", Unit::id, Role::detail, "The largest.",
                  &InspectedOperations::last_sequence, optional},
                 {"bytes", Unit::bytes, Role::measure,
                  "The sum of their sizes, as `bytes` of `nccl_calls`.",
                  &InspectedOperations::bytes},
                 {"time_ns", Unit::ns, Role::measure, "The sum of their times, each in whole µs.",
                  &InspectedOperations::time_ns},
                 {"timed_on_gpu", Unit::count, Role::detail,
                  "Those whose time is that of the kernel.", &InspectedOperations::timed_on_gpu},
                 {"timed_on_host", Unit::count, Role::detail,
                  "Those that the host timed; older files do not say it.",
                  &InspectedOperations::timed_on_host},
                 {"algorithm_bytes_per_s", Unit::per_second, Role::measure,
                  "Bytes with the parts of all ranks, divided by `time_ns`.",
                  &InspectedOperations::bytes_per_s, optional},
                 {"bus_bytes_per_s", Unit::per_second, Role::measure,
                  "What a link carries, as in `collective_bandwidth`.",
                  &InspectedOperations::bus_bytes_per_s, optional},
                 {"run", Unit::text, Role::detail,
                  "The run whose trace has this rank; empty: none.", &InspectorRow::run, optional},
                 {"device", Unit::id, Role::detail, "Its device.", &InspectorRow::device, optional},
                 {"calls", Unit::count, Role::detail, "Its calls of the kind, as in `nccl_calls`.",
                  [](const InspectorRow& row) { return if_in_run(row, row.calls); }, optional},
                 {"kernels", Unit::count, Role::detail, "Its kernels of the kind.",
                  [](const InspectorRow& row) { return if_in_run(row, row.kernels); }, optional},
                 {"kernel_ns", Unit::ns, Role::detail, "The sum of their durations.",
                  [](const InspectorRow& row) { return if_in_run(row, row.kernel_ns); }, optional}},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_nccl_inspector,
    without_nccl_inspector,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    {},
    needs<job::NcclCalls>};

}  // namespace kr::tables

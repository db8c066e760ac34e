// What a program requested of NCCL.
#include "job/nccl_calls.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::NcclCallSums;

using NcclCallRow = Parts<Run, NcclCallSums>;

void add_nccl_calls(const Source& source, Rows<NcclCallRow>& rows) {
  for (const Run& run : source.runs) {
    const job::NcclCalls* const calls = run.facts.find<job::NcclCalls>();
    if (calls == nullptr) continue;
    for (const NcclCallSums& one : calls->all) rows.add({run, one});
  }
}

Cell if_called(const NcclCallSums& one, int64_t value) {
  return cell_if(one.calls > 0, value);
}

}  // namespace

const Definition nccl_calls_table = TableOf<NcclCallRow>{
    {.id = "nccl_calls",
     .title = "calls of NCCL",
     .doc =
         "One row per run, device, communicator and kind of operation that the program requested "
         "of NCCL, by reduction and root or peer. Needs payloads of NVTX: of nsys exports with "
         "`--include-blobs=true`.",
     .columns =
         {run_column,
          {"device", Unit::id, Role::key,
           "The device of their kernels, or of other kernels of the communicator; empty if no "
           "kernel "
           "shows it.",
           &NcclCallSums::device, optional},
          {"group", Unit::text, Role::key,
           "The id of the communicator, the same on all of its ranks; empty if NCCL is older than "
           "2.25. Of a group of calls of several communicators, all of them.",
           &NcclCallSums::group},
          {"kind", Unit::name, Role::key, "What they request, as in `collectives`.",
           &NcclCallSums::kind},
          {"reduction", Unit::text, Role::key, "How they reduce: `Sum`; empty if they do not.",
           &NcclCallSums::reduction},
          {"peer", Unit::id, Role::key,
           "The root, or the other end of a send or recv: its rank in the communicator.",
           &NcclCallSums::peer, optional},
          {"group_size", Unit::count, Role::detail,
           "Ranks of the communicator; empty if it was made before the capture, or NCCL is older "
           "than 2.25.",
           &NcclCallSums::group_size, optional},
          {"group_rank", Unit::id, Role::detail, "The rank of the caller in it; empty as before.",
           &NcclCallSums::group_rank, optional},
          {"calls", Unit::count, Role::measure,
           "Calls whose arguments are known, with those that launch no kernel: of no bytes, or "
           "captured into a CUDA graph.",
           &NcclCallSums::calls},
          {"bytes", Unit::bytes, Role::measure,
           "The sum of their sizes, as NCCL counts them: of allgather, reducescatter, alltoall, "
           "gather and scatter the part of one rank.",
           [](const NcclCallSums& one) { return if_called(one, one.bytes); }, optional},
          {"moved_bytes", Unit::bytes, Role::measure,
           "The sum of their sizes with the parts of all ranks. Empty if these need `group_size` "
           "and "
           "it is not known.",
           &NcclCallSums::moved_bytes, optional},
          {"kernels", Unit::count, Role::measure,
           "Kernels that do it. Those of a group of different calls (`ncclGroupStart`) have a row "
           "without calls; those that a CUDA graph launches are not known.",
           &NcclCallSums::kernels},
          {"kernel_ns", Unit::ns, Role::measure, "The sum of their durations.",
           &NcclCallSums::kernel_ns}},
     .in_short_form = false},
    needs<job::NcclCalls>,
    add_nccl_calls};

}  // namespace kr::tables

// The calls of the host, and the operations that they launched.
#include "analyze/launches.hpp"

#include <algorithm>

#include "analyze/evidence.hpp"
#include "analyze/kernels.hpp"
#include "tables/attribution.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::LaunchCalls;
using analyze::LaunchStatistics;
using analyze::StreamQueue;
using classify::AttributionSums;

using LaunchMatchingRow = Parts<Run, LaunchStatistics>;
void add_launch_matching(const Source& source, Rows<LaunchMatchingRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    const LaunchStatistics& launches = run.get<analyze::LaunchStatistics>();
    rows.add({run, launches});
  }
}

using LaunchRow = Parts<Run, LaunchCalls>;
void add_launches(const Source& source, Rows<LaunchRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    for (const LaunchCalls& one : run.get<analyze::LaunchStatistics>().by_api) {
      rows.add({run, one});
    }
  }
}

using LaunchQueueRow = Parts<Run, StreamQueue>;
void add_launch_queue(const Source& source, Rows<LaunchQueueRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    for (const StreamQueue& one : run.get<analyze::LaunchStatistics>().queues) {
      rows.add({run, one});
    }
  }
}

struct AttributionRow : Parts<Run, AttributionSums::Part> {
  std::string_view evidence;
  int64_t all_ns;
};

void add_attribution(const Source& source, Rows<AttributionRow>& rows) {
  for (const Run& run : source.runs) {
    const AttributionSums& sums = run.get<analyze::Evidence>().sums;
    const int64_t total_ns = sums.total_ns();
    each_evidence(sums, [&](std::string_view evidence, const AttributionSums::Part& one) {
      rows.add({{run, one}, evidence, total_ns});
    });
  }
}

}  // namespace

const Definition launch_matching_table = TableOf<LaunchMatchingRow>{
    {"launch_matching",
     "correlation of operations with launches",
     "One row per run whose trace contains launches: how many operations have one.",
     {run_column,
      {"linked", Unit::count, Role::measure, "Operations whose launch is in the trace.",
       &LaunchStatistics::linked},
      {"orphans", Unit::count, Role::measure, "Operations whose launch is not in the trace.",
       &LaunchStatistics::orphans}}},
    needs<analyze::LaunchStatistics>,
    add_launch_matching};

const Definition launches_table = TableOf<LaunchRow>{
    {"launches",
     "launch statistics by API call",
     "One row per run and function of the CUDA runtime or driver that launched operations.",
     {run_column,
      {"api", Unit::text, Role::key, "The name of the function, such as `cudaLaunchKernel`.",
       &LaunchCalls::api},
      {"calls", Unit::count, Role::measure, "Calls that launched at least one operation.",
       &LaunchCalls::instances},
      {"operations", Unit::count, Role::measure, "Operations that these calls launched.",
       &LaunchCalls::operations},
      {head::total_of_calls_ns, &LaunchCalls::total_ns},
      {"delay_mean_ns", Unit::ns, Role::measure,
       "Mean time from the start of the call to the start of the operation, over `operations`.",
       &LaunchCalls::delay_mean_ns},
      {"short_kernels", Unit::count, Role::measure,
       "Kernels that took less time than the call that launched them.",
       &LaunchCalls::short_kernels},
      {"running_at_next_launch", Unit::count, Role::measure,
       "Kernels that were running when the next launching call of the same thread began.",
       &LaunchCalls::running_at_next_launch}}},
    needs<analyze::LaunchStatistics>,
    add_launches};

const Definition launch_queue_table = TableOf<LaunchQueueRow>{
    {"launch_queue",
     "launch queue depth by stream",
     "One row per run, device and stream that operations were launched to: the length of its "
     "queue.",
     {run_column,
      {head::device, &StreamQueue::device},
      {head::stream, &StreamQueue::stream},
      {"launches", Unit::count, Role::measure, "Calls that launched operations to this stream.",
       &StreamQueue::launches},
      {"operations", Unit::count, Role::measure, "Operations that these calls launched to it.",
       &StreamQueue::operations},
      {"mean", Unit::count, Role::measure,
       "Mean length of the queue when these calls begin, with what they launch: operations whose "
       "call has begun and which have not begun themselves.",
       &StreamQueue::mean},
      {"max", Unit::count, Role::measure, "The largest length of the queue when a call begins.",
       &StreamQueue::max},
      {"time_weighted_mean", Unit::count, Role::measure,
       "Mean length of the queue over the time from the first call to the start of the last "
       "operation; 0 if there is no such time.",
       &StreamQueue::time_weighted_mean}}},
    needs<analyze::LaunchStatistics>,
    add_launch_queue};

const Definition attribution_table = TableOf<AttributionRow>{
    {"attribution",
     "attribution to modules and layers",
     "One row per run and evidence: operations by how their place in the model is known.",
     {run_column,
      {"evidence", Unit::text, Role::key,
       "`launch`: a module encloses the launch; `creation`: a module encloses the call that was "
       "captured as the node of a CUDA graph, and `range`: the trace has no modules, and a range "
       "of the program encloses the launch, if there are any; `layer`: no module does, but the "
       "kernel is in a "
       "repeated block; by a reference (`--reference`), `instance`: modules and ops are known, "
       "`kind`: but "
       "for their numbers, `within`: a module that encloses it, `abstain`: alignments differ; "
       "`none`: none of these.",
       &AttributionRow::evidence},
      {"operations", Unit::count, Role::measure, "Operations with this evidence.",
       &AttributionSums::Part::operations},
      {head::total_ns, &AttributionSums::Part::total_ns},
      {"share", Unit::ratio, Role::measure, "Their part of the time of all operations.",
       [](const AttributionRow& row) {
         return ratio_of(row.of<AttributionSums::Part>().total_ns, row.all_ns);
       },
       read_with("total_ns")}}},
    needs<analyze::Evidence>,
    add_attribution};

}  // namespace kr::tables

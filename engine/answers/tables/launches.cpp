// The calls of the host, and the operations that they launched.
#include "analyze/launches.hpp"

#include <algorithm>

#include "analyze/evidence.hpp"
#include "analyze/kernels.hpp"
#include "tables/attribution.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_launch_matching(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    const analyze::LaunchStatistics& launches = run.get<analyze::LaunchStatistics>();
    sink.row({run.summary.id, launches.linked, launches.orphans});
  }
}

void add_launches(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    for (const analyze::LaunchCalls& one : run.get<analyze::LaunchStatistics>().by_api) {
      sink.row({run.summary.id, one.api, one.instances, one.operations, one.total_ns,
                one.delay_mean_ns, one.short_kernels, one.running_at_next_launch});
    }
  }
}

void add_launch_queue(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::LaunchStatistics>() == nullptr) continue;
    for (const analyze::StreamQueue& one : run.get<analyze::LaunchStatistics>().queues) {
      sink.row({run.summary.id, int64_t{one.device}, one.stream, one.launches, one.operations,
                one.mean, one.max, one.time_weighted_mean});
    }
  }
}

void add_attribution(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const classify::AttributionSums& sums = run.get<analyze::Evidence>().sums;
    const int64_t total_ns = sums.total_ns();
    each_evidence(sums, [&](std::string_view evidence, const classify::AttributionSums::Part& one) {
      sink.row({run.summary.id, evidence, one.operations, one.total_ns,
                ratio_of(one.total_ns, total_ns)});
    });
  }
}

}  // namespace

const Definition launch_matching_table{
    {"launch_matching",
     "correlation of operations with launches",
     "One row per run whose trace contains launches: how many operations have one.",
     {{"run", Unit::text, Role::key, "The run."},
      {"linked", Unit::count, Role::measure, "Operations whose launch is in the trace."},
      {"orphans", Unit::count, Role::measure, "Operations whose launch is not in the trace."}}},
    needs<analyze::LaunchStatistics>,
    add_launch_matching};

const Definition launches_table{
    {"launches",
     "launch statistics by API call",
     "One row per run and function of the CUDA runtime or driver that launched operations.",
     {{"run", Unit::text, Role::key, "The run."},
      {"api", Unit::text, Role::key, "The name of the function, such as `cudaLaunchKernel`."},
      {"calls", Unit::count, Role::measure, "Calls that launched at least one operation."},
      {"operations", Unit::count, Role::measure, "Operations that these calls launched."},
      {"total_ns", Unit::ns, Role::measure, "Time of these calls on the host."},
      {"delay_mean_ns", Unit::ns, Role::measure,
       "Mean time from the start of the call to the start of the operation, over `operations`."},
      {"short_kernels", Unit::count, Role::measure,
       "Kernels that took less time than the call that launched them."},
      {"running_at_next_launch", Unit::count, Role::measure,
       "Kernels that were running when the next launching call of the same thread began."}}},
    needs<analyze::LaunchStatistics>,
    add_launches};

const Definition launch_queue_table{
    {"launch_queue",
     "launch queue depth by stream",
     "One row per run, device and stream that operations were launched to: the length of its "
     "queue.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"stream", Unit::id, Role::key, "The number of the stream."},
      {"launches", Unit::count, Role::measure, "Calls that launched operations to this stream."},
      {"operations", Unit::count, Role::measure, "Operations that these calls launched to it."},
      {"mean", Unit::count, Role::measure,
       "Mean length of the queue when these calls begin, with what they launch: operations whose "
       "call has begun and which have not begun themselves."},
      {"max", Unit::count, Role::measure, "The largest length of the queue when a call begins."},
      {"time_weighted_mean", Unit::count, Role::measure,
       "Mean length of the queue over the time from the first call to the start of the last "
       "operation; 0 if there is no such time."}}},
    needs<analyze::LaunchStatistics>,
    add_launch_queue};

const Definition attribution_table{
    {"attribution",
     "attribution to modules and layers",
     "One row per run and evidence: operations by how their place in the model is known.",
     {{"run", Unit::text, Role::key, "The run."},
      {"evidence", Unit::text, Role::key,
       "`launch`: a module encloses the launch; `creation`: a module encloses the call that was "
       "captured as the node of a CUDA graph, and `range`: the trace has no modules, and a range "
       "of the program encloses the launch, if there are any; `layer`: no module does, but the "
       "kernel is in a "
       "repeated block; by a reference (`--reference`), `instance`: modules and ops are known, "
       "`kind`: but "
       "for their numbers, `within`: a module that encloses it, `abstain`: alignments differ; "
       "`none`: none of these."},
      {"operations", Unit::count, Role::measure, "Operations with this evidence."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"share", Unit::ratio, Role::measure, "Their part of the time of all operations.", false,
       false, "total_ns"}}},
    needs<analyze::Evidence>,
    add_attribution};

}  // namespace kr::tables

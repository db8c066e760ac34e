// Why devices were idle.
#include "analyze/statistics.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

/// Calls `add(run, device)` for each device of runs whose trace has calls of the host.
template <class Add>
void each_idle_device(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    if (!run.statistics->launches) continue;
    for (const analyze::DeviceIdle& device : run.statistics->launches->idle) {
      add(run.summary.id, device);
    }
  }
}

void add_idle(const Source& source, RowSink& sink) {
  each_idle_device(source, [&](const std::string& run, const analyze::DeviceIdle& device) {
    for (const analyze::IdleCause cause : analyze::idle_causes) {
      const analyze::IdleSum& sum = device.of(cause);
      if (sum.gaps == 0) continue;
      sink.row({run, int64_t{device.device}, analyze::to_string(cause), sum.total_ns,
                ratio_of(sum.total_ns, device.total_ns()), sum.gaps, sum.longest_ns});
    }
  });
}

void add_idle_calls(const Source& source, RowSink& sink) {
  each_idle_device(source, [&](const std::string& run, const analyze::DeviceIdle& device) {
    for (const analyze::IdleCall& call : device.calls) {
      sink.row({run, int64_t{device.device}, analyze::to_string(call.cause),
                table::cell_or_nothing(call.api), call.total_ns,
                ratio_of(call.total_ns, device.total_ns()), call.gaps});
    }
  });
}

}  // namespace

const Definition idle_table{
    {"idle",
     "why devices were idle",
     "One row per run, device and cause that occurs: the causes add up to `idle_ns` of `devices`. "
     "An idle gap ends with an operation. The time before the call that launched it is charged to "
     "what the thread of that call was doing, the time from the begin of the call on to launch "
     "latency.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"cause", Unit::text, Role::key,
       "`synchronization`: the launching thread waited in a call such as "
       "`cudaStreamSynchronize`; `copy`: it was in a call such as `cudaMemcpy`; `no_work`: it was "
       "in neither and had not asked for the operation; `launch_latency`: the launching call had "
       "begun; `unknown`: the trace has no launch of the operation."},
      {"total_ns", Unit::ns, Role::measure, "Idle time with this cause."},
      {"share", Unit::ratio, Role::measure, "Its part of the idle time of the device."},
      {"gaps", Unit::count, Role::measure,
       "Gaps between operations with this cause; a gap may have several causes."},
      {"longest_ns", Unit::ns, Role::measure, "The most time with this cause in one gap."}}},
    Needs::statistics,
    add_idle,
    without_launches};

const Definition idle_calls_table{
    {"idle_calls",
     "idle time by the call that was running",
     "One row per run, device, cause of `idle` and function: what the launching thread was in "
     "while the device was idle. The rows of a cause add up to its row of `idle`.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"cause", Unit::text, Role::key, "The cause, as in `idle`."},
      {"api", Unit::text, Role::key,
       "The function that the launching thread was in, such as `cudaMalloc`; with "
       "`launch_latency`, the launching call until it returned. Empty: no call was running.",
       true},
      {"total_ns", Unit::ns, Role::measure, "Idle time."},
      {"share", Unit::ratio, Role::measure, "Its part of the idle time of the device."},
      {"gaps", Unit::count, Role::measure, "Gaps between operations with such time."}}},
    Needs::statistics,
    add_idle_calls,
    without_launches};

}  // namespace kr::tables

// Why devices were idle.
#include "analyze/idle.hpp"

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

/// Calls `add(run, device)` for each device of runs whose trace has calls of the host.
template <class Add>
void each_idle_device(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::Idle>() == nullptr) continue;
    for (const analyze::DeviceIdle& device : run.get<analyze::Idle>().devices) {
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
     "A gap ends with an operation. From its start back along what decided it, each part of the "
     "gap "
     "has the cause that was going on there.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"cause", Unit::text, Role::key,
       "`host`: a thread of the host computed, or was in a call that neither waits nor copies, or "
       "that took longer than usual to launch; `synchronization`: a call such as "
       "`cudaStreamSynchronize` returned after what it waited for; `copy`: a call staged pageable "
       "memory, or returned from a copy; `launch`: from the launching call to the start, at most "
       "the "
       "usual latency; `queued`: it was launched before, from the end of what it waited for to its "
       "start; `untraced`: what is waited for is not in the trace; `unknown`: the trace has no "
       "launch "
       "of the operation."},
      {"total_ns", Unit::ns, Role::measure, "Idle time with this cause."},
      {"share", Unit::ratio, Role::measure, "Its part of the idle time of the device.", false,
       false, "total_ns"},
      {"gaps", Unit::count, Role::measure,
       "Gaps between operations with this cause; a gap may have several causes."},
      {"longest_ns", Unit::ns, Role::measure, "The most time with this cause in one gap."}}},
    needs<analyze::Idle>,
    add_idle};

const Definition idle_calls_table{
    {"idle_calls",
     "idle time by the call that was running",
     "One row per run, device, cause of `idle` and function: the call that was running in that "
     "time. "
     "The rows of a cause add up to its row of `idle`.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"cause", Unit::text, Role::key, "The cause, as in `idle`."},
      {"api", Unit::text, Role::key,
       "The function that the thread was in, such as `cudaMalloc`; with `launch`, the launching "
       "call "
       "until it returned. Empty: no call was running.",
       true},
      {"total_ns", Unit::ns, Role::measure, "Idle time."},
      {"share", Unit::ratio, Role::measure, "Its part of the idle time of the device.", false,
       false, "total_ns"},
      {"gaps", Unit::count, Role::measure, "Gaps between operations with such time."}}},
    needs<analyze::Idle>,
    add_idle_calls};

}  // namespace kr::tables

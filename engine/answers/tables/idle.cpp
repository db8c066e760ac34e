// Why devices were idle.
#include "analyze/idle.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::DeviceIdle;
using analyze::IdleCall;
using analyze::IdleSum;

/// Calls `add(run, device)` for each device of runs whose trace has calls of the host.
template <class Add>
void each_idle_device(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::Idle>() == nullptr) continue;
    for (const DeviceIdle& device : run.get<analyze::Idle>().devices) {
      add(run.summary.id, device);
    }
  }
}

struct IdleRow : Parts<DeviceIdle, IdleSum> {
  std::string_view run;
  analyze::IdleCause cause;
};

void add_idle(const Source& source, Rows<IdleRow>& rows) {
  each_idle_device(source, [&](const std::string& run, const DeviceIdle& device) {
    for (const analyze::IdleCause cause : analyze::idle_causes) {
      const IdleSum& sum = device.of(cause);
      if (sum.gaps == 0) continue;
      rows.add({{device, sum}, run, cause});
    }
  });
}

struct IdleCallRow : Parts<DeviceIdle, IdleCall> {
  std::string_view run;
};

void add_idle_calls(const Source& source, Rows<IdleCallRow>& rows) {
  each_idle_device(source, [&](const std::string& run, const DeviceIdle& device) {
    for (const IdleCall& call : device.calls) {
      rows.add({{device, call}, run});
    }
  });
}

}  // namespace

const Definition idle_table = TableOf<IdleRow>{
    {"idle",
     "why devices were idle",
     "One row per run, device and cause that occurs: the causes add up to `idle_ns` of `devices`. "
     "A gap ends with an operation. From its start back along what decided it, each part of the "
     "gap "
     "has the cause that was going on there.",
     {{head::run, &IdleRow::run},
      {head::device, &DeviceIdle::device},
      {"cause", Unit::text, Role::key,
       "`host`: a thread of the host computed, or was in a call that neither waits nor copies, or "
       "that took longer than usual to launch; `synchronization`: a call such as "
       "`cudaStreamSynchronize` returned after what it waited for; `copy`: a call staged pageable "
       "memory, or returned from a copy; `launch`: from the launching call to the start, at most "
       "the "
       "usual latency; `queued`: it was launched before, from the end of what it waited for to its "
       "start; `untraced`: what is waited for is not in the trace; `unknown`: the trace has no "
       "launch "
       "of the operation.",
       &IdleRow::cause},
      {"total_ns", Unit::ns, Role::measure, "Idle time with this cause.", &IdleSum::total_ns},
      {head::idle_share,
       [](const IdleRow& row) {
         return ratio_of(row.of<IdleSum>().total_ns, row.of<DeviceIdle>().total_ns());
       }},
      {"gaps", Unit::count, Role::measure,
       "Gaps between operations with this cause; a gap may have several causes.", &IdleSum::gaps},
      {"longest_ns", Unit::ns, Role::measure, "The most time with this cause in one gap.",
       &IdleSum::longest_ns}}},
    needs<analyze::Idle>,
    add_idle};

const Definition idle_calls_table = TableOf<IdleCallRow>{
    {"idle_calls",
     "idle time by the call that was running",
     "One row per run, device, cause of `idle` and function: the call that was running in that "
     "time. "
     "The rows of a cause add up to its row of `idle`.",
     {{head::run, &IdleCallRow::run},
      {head::device, &DeviceIdle::device},
      {"cause", Unit::text, Role::key, "The cause, as in `idle`.", &IdleCall::cause},
      {"api", Unit::text, Role::key,
       "The function that the thread was in, such as `cudaMalloc`; with `launch`, the launching "
       "call "
       "until it returned. Empty: no call was running.",
       &IdleCall::api, optional},
      {"total_ns", Unit::ns, Role::measure, "Idle time.", &IdleCall::total_ns},
      {head::idle_share,
       [](const IdleCallRow& row) {
         return ratio_of(row.of<IdleCall>().total_ns, row.of<DeviceIdle>().total_ns());
       }},
      {"gaps", Unit::count, Role::measure, "Gaps between operations with such time.",
       &IdleCall::gaps}}},
    needs<analyze::Idle>,
    add_idle_calls};

}  // namespace kr::tables

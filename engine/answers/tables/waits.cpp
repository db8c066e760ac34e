// What threads of the host waited for.
#include "analyze/waits.hpp"

#include <algorithm>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::WaitSum;

std::string without_system_calls(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::WaitStatistics>() != nullptr &&
           !run.get<analyze::WaitStatistics>().system_calls.empty();
  });
  return any ? std::string() : "no trace contains calls of the operating system's runtime";
}

using SynchronizationRow = Parts<Run, WaitSum>;
void add_synchronizations(const Source& source, Rows<SynchronizationRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::WaitStatistics>() == nullptr) continue;
    for (const WaitSum& one : run.get<analyze::WaitStatistics>().synchronizations) {
      rows.add({run, one});
    }
  }
}

using OsWaitRow = Parts<Run, WaitSum>;
void add_os_waits(const Source& source, Rows<OsWaitRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::WaitStatistics>() == nullptr) continue;
    for (const WaitSum& one : run.get<analyze::WaitStatistics>().system_calls) {
      rows.add({run, one});
    }
  }
}

constexpr table::Head busy_column{
    "busy_ns", Unit::ns, Role::measure,
    "The part of `total_ns` in which a device was busy that the process launches to."};
constexpr table::Head idle_column{
    "idle_ns", Unit::ns, Role::measure,
    "The rest of `total_ns`, with the time before the first operation and after the last."};

}  // namespace

const Definition synchronizations_part = TableOf<SynchronizationRow>{
    {"synchronizations",
     "synchronizing calls",
     "One row per run, function and what it waited for: calls of the host that synchronize, and "
     "whether a device worked meanwhile.",
     {run_column,
      {"api", Unit::text, Role::key,
       "The function, such as `cudaStreamSynchronize`; empty: the trace has the synchronization "
       "without its call.",
       &WaitSum::api, optional},
      {"waited_for", Unit::text, Role::key,
       "`event_synchronize`, `stream_synchronize`, `context_synchronize`, or `stream_wait_event`, "
       "which does not block the host: as the profiler recorded it, else by the function.",
       &WaitSum::waited_for},
      {"calls", Unit::count, Role::measure, "Calls; one inside another counts, too.",
       &WaitSum::calls},
      {head::total_of_calls_ns, &WaitSum::total_ns},
      {head::mean_ns, [](const WaitSum& one) { return ratio_of(one.total_ns, one.calls); }},
      {head::max_ns, &WaitSum::max_ns},
      {busy_column, &WaitSum::busy_ns},
      {idle_column, [](const WaitSum& one) { return one.total_ns - one.busy_ns; }}}},
    needs<analyze::WaitStatistics>,
    add_synchronizations};

const Definition os_waits_part = TableOf<OsWaitRow>{
    {"os_waits",
     "calls of the operating system's runtime",
     "One row per run and function of the operating system's runtime that nsys recorded "
     "(`--trace=osrt`), such as `poll` or `pthread_cond_wait`, of all threads.",
     {run_column,
      {"name", Unit::text, Role::key, "The name of the function.", &WaitSum::api},
      {"calls", Unit::count, Role::measure,
       "Calls; by default nsys leaves out those of less than 1 µs.", &WaitSum::calls},
      {"total_ns", Unit::ns, Role::measure, "Time of these calls, summed over all threads.",
       &WaitSum::total_ns},
      {head::mean_ns, [](const WaitSum& one) { return ratio_of(one.total_ns, one.calls); }},
      {head::max_ns, &WaitSum::max_ns},
      {busy_column, &WaitSum::busy_ns},
      {idle_column, [](const WaitSum& one) { return one.total_ns - one.busy_ns; }}}},
    needs<analyze::WaitStatistics>,
    add_os_waits,
    without_system_calls};

const Definition waits_table = scoped(
    "waits", "calls in which the host waited",
    "One row per run and function of the host that waits, and whether a device worked meanwhile.",
    {{.part = synchronizations_part, .name = "synchronization", .key = "api"},
     {.part = os_waits_part, .name = "system", .key = "name"}});

}  // namespace kr::tables

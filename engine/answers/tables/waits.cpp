// What threads of the host waited for.
#include "analyze/waits.hpp"

#include <algorithm>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_system_calls(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<analyze::WaitStatistics>() != nullptr &&
           !run.get<analyze::WaitStatistics>().system_calls.empty();
  });
  return any ? std::string() : "no trace contains calls of the operating system's runtime";
}

void add_synchronizations(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::WaitStatistics>() == nullptr) continue;
    for (const analyze::WaitSum& one : run.get<analyze::WaitStatistics>().synchronizations) {
      sink.row({run.summary.id, table::cell_or_nothing(one.api), one.waited_for, one.calls,
                one.total_ns, ratio_of(one.total_ns, one.calls), one.max_ns, one.busy_ns,
                one.total_ns - one.busy_ns});
    }
  }
}

void add_os_waits(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::WaitStatistics>() == nullptr) continue;
    for (const analyze::WaitSum& one : run.get<analyze::WaitStatistics>().system_calls) {
      sink.row({run.summary.id, one.api, one.calls, one.total_ns, ratio_of(one.total_ns, one.calls),
                one.max_ns, one.busy_ns, one.total_ns - one.busy_ns});
    }
  }
}

Column busy_column() {
  return {"busy_ns", Unit::ns, Role::measure,
          "The part of `total_ns` in which a device was busy that the process launches to."};
}
Column idle_column() {
  return {"idle_ns", Unit::ns, Role::measure,
          "The rest of `total_ns`, with the time before the first operation and after the last."};
}

}  // namespace

const Definition synchronizations_table{
    {"synchronizations",
     "synchronizing calls",
     "One row per run, function and what it waited for: calls of the host that synchronize, and "
     "whether a device worked meanwhile.",
     {{"run", Unit::text, Role::key, "The run."},
      {"api", Unit::text, Role::key,
       "The function, such as `cudaStreamSynchronize`; empty: the trace has the synchronization "
       "without its call.",
       true},
      {"waited_for", Unit::text, Role::key,
       "`event_synchronize`, `stream_synchronize`, `context_synchronize`, or `stream_wait_event`, "
       "which does not block the host: as the profiler recorded it, else by the function."},
      {"calls", Unit::count, Role::measure, "Calls; one inside another counts, too."},
      {"total_ns", Unit::ns, Role::measure, "Time of these calls on the host."},
      {"mean_ns", Unit::ns, Role::measure, "Mean time of a call."},
      {"max_ns", Unit::ns, Role::measure, "Time of the longest call."},
      busy_column(),
      idle_column()}},
    needs<analyze::WaitStatistics>,
    add_synchronizations};

const Definition os_waits_table{
    {"os_waits",
     "calls of the operating system's runtime",
     "One row per run and function of the operating system's runtime that nsys recorded "
     "(`--trace=osrt`), such as `poll` or `pthread_cond_wait`, of all threads.",
     {{"run", Unit::text, Role::key, "The run."},
      {"name", Unit::text, Role::key, "The name of the function."},
      {"calls", Unit::count, Role::measure,
       "Calls; by default nsys leaves out those of less than 1 µs."},
      {"total_ns", Unit::ns, Role::measure, "Time of these calls, summed over all threads."},
      {"mean_ns", Unit::ns, Role::measure, "Mean time of a call."},
      {"max_ns", Unit::ns, Role::measure, "Time of the longest call."},
      busy_column(),
      idle_column()}},
    needs<analyze::WaitStatistics>,
    add_os_waits,
    without_system_calls};

}  // namespace kr::tables

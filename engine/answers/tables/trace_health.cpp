// What limits the trust in the tables of each run.
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Finding;

using TraceHealthRow = Parts<Run, Finding>;
void add_trace_health(const Source& source, Rows<TraceHealthRow>& rows) {
  for (const Run& run : source.runs) {
    for (const Finding& one : run.summary.findings) {
      rows.add({run, one});
    }
  }
}

}  // namespace

const Definition trace_health_table = TableOf<TraceHealthRow>{
    {"trace_health",
     "trace health",
     "One row per run and finding that limits the trust in its tables, the worst first. What was "
     "found is in `notes`, if it is a note; here is what follows from it. Operations whose time "
     "cannot be right (`implausible-times`), launches of kernels without a kernel, by function "
     "(`launches-without-kernels`), and operations without a launch are counted here.",
     {run_column,
      {"code", Unit::text, Role::key,
       "A stable name for programs, such as `hidden-graph-kernels`; that of the note, if it is "
       "one.",
       &Finding::code},
      {"severity", Unit::text, Role::measure,
       "`error`: results are of a part of the run; `warning`: some are wrong or missing; `info`: "
       "they are right, but may be misread.",
       &Finding::severity},
      {"count", Unit::count, Role::measure, "Records, operations or steps concerned.",
       &Finding::count, optional},
      {"effect", Unit::text, Role::measure, "What it means for the tables.", &Finding::effect},
      {"tables", Unit::text, Role::measure, "The tables concerned, separated by commas; or `all`.",
       &Finding::tables}},
     false,
     false},
    needs<analyze::RunSummary, analyze::Findings>,
    add_trace_health};

}  // namespace kr::tables

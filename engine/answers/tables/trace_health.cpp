// What limits the trust in the tables of each run.
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_trace_health(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::Finding& one : run.summary.findings) {
      sink.row({run.summary.id, one.code, analyze::to_string(one.severity), table::cell(one.count),
                one.effect, one.tables});
    }
  }
}

}  // namespace

const Definition trace_health_table{
    {"trace_health",
     "trace health",
     "One row per run and finding that limits the trust in its tables, the worst first. What was "
     "found is in `notes`, if it is a note; here is what follows from it. Operations whose time "
     "cannot be right (`implausible-times`), launches of kernels without a kernel, by function "
     "(`launches-without-kernels`), and operations without a launch are counted here.",
     {{"run", Unit::text, Role::key, "The run."},
      {"code", Unit::text, Role::key,
       "A stable name for programs, such as `hidden-graph-kernels`; that of the note, if it is "
       "one."},
      {"severity", Unit::text, Role::measure,
       "`error`: results are of a part of the run; `warning`: some are wrong or missing; `info`: "
       "they are right, but may be misread."},
      {"count", Unit::count, Role::measure, "Records, operations or steps concerned.", true},
      {"effect", Unit::text, Role::measure, "What it means for the tables."},
      {"tables", Unit::text, Role::measure,
       "The tables concerned, separated by commas; or `all`."}},
     false,
     false},
    needs<analyze::RunSummary, analyze::Findings>,
    add_trace_health};

}  // namespace kr::tables

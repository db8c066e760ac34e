// The graphs of each run, and what references say of their kernels.
#include <algorithm>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using align::Agreement;

using align::GraphAlignment;

const GraphAlignment::Part& part_of(const GraphAlignment& graph, Agreement how) {
  return graph.parts[static_cast<size_t>(how)];
}

struct GraphRow : Parts<Run, GraphAlignment> {
  int64_t number;
  std::string_view evidence;
};

void add_graph_alignment(const Source& source, Rows<GraphRow>& rows) {
  for (const Run& run : source.runs) {
    int64_t number = 0;
    for (const GraphAlignment& graph : run.summary.graphs) {
      std::string evidence(align::to_string(graph.evidence));
      if (graph.by_order) evidence += ", order";
      rows.add({{run, graph}, number++, evidence});
    }
  }
}

std::string without_compared_graphs(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return !run.summary.graphs.empty(); });
  return any ? std::string() : "no graph of a run was compared with a reference (--reference)";
}

}  // namespace

const Definition graph_alignment_table = TableOf<GraphRow>{
    {"graph_alignment",
     "graphs by reference",
     "One row per run and distinct sequence of kernels that a graph ran on one stream: how far a "
     "reference says in which modules they belong.",
     {run_column,
      {"graph", Unit::id, Role::key, "The number of the sequence, by its first launch, from 0.",
       &GraphRow::number},
      {"kernels", Unit::count, Role::measure, "Kernels, copies and sets of one launch.",
       &GraphAlignment::kernels},
      {"launches", Unit::count, Role::measure, "Launches that ran them.",
       &GraphAlignment::launches},
      {"total_ns", Unit::ns, Role::measure, "The sum of the durations, over all launches.",
       &GraphAlignment::total_ns},
      {"reference", Unit::text, Role::detail,
       "The file that decided; of several, the first. Nothing: none has half of the names.",
       &GraphAlignment::reference, optional},
      {"sequence", Unit::text, Role::detail, "What of it: `capture`, or `launches` outside graphs.",
       [](const GraphAlignment& graph) {
         return graph.reference.empty() ? "" : graph.captured ? "capture" : "launches";
       },
       optional},
      {"evidence", Unit::text, Role::detail,
       "`equal`: the same names in the same order; `names`: the longest common subsequence of "
       "names; `families`: of names without template arguments, tiles and digits, too; `none`; "
       "`too_long`: not compared. `, order`: the order of launches distinguished captures of equal "
       "names.",
       &GraphRow::evidence},
      {"matched", Unit::count, Role::measure,
       "Kernels of one launch that a best alignment matches.", &GraphAlignment::matched},
      {"alternatives", Unit::count, Role::measure,
       "Different sequences of references that match as many.", &GraphAlignment::alternatives},
      {"instance", Unit::count, Role::measure,
       "Operations whose modules and ops are the same in all best alignments.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::instance).operations; }},
      {"kind", Unit::count, Role::measure,
       "Operations whose modules are the same but for their numbers.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::kind).operations; }},
      {"within", Unit::count, Role::measure,
       "Operations that are not matched, but are in the same call of a module.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::within).operations; }},
      {"abstain", Unit::count, Role::measure, "Operations on whose place alignments differ.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::abstain).operations; }},
      {"instance_ns", Unit::ns, Role::measure, "The durations of those of `instance`.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::instance).total_ns; }},
      {"kind_ns", Unit::ns, Role::measure, "The durations of those of `kind`.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::kind).total_ns; }},
      {"within_ns", Unit::ns, Role::measure, "The durations of those of `within`.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::within).total_ns; }},
      {"abstain_ns", Unit::ns, Role::measure, "The durations of those of `abstain`.",
       [](const GraphAlignment& graph) { return part_of(graph, Agreement::abstain).total_ns; }}}},
    needs<analyze::RunSummary>,
    add_graph_alignment,
    without_compared_graphs};

}  // namespace kr::tables

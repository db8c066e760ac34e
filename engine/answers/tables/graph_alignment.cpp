// The graphs of each run, and what references say of their kernels.
#include <algorithm>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_graph_alignment(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    int64_t number = 0;
    for (const align::GraphAlignment& graph : run.summary.graphs) {
      std::string evidence(align::to_string(graph.evidence));
      if (graph.by_order) evidence += ", order";
      const bool any = !graph.reference.empty();
      const auto part = [&](align::Agreement how) -> const align::GraphAlignment::Part& {
        return graph.parts[static_cast<size_t>(how)];
      };
      const auto& instance = part(align::Agreement::instance);
      const auto& kind = part(align::Agreement::kind);
      const auto& within = part(align::Agreement::within);
      const auto& abstain = part(align::Agreement::abstain);
      sink.row({run.summary.id, number++, graph.kernels, graph.launches, graph.total_ns,
                table::cell_or_nothing(graph.reference),
                any ? Cell(std::string_view(graph.captured ? "capture" : "launches")) : Cell(),
                evidence, graph.matched, graph.alternatives, instance.operations, kind.operations,
                within.operations, abstain.operations, instance.total_ns, kind.total_ns,
                within.total_ns, abstain.total_ns});
    }
  }
}

std::string without_compared_graphs(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return !run.summary.graphs.empty(); });
  return any ? std::string() : "no graph of a run was compared with a reference (--reference)";
}

}  // namespace

const Definition graph_alignment_table{
    {"graph_alignment",
     "graphs by reference",
     "One row per run and distinct sequence of kernels that a graph ran on one stream: how far a "
     "reference says in which modules they belong.",
     {{"run", Unit::text, Role::key, "The run."},
      {"graph", Unit::id, Role::key, "The number of the sequence, by its first launch, from 0."},
      {"kernels", Unit::count, Role::measure, "Kernels, copies and sets of one launch."},
      {"launches", Unit::count, Role::measure, "Launches that ran them."},
      {"total_ns", Unit::ns, Role::measure, "The sum of the durations, over all launches."},
      {"reference", Unit::text, Role::detail,
       "The file that decided; of several, the first. Nothing: none has half of the names.", true},
      {"sequence", Unit::text, Role::detail, "What of it: `capture`, or `launches` outside graphs.",
       true},
      {"evidence", Unit::text, Role::detail,
       "`equal`: the same names in the same order; `names`: the longest common subsequence of "
       "names; `families`: of names without template arguments, tiles and digits, too; `none`; "
       "`too_long`: not compared. `, order`: the order of launches distinguished captures of equal "
       "names."},
      {"matched", Unit::count, Role::measure,
       "Kernels of one launch that a best alignment matches."},
      {"alternatives", Unit::count, Role::measure,
       "Different sequences of references that match as many."},
      {"instance", Unit::count, Role::measure,
       "Operations whose modules and ops are the same in all best alignments."},
      {"kind", Unit::count, Role::measure,
       "Operations whose modules are the same but for their numbers."},
      {"within", Unit::count, Role::measure,
       "Operations that are not matched, but are in the same call of a module."},
      {"abstain", Unit::count, Role::measure, "Operations on whose place alignments differ."},
      {"instance_ns", Unit::ns, Role::measure, "The durations of those of `instance`."},
      {"kind_ns", Unit::ns, Role::measure, "The durations of those of `kind`."},
      {"within_ns", Unit::ns, Role::measure, "The durations of those of `within`."},
      {"abstain_ns", Unit::ns, Role::measure, "The durations of those of `abstain`."}}},
    needs<analyze::RunSummary>,
    add_graph_alignment,
    without_compared_graphs};

}  // namespace kr::tables

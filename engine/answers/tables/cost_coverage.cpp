// How much of the time has a cost by the rules' `cost` blocks, and which ops to declare next.
#include <fmt/format.h>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "cost/gaps.hpp"
#include "tables/columns.hpp"
#include "tables/costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using cost::CostedRun;
using cost::Gap;

using CostCoverageRow = Parts<Run, CostedRun>;
int64_t all_ns(const Run& run) {
  return run.summary.gpu_total_ns;
}

void add_cost_coverage(const Source& source, Rows<CostCoverageRow>& rows) {
  for (const Run& run : source.runs) {
    rows.add({run, run.get<CostedRun>()});
  }
}

using CostGapRow = Parts<Run, Gap>;
void add_cost_gaps(const Source& source, Rows<CostGapRow>& rows) {
  for (const Run& run : source.runs) {
    const std::vector<Gap> gaps = cost::by_op(
        cost::gaps_of(run.get<CostedRun>(), run.get<analyze::LabelledTrace>().trace, all_ns(run)));
    for (const Gap& gap : gaps) rows.add({run, gap});
  }
}

}  // namespace

const Definition cost_coverage_table = TableOf<CostCoverageRow>{
    {"cost_coverage",
     "coverage of costs",
     "One row per run: how much of its time has FLOPs and bytes by the `cost` blocks of the rules. "
     "FLOPs are declared where they limit: for products, convolutions, attention and experts.",
     {run_column,
      {"total_ns", Unit::ns, Role::measure, "The time of all operations.", all_ns},
      {"op_ns", Unit::ns, Role::detail, "Of operations that ops of the framework launched.",
       &CostedRun::op_ns},
      {"shapes_ns", Unit::ns, Role::detail, "Of these, where the shapes are known.",
       &CostedRun::shapes_ns},
      {"graph_ns", Unit::ns, Role::measure,
       "Of operations of graphs whose ops are not known for certain: a reference may show "
       "them.",
       &CostedRun::graph_ns},
      {"flops_ns", Unit::ns, Role::measure, "The time of ops whose FLOPs are known.",
       &CostedRun::flops_ns},
      {"flops_share", Unit::ratio, Role::measure,
       "The part of the total time; nothing if the run has no time.",
       [](const CostCoverageRow& row) {
         return ratio_or_nothing(row.of<CostedRun>().flops_ns, all_ns(row));
       },
       optional},
      {"bytes_ns", Unit::ns, Role::measure, "The time of ops whose bytes are known.",
       &CostedRun::bytes_ns},
      {"bytes_share", Unit::ratio, Role::measure,
       "The part of the total time; nothing if the run has no time.",
       [](const CostCoverageRow& row) {
         return ratio_or_nothing(row.of<CostedRun>().bytes_ns, all_ns(row));
       },
       optional},
      {"above_peak_ns", Unit::ns, Role::measure,
       "The time of ops that by their cost are faster than the GPU can be: their FLOPs and "
       "bytes are not counted as known.",
       &CostedRun::above_peak_ns}},
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace>,
    add_cost_coverage,
    without_costs};

const Definition cost_gaps_table = TableOf<CostGapRow>{
    {"cost_gaps",
     "ops without a cost",
     "One row per run, op and reason: time without FLOPs and bytes that can be used. By "
     "descending time: the first op with `no clause fits` is the one to declare next.",
     {run_column,
      {"op", Unit::name, Role::key, "The framework's op; nothing for operations without any.",
       &Gap::op, optional},
      {"no_cost", Unit::text, Role::key,
       "`no op` encloses the launch, it ran `in a graph` whose capture is not certain, `no "
       "shapes` were recorded, `no clause fits`, the clause has `no amounts` because it needs "
       "what is not recorded, or the op would be `above the peak`.",
       &Gap::why},
      {"instances", Unit::count, Role::measure,
       "Operations whose innermost op it is, or calls of an op that a clause fits; nothing "
       "where there is no op.",
       [](const Gap& gap) { return cell_if_any(gap.operations); }, optional},
      {head::total_of_these_ns, &Gap::total_ns},
      {"share", Unit::ratio, Role::measure, "The part of the run's total time.",
       [](const CostGapRow& row) { return ratio_or_nothing(row.of<Gap>().total_ns, all_ns(row)); },
       optional | read_with("total_ns")},
      {"shapes", Unit::text, Role::measure,
       "The arguments that take most of this time, as in `costs`; nothing if none were "
       "recorded.",
       &Gap::shapes, optional}},
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace>,
    add_cost_gaps,
    without_costs};

}  // namespace kr::tables

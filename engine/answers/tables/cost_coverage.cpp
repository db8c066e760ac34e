// How much of the time has a cost by the rules' `cost` blocks, and which ops to declare next.
#include <fmt/format.h>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "cost/gaps.hpp"
#include "tables/costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

Cell share_of(int64_t part, int64_t whole) {
  return whole > 0 ? Cell(ratio_of(part, whole)) : Cell();
}

void add_cost_coverage(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const cost::CostedRun& costed = run.get<cost::CostedRun>();
    const int64_t total_ns = run.summary.gpu_total_ns;
    sink.row({run.summary.id, total_ns, costed.op_ns, costed.shapes_ns, costed.graph_ns,
              costed.flops_ns, share_of(costed.flops_ns, total_ns), costed.bytes_ns,
              share_of(costed.bytes_ns, total_ns), costed.above_peak_ns});
  }
}

void add_cost_gaps(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const int64_t total_ns = run.summary.gpu_total_ns;
    const std::vector<cost::Gap> gaps = cost::by_op(cost::gaps_of(
        run.get<cost::CostedRun>(), run.get<analyze::LabelledTrace>().trace, total_ns));
    for (const cost::Gap& gap : gaps) {
      sink.row({run.summary.id, table::cell_or_nothing(gap.op), cost::to_string(gap.why),
                gap.operations > 0 ? Cell(gap.operations) : Cell(), gap.total_ns,
                share_of(gap.total_ns, total_ns), table::cell_or_nothing(gap.shapes)});
    }
  }
}

}  // namespace

const Definition cost_coverage_table{
    {"cost_coverage",
     "coverage of costs",
     "One row per run: how much of its time has FLOPs and bytes by the `cost` blocks of the rules. "
     "FLOPs are declared where they limit: for products, convolutions, attention and experts.",
     {
         {"run", Unit::text, Role::key, "The run."},
         {"total_ns", Unit::ns, Role::measure, "The time of all operations."},
         {"op_ns", Unit::ns, Role::detail, "Of operations that ops of the framework launched."},
         {"shapes_ns", Unit::ns, Role::detail, "Of these, where the shapes are known."},
         {"graph_ns", Unit::ns, Role::measure,
          "Of operations of graphs whose ops are not known for certain: a reference may show "
          "them."},
         {"flops_ns", Unit::ns, Role::measure, "The time of ops whose FLOPs are known."},
         {"flops_share", Unit::ratio, Role::measure,
          "The part of the total time; nothing if the run has no time.", true},
         {"bytes_ns", Unit::ns, Role::measure, "The time of ops whose bytes are known."},
         {"bytes_share", Unit::ratio, Role::measure,
          "The part of the total time; nothing if the run has no time.", true},
         {"above_peak_ns", Unit::ns, Role::measure,
          "The time of ops that by their cost are faster than the GPU can be: their FLOPs and "
          "bytes are not counted as known."},
     },
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace>,
    add_cost_coverage,
    without_costs};

const Definition cost_gaps_table{
    {"cost_gaps",
     "ops without a cost",
     "One row per run, op and reason: time without FLOPs and bytes that can be used. By "
     "descending time: the first op with `no clause fits` is the one to declare next.",
     {
         {"run", Unit::text, Role::key, "The run."},
         {"op", Unit::name, Role::key, "The framework's op; nothing for operations without any.",
          true},
         {"no_cost", Unit::text, Role::key,
          "`no op` encloses the launch, it ran `in a graph` whose capture is not certain, `no "
          "shapes` were recorded, `no clause fits`, the clause has `no amounts` because it needs "
          "what is not recorded, or the op would be `above the peak`."},
         {"instances", Unit::count, Role::measure,
          "Operations whose innermost op it is, or calls of an op that a clause fits; nothing "
          "where there is no op.",
          true},
         {"total_ns", Unit::ns, Role::measure, "The time of these operations."},
         {"share", Unit::ratio, Role::measure, "The part of the run's total time.", true, false,
          "total_ns"},
         {"shapes", Unit::text, Role::measure,
          "The arguments that take most of this time, as in `costs`; nothing if none were "
          "recorded.",
          true},
     },
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace>,
    add_cost_gaps,
    without_costs};

}  // namespace kr::tables

// How the times of steps, and of labels in them, are distributed.
#include "analyze/step_percentiles.hpp"

#include <algorithm>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::StepPercentiles;

using PercentilesRow = Parts<Run, StepPercentiles::Row>;

void add_percentiles(const Source& source, Rows<PercentilesRow>& rows) {
  for (const Run& run : source.runs) {
    const auto* const found = run.find<StepPercentiles>();
    if (found == nullptr) continue;
    for (const StepPercentiles::Row& one : found->rows) rows.add({run, one});
  }
}

std::string without_percentiles(const Source& source) {
  const bool any = std::ranges::any_of(source.runs, [](const Run& run) {
    const auto* const found = run.find<StepPercentiles>();
    return found != nullptr && !found->rows.empty();
  });
  return any ? "" : "no steps are known";
}

}  // namespace

const Definition step_percentiles_table = TableOf<PercentilesRow>{
    {.id = "step_percentiles",
     .title = "percentiles of steps",
     .doc = "One row per run, phase and label: how its time is distributed over the steps of the "
            "phase that launched operations and are not inside another step of it. A step without "
            "the label counts with 0. The first row of a phase is of all operations.",
     .columns =
         {run_column,
          {head::phase_of_phases, &StepPercentiles::Row::phase},
          {"dimension", Unit::text, Role::key,
           "The dimension of the label; empty: the row is of all operations.",
           &StepPercentiles::Row::dimension, optional},
          {"label", Unit::text, Role::key, "The label.", &StepPercentiles::Row::label, optional},
          {"steps", Unit::count, Role::measure, "These steps.", &StepPercentiles::Row::steps},
          {"p50_ns", Unit::ns, Role::measure,
           "The least sum of the durations of these operations in a step that 50 % of the steps do "
           "not exceed. Exact.",
           &StepPercentiles::Row::p50_ns},
          {"p90_ns", Unit::ns, Role::measure, "The same for 90 %.", &StepPercentiles::Row::p90_ns},
          {"p99_ns", Unit::ns, Role::measure, "The same for 99 %.", &StepPercentiles::Row::p99_ns},
          {"max_ns", Unit::ns, Role::measure, "The largest sum in a step.",
           &StepPercentiles::Row::max_ns},
          {"max_step_id", Unit::id, Role::measure,
           "That step, the first of several: `step_id` of `steps`.",
           &StepPercentiles::Row::max_step}},
     .in_short_form = false},
    needs<StepPercentiles>,
    add_percentiles,
    without_percentiles};

}  // namespace kr::tables

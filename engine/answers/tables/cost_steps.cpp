// How much of the GPUs' peak the steps of a run use.
#include "analyze/run.hpp"
#include "cost/step_costs.hpp"
#include "tables/columns.hpp"
#include "tables/costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using classify::Attribution;
using classify::TraceStep;
using cost::StepCosts;

struct CostStepRow : Parts<Run, TraceStep, StepCosts> {
  size_t id;
};

void add_cost_steps(const Source& source, Rows<CostStepRow>& rows) {
  for (const Run& run : source.runs) {
    const auto& labelled = run.get<analyze::LabelledTrace>();
    if (!labelled.trace.host || !labelled.trace.host->ops) continue;
    const Attribution& places = labelled.attribution(*source.rules);
    const auto steps = cost::costs_by_step(*source.rules, labelled, run.get<cost::CostedRun>());
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].devices > 0) rows.add({{run, places.steps[i], steps[i]}, i});
    }
  }
}

}  // namespace

const Definition cost_steps_table = TableOf<CostStepRow>{
    {"cost_steps",
     "steps by FLOPs",
     "One row per run and step with operations: how much of the GPUs' peak it uses, by the costs "
     "of its ops. See docs/cost.md for the formulas.",
     {run_column,
      {"id", Unit::id, Role::key, "The step, from 0 in order of the annotations.",
       &CostStepRow::id},
      {"outer", Unit::id, Role::detail, "The enclosing step, if there is one.",
       [](const TraceStep& step) { return cell_if(step.outer != Attribution::none, step.outer); },
       optional},
      {"phase", Unit::text, Role::measure, "The phase of the step, if a rule names it.",
       [](const TraceStep& step) { return &step.phase.label; }, optional},
      {"text", Unit::name, Role::measure, "The annotation.", &TraceStep::text},
      {"tokens", Unit::count, Role::measure, "Its tokens, if the annotation has them.",
       [](const TraceStep& step) { return step.phase.tokens; }, optional},
      {"total_ns", Unit::ns, Role::measure, "The time of its operations.", &StepCosts::total_ns},
      {"span_ns", Unit::ns, Role::measure,
       "From the begin of its first operation to the end of its last one.",
       [](const StepCosts& of) { return of.extent.end_ns - of.extent.start_ns; }},
      {"devices", Unit::count, Role::detail, "GPUs of the run that it uses.", &StepCosts::devices},
      {"flops", Unit::flop, Role::measure, "FLOPs of its ops; nothing if none are known.",
       [](const StepCosts& of) { return of.sum.flops(); }, optional},
      {"flops_share", Unit::ratio, Role::measure,
       "The part of its time whose ops have known FLOPs, not above the peak. FLOPs of others "
       "are missing in all that follows, which is then too low.",
       [](const StepCosts& of) { return ratio_or_nothing(of.sum.flops_ns(), of.total_ns); },
       optional},
      {"flops_utilization", Unit::ratio, Role::measure,
       "FLOPs, each at the peak of its precision, by span and devices: what the GPUs computed. "
       "Nothing if a peak is not known.",
       &StepCosts::flops_utilization, optional},
      {"measured_flops_utilization", Unit::ratio, Role::measure,
       "The same of what this GPU reached: by the peaks of `--peaks`.",
       &StepCosts::measured_flops_utilization, optional},
      {"rows", Unit::count, Role::detail,
       "Rows of the products with a weight that have most FLOPs: tokens with those that pad a "
       "graph. Nothing if there are none.",
       [](const StepCosts& of) { return cell_if_any(of.rows); }, optional},
      {"flops_per_token", Unit::factor, Role::measure,
       "FLOPs that its tokens need, without padding, per token. Nothing if the tokens are not "
       "known, or exceed `rows`.",
       &StepCosts::flops_per_token, optional},
      {"model_flops_utilization", Unit::ratio, Role::measure,
       "As `flops_utilization`, of the FLOPs that its tokens need. Nothing if these or a peak "
       "are not known.",
       &StepCosts::model_flops_utilization, optional},
      {"measured_model_flops_utilization", Unit::ratio, Role::measure,
       "As `measured_flops_utilization`, of the FLOPs that its tokens need.",
       &StepCosts::measured_model_flops_utilization, optional}},
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_cost_steps,
    without_costs};

}  // namespace kr::tables

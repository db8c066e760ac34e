// How much of the GPUs' peak the steps of a run use.
#include "analyze/run.hpp"
#include "cost/step_costs.hpp"
#include "tables/costs.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using classify::Attribution;

void add_cost_steps(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (!run.get<analyze::LabelledTrace>().trace.host ||
        !run.get<analyze::LabelledTrace>().trace.host->ops)
      continue;
    const Attribution& places = run.get<analyze::LabelledTrace>().attribution(*source.rules);
    const auto steps = cost::costs_by_step(*source.rules, run.get<analyze::LabelledTrace>(),
                                           run.get<cost::CostedRun>());
    for (size_t i = 0; i < steps.size(); ++i) {
      const cost::StepCosts& of = steps[i];
      if (of.devices == 0) continue;
      const classify::TraceStep& step = places.steps[i];
      sink.row({run.summary.id, static_cast<int64_t>(i),
                step.outer == Attribution::none ? Cell() : Cell(int64_t{step.outer}),
                table::cell_or_nothing(step.phase.label), std::string_view(step.text),
                table::cell(step.phase.tokens), of.total_ns, of.extent.end_ns - of.extent.start_ns,
                of.devices, table::cell(of.sum.flops()),
                of.total_ns > 0 ? Cell(ratio_of(of.sum.flops_ns(), of.total_ns)) : Cell(),
                table::cell(of.flops_utilization), of.rows > 0 ? Cell(of.rows) : Cell(),
                table::cell(of.flops_per_token), table::cell(of.model_flops_utilization)});
    }
  }
}

}  // namespace

const Definition cost_steps_table{
    {"cost_steps",
     "steps by FLOPs",
     "One row per run and step with operations: how much of the GPUs' peak it uses, by the costs "
     "of its ops. See docs/cost.md for the formulas.",
     {
         {"run", Unit::text, Role::key, "The run."},
         {"id", Unit::id, Role::key, "The step, from 0 in order of the annotations."},
         {"outer", Unit::id, Role::detail, "The enclosing step, if there is one.", true},
         {"phase", Unit::text, Role::measure, "The phase of the step, if a rule names it.", true},
         {"text", Unit::name, Role::measure, "The annotation."},
         {"tokens", Unit::count, Role::measure, "Its tokens, if the annotation has them.", true},
         {"total_ns", Unit::ns, Role::measure, "The time of its operations."},
         {"span_ns", Unit::ns, Role::measure,
          "From the begin of its first operation to the end of its last one."},
         {"devices", Unit::count, Role::detail, "GPUs of the run that it uses."},
         {"flops", Unit::flop, Role::measure, "FLOPs of its ops; nothing if none are known.", true},
         {"flops_share", Unit::ratio, Role::measure,
          "The part of its time whose ops have known FLOPs, not above the peak. FLOPs of others "
          "are missing in all that follows, which is then too low.",
          true},
         {"flops_utilization", Unit::ratio, Role::measure,
          "FLOPs, each at the peak of its precision, by span and devices: what the GPUs computed. "
          "Nothing if a peak is not known.",
          true},
         {"rows", Unit::count, Role::detail,
          "Rows of the products with a weight that have most FLOPs: tokens with those that pad a "
          "graph. Nothing if there are none.",
          true},
         {"flops_per_token", Unit::factor, Role::measure,
          "FLOPs that its tokens need, without padding, per token. Nothing if the tokens are not "
          "known, or exceed `rows`.",
          true},
         {"model_flops_utilization", Unit::ratio, Role::measure,
          "As `flops_utilization`, of the FLOPs that its tokens need. Nothing if these or a peak "
          "are not known.",
          true},
     },
     false,
     false},
    needs<cost::CostedRun, analyze::LabelledTrace, cost::Roofs>,
    add_cost_steps,
    without_costs};

}  // namespace kr::tables

// Phases and steps found from the operations, without annotations.
#include "analyze/found_phases.hpp"

#include <algorithm>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::FoundPart;
using analyze::FoundStep;
using analyze::LabelPart;
using analyze::PhaseAgreement;

std::string without_found_phases(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<analyze::FoundPhases>().steps.empty()) return {};
  }
  return source.runs.front().get<analyze::FoundPhases>().nothing;
}

std::string without_agreement(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<analyze::FoundPhases>().agreement.empty()) return {};
  }
  std::string nothing = without_found_phases(source);
  return nothing.empty() ? "no annotation of a trace is of the phase `prefill` or `decode`"
                         : nothing;
}

/// Beside annotated phases, found ones are shown if they are requested.
bool without_annotated_phases(const Source& source) {
  return std::all_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.get<analyze::FoundPhases>().agreement.empty();
  });
}

Cell mean_of(const std::optional<analyze::TimesOf>& times) {
  return times ? Cell(times->mean_ns) : Cell();
}
Cell median_of(const std::optional<analyze::TimesOf>& times) {
  return times ? Cell(times->median_ns) : Cell();
}

using FoundPhaseRow = Parts<Run, FoundPart>;
void add_found_phases(const Source& source, Rows<FoundPhaseRow>& rows) {
  for (const Run& run : source.runs) {
    for (const FoundPart& part : run.get<analyze::FoundPhases>().parts) {
      rows.add({run, part});
    }
  }
}

struct FoundStepRow : Parts<Run, FoundStep> {
  int64_t number;
};

void add_found_steps(const Source& source, Rows<FoundStepRow>& rows) {
  for (const Run& run : source.runs) {
    int64_t number = 0;
    const FoundStep* before = nullptr;
    for (const FoundStep& step : run.get<analyze::FoundPhases>().steps) {
      number = before != nullptr && before->device == step.device ? number + 1 : 0;
      before = &step;
      rows.add({{run, step}, number});
    }
  }
}

struct FoundPhaseLabelRow : Parts<Run, FoundPart, LabelPart> {
  std::string_view dimension;
};

void add_found_phase_labels(const Source& source, Rows<FoundPhaseLabelRow>& rows) {
  for (const Run& run : source.runs) {
    for (const FoundPart& part : run.get<analyze::FoundPhases>().parts) {
      for (const auto& [dimension, labels] : part.labels) {
        for (const LabelPart& label : labels) {
          rows.add({{run, part, label}, dimension});
        }
      }
    }
  }
}

using FoundAgreementRow = Parts<Run, PhaseAgreement>;
void add_found_agreement(const Source& source, Rows<FoundAgreementRow>& rows) {
  for (const Run& run : source.runs) {
    for (const PhaseAgreement& one : run.get<analyze::FoundPhases>().agreement) {
      rows.add({run, one});
    }
  }
}

}  // namespace

const Definition found_phases_part = TableOf<FoundPhaseRow>{
    {"found_phases",
     "phases, found from the kernels",
     "One row per run, device and phase, found without annotations, from repeated sequences of "
     "kernels, their labels, copies and gaps ([phases.md](phases.md)). What it finds are steps and "
     "their layers. Whether these are prefill or decode is known only where shapes of kernels and "
     "copies show it, with a confidence; in most traces they do not, and the steps are `other`. "
     "Each moment of the span of a device is in one phase: `span_ns` adds up to that of the "
     "device.",
     {run_column,
      {head::device, &FoundPart::device},
      {"phase", Unit::text, Role::key,
       "`model_load`, `prefill`, `decode`, `idle`, or `other`: steps of another kind, and "
       "operations outside steps.",
       &FoundPart::phase},
      {"stretches", Unit::count, Role::measure, "How often the phase begins.",
       &FoundPart::stretches},
      {"steps", Unit::count, Role::measure,
       "Steps of the model: stacks of layers, one after the other.", &FoundPart::steps},
      {"tokens", Unit::count, Role::measure,
       "Tokens of each request: the steps of `decode`. Empty if a step may make several, and for "
       "other phases.",
       &FoundPart::tokens, optional},
      {"layers", Unit::count, Role::measure,
       "Layers of a step; empty if steps have different numbers, or if their graphs were traced as "
       "one operation.",
       &FoundPart::layers, optional},
      {"instances", Unit::count, Role::detail, "Operations of the phase.", &FoundPart::instances},
      {head::total_ns, &FoundPart::total_ns},
      {"busy_ns", Unit::ns, Role::detail,
       "The time of the span in which at least one operation ran. Adds up to that of the device.",
       &FoundPart::busy_ns},
      {"span_ns", Unit::ns, Role::measure,
       "The time that belongs to the phase: from the first start of its operations to the start "
       "of the next phase, without idle gaps.",
       &FoundPart::span_ns},
      {"step_mean_ns", Unit::ns, Role::detail,
       "The mean over steps, from the first start to the last end. Of `decode`: one token.",
       [](const FoundPart& part) { return mean_of(part.step); }, optional},
      {"step_median_ns", Unit::ns, Role::measure, "The median of the same.",
       [](const FoundPart& part) { return median_of(part.step); }, optional},
      {"layer_mean_ns", Unit::ns, Role::detail,
       "The mean over steps of the time of one layer: the sum of the durations of kernels in the "
       "layers, divided by their number.",
       [](const FoundPart& part) { return mean_of(part.layer); }, optional},
      {"layer_median_ns", Unit::ns, Role::measure, "The median of the same.",
       [](const FoundPart& part) { return median_of(part.layer); }, optional},
      {"confidence", Unit::text, Role::measure,
       "`high`, `medium` or `low`, as [phases.md](phases.md) defines them; empty for time that no "
       "step explains.",
       &FoundPart::confidence, optional},
      {"evidence", Unit::text, Role::measure, "What the phase was found by: a text for people.",
       &FoundPart::evidence}}},
    needs<analyze::FoundPhases>,
    add_found_phases,
    without_found_phases,
    facts::Reads::nothing,
    without_annotated_phases};

const Definition found_steps_part = TableOf<FoundStepRow>{
    {.id = "found_steps",
     .title = "steps, found from the kernels",
     .doc = "One row per run, device and step, found without annotations.",
     .columns = {run_column,
                 {head::device, &FoundStep::device},
                 {"number", Unit::id, Role::key, "The place of the step on the device, from 0.",
                  &FoundStepRow::number},
                 {"phase", Unit::text, Role::measure, "Its phase, as in `found_phases`.",
                  &FoundStep::phase},
                 {"start_ns", Unit::ns, Role::measure, "The start of its first operation.",
                  &FoundStep::start_ns},
                 {"span_ns", Unit::ns, Role::measure,
                  "From there to the last end of its operations.", &FoundStep::span_ns},
                 {"total_ns", Unit::ns, Role::measure,
                  "The sum of the durations of its operations.", &FoundStep::total_ns},
                 {"layers", Unit::count, Role::measure,
                  "Its layers; of all stacks if it has several, as in training. Empty if its graph "
                  "was traced as one operation.",
                  &FoundStep::layers, optional},
                 {"kernels", Unit::count, Role::measure, "Its kernels.", &FoundStep::kernels},
                 {"layer_ns", Unit::ns, Role::measure,
                  "One layer: the sum of the durations of kernels in the layers, divided by their "
                  "number.",
                  &FoundStep::layer_ns, optional},
                 {"confidence", Unit::text, Role::measure, "`high`, `medium` or `low`.",
                  &FoundStep::confidence}},
     .in_short_form = false},
    needs<analyze::FoundPhases>,
    add_found_steps,
    without_found_phases};

Definition found_phase_labels_part() {
  return TableOf<FoundPhaseLabelRow>{
      {.id = "found_phase_labels",
       .title = "found phases by label",
       .doc = "One row per run, device, found phase, dimension and label that occurs in the phase.",
       .columns = {run_column,
                   {head::device, &FoundPart::device},
                   {"phase", Unit::text, Role::key, "The phase, as in `found_phases`.",
                    &FoundPart::phase},
                   {head::dimension, &FoundPhaseLabelRow::dimension},
                   {head::label, &LabelPart::label},
                   {head::instances, &LabelPart::instances},
                   {head::total_ns, &LabelPart::total_ns},
                   {head::share,
                    [](const FoundPhaseLabelRow& row) {
                      return ratio_of(row.of<LabelPart>().total_ns, row.of<FoundPart>().total_ns);
                    }}},
       .in_short_form = false},
      needs<analyze::FoundPhases>,
      add_found_phase_labels,
      without_found_phases};
}

const Definition found_agreement_table = TableOf<FoundAgreementRow>{
    {"found_agreement",
     "found and annotated phases",
     "One row per run and phase (`prefill`, `decode`) that annotations of the run have: how far "
     "the "
     "phases found from the kernels agree.",
     {run_column,
      {head::phase, &PhaseAgreement::phase},
      {"found_steps", Unit::count, Role::measure,
       "Steps found; of several devices, those of the device with most.",
       &PhaseAgreement::found_steps},
      {"annotated_steps", Unit::count, Role::measure,
       "Steps that the annotations have, without those inside a step of the phase.",
       &PhaseAgreement::annotated_steps},
      {"found_ns", Unit::ns, Role::measure, "The time of operations found to be of the phase.",
       &PhaseAgreement::found_ns},
      {"annotated_ns", Unit::ns, Role::measure,
       "The time of operations that the annotated steps launched.", &PhaseAgreement::annotated_ns},
      {"both_ns", Unit::ns, Role::measure, "The time of operations that are both.",
       &PhaseAgreement::both_ns},
      {"share", Unit::ratio, Role::measure,
       "`both_ns`, divided by the time of operations that are either: 1 is full agreement.",
       [](const PhaseAgreement& one) {
         return ratio_of(one.both_ns, one.found_ns + one.annotated_ns - one.both_ns);
       },
       read_with("both_ns")}}},
    needs<analyze::FoundPhases>,
    add_found_agreement,
    without_agreement};

const Definition found_phases_table =
    scoped("found_phases", "phases and steps, found from the kernels",
           "One row per run, device, and phase or step that was found without annotations.",
           {{.part = found_phases_part, .name = "phase", .key = "phase"},
            {.part = found_steps_part, .name = "step", .key = "number"}});

}  // namespace kr::tables

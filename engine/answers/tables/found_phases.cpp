// Phases and steps found from the operations, without annotations.
#include "analyze/found_phases.hpp"

#include <algorithm>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

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

void add_found_phases(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::FoundPart& part : run.get<analyze::FoundPhases>().parts) {
      sink.row({run.summary.id, int64_t{part.device}, analyze::to_string(part.phase),
                part.stretches, part.steps, table::cell(part.tokens), table::cell(part.layers),
                part.instances, part.total_ns, part.busy_ns, part.span_ns, mean_of(part.step),
                median_of(part.step), mean_of(part.layer), median_of(part.layer),
                part.confidence ? Cell(analyze::to_string(*part.confidence)) : Cell(),
                part.evidence});
    }
  }
}

void add_found_steps(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    int64_t number = 0;
    const analyze::FoundStep* before = nullptr;
    for (const analyze::FoundStep& step : run.get<analyze::FoundPhases>().steps) {
      number = before != nullptr && before->device == step.device ? number + 1 : 0;
      before = &step;
      sink.row({run.summary.id, int64_t{step.device}, number, analyze::to_string(step.phase),
                step.start_ns, step.span_ns, step.total_ns, table::cell(step.layers), step.kernels,
                table::cell(step.layer_ns), analyze::to_string(step.confidence)});
    }
  }
}

void add_found_phase_labels(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::FoundPart& part : run.get<analyze::FoundPhases>().parts) {
      for (const auto& [dimension, labels] : part.labels) {
        for (const analyze::LabelPart& label : labels) {
          sink.row({run.summary.id, int64_t{part.device}, analyze::to_string(part.phase), dimension,
                    label.label, label.instances, label.total_ns,
                    ratio_of(label.total_ns, part.total_ns)});
        }
      }
    }
  }
}

void add_found_agreement(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::PhaseAgreement& one : run.get<analyze::FoundPhases>().agreement) {
      sink.row({run.summary.id, one.phase, one.found_steps, one.annotated_steps, one.found_ns,
                one.annotated_ns, one.both_ns,
                ratio_of(one.both_ns, one.found_ns + one.annotated_ns - one.both_ns)});
    }
  }
}

}  // namespace

const Definition found_phases_table{
    {"found_phases",
     "phases, found from the kernels",
     "One row per run, device and phase, found without annotations, from repeated sequences of "
     "kernels, their labels, copies and gaps ([phases.md](phases.md)). What it finds are steps and "
     "their layers. Whether these are prefill or decode is known only where shapes of kernels and "
     "copies show it, with a confidence; in most traces they do not, and the steps are `other`. "
     "Each moment of the span of a device is in one phase: `span_ns` adds up to that of the "
     "device.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"phase", Unit::text, Role::key,
       "`model_load`, `prefill`, `decode`, `idle`, or `other`: steps of another kind, and "
       "operations outside steps."},
      {"stretches", Unit::count, Role::measure, "How often the phase begins."},
      {"steps", Unit::count, Role::measure,
       "Steps of the model: stacks of layers, one after the other."},
      {"tokens", Unit::count, Role::measure,
       "Tokens of each request: the steps of `decode`. Empty if a step may make several, and for "
       "other phases.",
       true},
      {"layers", Unit::count, Role::measure,
       "Layers of a step; empty if steps have different numbers, or if their graphs were traced as "
       "one operation.",
       true},
      {"instances", Unit::count, Role::detail, "Operations of the phase."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"busy_ns", Unit::ns, Role::detail,
       "The time of the span in which at least one operation ran. Adds up to that of the device."},
      {"span_ns", Unit::ns, Role::measure,
       "The time that belongs to the phase: from the first start of its operations to the start "
       "of the next phase, without idle gaps."},
      {"step_mean_ns", Unit::ns, Role::detail,
       "The mean over steps, from the first start to the last end. Of `decode`: one token.", true},
      {"step_median_ns", Unit::ns, Role::measure, "The median of the same.", true},
      {"layer_mean_ns", Unit::ns, Role::detail,
       "The mean over steps of the time of one layer: the sum of the durations of kernels in the "
       "layers, divided by their number.",
       true},
      {"layer_median_ns", Unit::ns, Role::measure, "The median of the same.", true},
      {"confidence", Unit::text, Role::measure,
       "`high`, `medium` or `low`, as [phases.md](phases.md) defines them; empty for time that no "
       "step explains.",
       true},
      {"evidence", Unit::text, Role::measure, "What the phase was found by: a text for people."}}},
    needs<analyze::FoundPhases>,
    add_found_phases,
    without_found_phases,
    facts::Reads::nothing,
    without_annotated_phases};

const Definition found_steps_table{
    {.id = "found_steps",
     .title = "steps, found from the kernels",
     .doc = "One row per run, device and step, found without annotations.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"number", Unit::id, Role::key, "The place of the step on the device, from 0."},
                 {"phase", Unit::text, Role::measure, "Its phase, as in `found_phases`."},
                 {"start_ns", Unit::ns, Role::measure, "The start of its first operation."},
                 {"span_ns", Unit::ns, Role::measure,
                  "From there to the last end of its operations."},
                 {"total_ns", Unit::ns, Role::measure,
                  "The sum of the durations of its operations."},
                 {"layers", Unit::count, Role::measure,
                  "Its layers; of all stacks if it has several, as in training. Empty if its graph "
                  "was traced as one operation.",
                  true},
                 {"kernels", Unit::count, Role::measure, "Its kernels."},
                 {"layer_ns", Unit::ns, Role::measure,
                  "One layer: the sum of the durations of kernels in the layers, divided by their "
                  "number.",
                  true},
                 {"confidence", Unit::text, Role::measure, "`high`, `medium` or `low`."}},
     .in_short_form = false},
    needs<analyze::FoundPhases>,
    add_found_steps,
    without_found_phases};

const Definition found_phase_labels_table{
    {.id = "found_phase_labels",
     .title = "found phases by label",
     .doc = "One row per run, device, found phase, dimension and label that occurs in the phase.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"phase", Unit::text, Role::key, "The phase, as in `found_phases`."},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"instances", Unit::count, Role::measure,
                  "Operations of the phase with the label."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the phase.",
                  false, false, "total_ns"}},
     .in_short_form = false},
    needs<analyze::FoundPhases>,
    add_found_phase_labels,
    without_found_phases};

const Definition found_agreement_table{
    {"found_agreement",
     "found and annotated phases",
     "One row per run and phase (`prefill`, `decode`) that annotations of the run have: how far "
     "the "
     "phases found from the kernels agree.",
     {{"run", Unit::text, Role::key, "The run."},
      {"phase", Unit::text, Role::key, "The phase."},
      {"found_steps", Unit::count, Role::measure,
       "Steps found; of several devices, those of the device with most."},
      {"annotated_steps", Unit::count, Role::measure,
       "Steps that the annotations have, without those inside a step of the phase."},
      {"found_ns", Unit::ns, Role::measure, "The time of operations found to be of the phase."},
      {"annotated_ns", Unit::ns, Role::measure,
       "The time of operations that the annotated steps launched."},
      {"both_ns", Unit::ns, Role::measure, "The time of operations that are both."},
      {"share", Unit::ratio, Role::measure,
       "`both_ns`, divided by the time of operations that are either: 1 is full agreement.", false,
       false, "both_ns"}}},
    needs<analyze::FoundPhases>,
    add_found_agreement,
    without_agreement};

}  // namespace kr::tables

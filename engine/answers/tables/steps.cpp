// Operations by phase and by step, with their labels.
#include "analyze/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_steps(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return !run.get<analyze::StepSums>().phases.empty(); });
  return any ? std::string() : "no annotation of a trace matches the `phases` of its model";
}

/// The place of the dimension that reports use.
template <class Dimensions, class Name>
size_t shown_dimension(const Dimensions& dimensions, const Name& name) {
  const auto at = std::find_if(dimensions.begin(), dimensions.end(),
                               [&](const auto& one) { return name(one) == "substage"; });
  return at == dimensions.end() ? 0 : static_cast<size_t>(at - dimensions.begin());
}

/// `gemm 61 %, attention 20 %, norm 8 %`.
std::string largest_labels(const std::vector<analyze::LabelPart>& labels) {
  constexpr size_t max_labels = 3;
  int64_t total_ns = 0;
  for (const analyze::LabelPart& label : labels) total_ns += label.total_ns;
  std::string out;
  for (size_t i = 0; i < std::min(max_labels, labels.size()); ++i) {
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", labels[i].label,
                       100 * ratio_of(labels[i].total_ns, total_ns));
  }
  return out;
}

void add_phases(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::PhasePart& phase : run.get<analyze::StepSums>().phases) {
      const size_t shown = shown_dimension(phase.labels, [](const auto& one) { return one.first; });
      const std::string labels =
          phase.labels.empty() ? std::string() : largest_labels(phase.labels[shown].second);
      const std::optional<analyze::WallTimes>& wall = phase.wall;
      sink.row({run.summary.id, phase.phase, phase.steps, table::cell(phase.batch),
                table::cell(phase.tokens), phase.instances, phase.total_ns, phase.busy_ns,
                wall ? Cell(std::llround(wall->median_ns)) : Cell(),
                wall ? Cell(wall->p95_ns) : Cell(), wall ? Cell(wall->max_ns) : Cell(),
                table::cell_or_nothing(labels)});
    }
  }
}

void add_steps(const Run& run, RowSink& sink) {
  const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
  const size_t shown = shown_dimension(steps.dimensions(), [](const auto& one) { return one; });
  for (size_t i = 0; i < steps.size(); ++i) {
    const analyze::StepPart step = steps[i];
    const std::string labels =
        steps.dimensions().empty() ? std::string() : largest_labels(steps.labels(i, shown));
    const analyze::Breakdown& time = step.time;
    sink.row({run.summary.id,
              static_cast<int64_t>(i),
              step.outer ? Cell(static_cast<int64_t>(*step.outer)) : Cell(),
              step.phase,
              table::cell(step.step),
              table::cell(step.layer),
              table::cell(step.batch),
              table::cell(step.tokens),
              step.instances,
              step.total_ns,
              table::cell(step.wall_ns),
              time.span_ns,
              time.busy_ns,
              time.compute_ns,
              time.communication_ns,
              time.exposed_communication_ns,
              time.memory_ns,
              time.exposed_memory_ns,
              time.idle_ns,
              table::cell_or_nothing(labels),
              step.text});
  }
}

void add_step_devices(const Run& run, RowSink& sink) {
  const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const analyze::StepDevice& one : steps.devices(i)) {
      sink.row({run.summary.id, static_cast<int64_t>(i), int64_t{one.device}, one.operations,
                one.span_ns, one.busy_ns, one.compute_ns, one.communication_ns,
                one.exposed_communication_ns, one.memory_ns, one.exposed_memory_ns, one.idle_ns,
                one.first_start_ns});
    }
  }
}

void add_phase_labels(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::PhasePart& phase : run.get<analyze::StepSums>().phases) {
      for (const auto& [dimension, labels] : phase.labels) {
        for (const analyze::LabelPart& label : labels) {
          sink.row({run.summary.id, phase.phase, dimension, label.label, label.instances,
                    label.total_ns, ratio_of(label.total_ns, phase.total_ns)});
        }
      }
    }
  }
}

void add_step_labels(const Run& run, RowSink& sink) {
  const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const analyze::StepPart step = steps[i];
    for (const auto& [dimension, labels] : steps.labels(i)) {
      for (const analyze::LabelPart& label : labels) {
        sink.row({run.summary.id, static_cast<int64_t>(i), step.phase, table::cell(step.step),
                  dimension, label.label, label.instances, label.total_ns,
                  ratio_of(label.total_ns, step.total_ns)});
      }
    }
  }
}

template <auto add>
void add_runs(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) add(run, sink);
}

/// Of the others, saved runs have a sample.
template <auto add>
void add_saved_runs(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    if (!analyze::has_too_many_rows(run.get<analyze::StepSums>().steps)) add(run, sink);
  }
}

std::string without_each_step(const Source& source) {
  const std::string why = without_steps(source);
  return why.empty() ? only_sampled_steps(source) : why;
}

}  // namespace

std::string only_sampled_steps(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return run.get<analyze::StepSums>().sample.has_value(); });
  return any ? "a saved run has only a sample of its steps: name its trace" : std::string();
}

const Definition phases_table{
    {"phases",
     "phases",
     "One row per run and phase: its operations, over all its steps and those inside them.",
     {{"run", Unit::text, Role::key, "The run."},
      {"phase", Unit::text, Role::key,
       "The phase; `(outside steps)` is for operations that no step launched."},
      {"steps", Unit::count, Role::measure,
       "Steps of the phase, without those inside a step of the same phase."},
      {"batch", Unit::count, Role::measure,
       "Requests of all these steps; empty if the annotations do not report them for each step.",
       true},
      {"tokens", Unit::count, Role::measure,
       "Tokens of all these requests; empty if the annotations do not report them for each step.",
       true},
      {"instances", Unit::count, Role::measure, "Operations of the phase."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them ran."},
      {"wall_median_ns", Unit::ns, Role::measure,
       "The median wall time of its steps (`wall_ns` of `steps`).", true},
      {"wall_p95_ns", Unit::ns, Role::measure,
       "The least wall time that 95 % of its steps do not exceed.", true},
      {"wall_max_ns", Unit::ns, Role::measure, "The longest wall time of its steps.", true},
      {"labels_of_total", Unit::text, Role::short_form,
       "The labels with most of `total_ns`, and their share of it.", true}}},
    needs<analyze::StepSums>,
    add_phases,
    without_steps};

const Definition steps_table{
    {"steps",
     "steps",
     "One row per run and step, in order of start on the host: the operations that the step "
     "launched, and those of steps inside it.",
     {{"run", Unit::text, Role::key, "The run."},
      {"step_id", Unit::id, Role::key, "The place of the step among those of the run, from 0."},
      {"outer_step_id", Unit::id, Role::detail, "The `step_id` of the step that encloses it.",
       true},
      {"phase", Unit::text, Role::measure, "The phase that the annotation of the step matches."},
      {"step", Unit::id, Role::measure, "The number of the step, if the annotation has one.", true},
      {"layer", Unit::id, Role::measure, "The number of the layer, if the annotation has one.",
       true},
      {"batch", Unit::count, Role::measure, "Requests, if the annotation reports them.", true},
      {"tokens", Unit::count, Role::measure,
       "Tokens of all requests, if the annotation reports them.", true},
      {"instances", Unit::count, Role::measure, "Operations of the step."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"wall_ns", Unit::ns, Role::measure,
       "From the start of its first operation to the start of the first operation of the next "
       "step: these times add up to the run, with the idle time between steps. Nothing of the last "
       "step, and of steps inside another one.",
       true},
      {"span_ns", Unit::ns, Role::measure,
       "From their first start to their last end, on all devices together."},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them ran."},
      {"compute_ns", Unit::ns, Role::detail, "The time in which a compute kernel of them ran."},
      {"communication_ns", Unit::ns, Role::detail,
       "The time in which communication of them ran, including the time when compute also ran."},
      {"exposed_communication_ns", Unit::ns, Role::measure,
       "The time in which communication of them ran and no compute of them."},
      {"memory_ns", Unit::ns, Role::detail, "The time in which a copy or set of them ran."},
      {"exposed_memory_ns", Unit::ns, Role::detail,
       "The time in which a copy or set of them ran, and neither compute nor communication of "
       "them."},
      {"idle_ns", Unit::ns, Role::measure, "The time of the span in which none of them ran."},
      {"labels_of_total", Unit::text, Role::short_form,
       "The labels with most of `total_ns`, and their share of it.", true},
      {"text", Unit::text, Role::measure, "The text of the annotation."}}},
    needs<analyze::StepSums>,
    add_runs<add_steps>,
    without_each_step, facts::Reads::nothing,
    nullptr,
    nullptr,
    add_saved_runs<add_steps>};

const Definition step_devices_table{
    {.id = "step_devices",
     .title = "steps by device",
     .doc =
         "One row per run, step and device with operations of the step: span = compute + exposed "
         "communication + exposed memory + idle.",
     .columns =
         {{"run", Unit::text, Role::key, "The run."},
          {"step_id", Unit::id, Role::key, "The place of the step among those of the run, from 0."},
          {"device", Unit::id, Role::key, "The number of the device."},
          {"operations", Unit::count, Role::measure, "Operations of the step on it."},
          {"span_ns", Unit::ns, Role::measure, "From their first start to their last end."},
          {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them ran."},
          {"compute_ns", Unit::ns, Role::measure,
           "The time in which a compute kernel of them ran."},
          {"communication_ns", Unit::ns, Role::measure,
           "The time in which communication of them ran, including the time when compute "
           "also ran."},
          {"exposed_communication_ns", Unit::ns, Role::measure,
           "The time in which communication of them ran and no compute of them."},
          {"memory_ns", Unit::ns, Role::measure, "The time in which a copy or set of them ran."},
          {"exposed_memory_ns", Unit::ns, Role::measure,
           "The time in which a copy or set of them ran, and neither compute nor "
           "communication of them."},
          {"idle_ns", Unit::ns, Role::measure, "The time of the span in which none of them ran."},
          {"first_start_ns", Unit::ns, Role::measure,
           "When the first of them begins, on the clock of the trace."}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_runs<add_step_devices>,
    without_each_step, facts::Reads::nothing,
    nullptr,
    nullptr,
    add_saved_runs<add_step_devices>};

const Definition phase_labels_table{
    {.id = "phase_labels",
     .title = "phases by label",
     .doc = "One row per run, phase, dimension and label that occurs in the phase.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"phase", Unit::text, Role::key, "The phase, as in `phases`."},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"instances", Unit::count, Role::measure,
                  "Operations of the phase with the label."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the phase.",
                  false, false, "total_ns"}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_phase_labels,
    without_steps};

const Definition step_labels_table{
    {.id = "step_labels",
     .title = "steps by label",
     .doc = "One row per run, step, dimension and label that occurs in the step.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"step_id", Unit::id, Role::key,
                  "The place of the step among those of the run, from 0."},
                 {"phase", Unit::text, Role::measure, "The phase of the step."},
                 {"step", Unit::id, Role::measure,
                  "The number of the step, if the annotation has one.", true},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"instances", Unit::count, Role::measure,
                  "Operations of the step with the label."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the step.",
                  false, false, "total_ns"}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_runs<add_step_labels>,
    without_each_step, facts::Reads::nothing,
    nullptr,
    nullptr,
    add_saved_runs<add_step_labels>};

}  // namespace kr::tables

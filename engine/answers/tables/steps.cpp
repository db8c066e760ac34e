// Operations by phase and by step, with their labels.
#include "analyze/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Breakdown;
using analyze::LabelPart;
using analyze::PhasePart;
using analyze::StepDevice;
using analyze::StepPart;
using analyze::StepParts;

std::string without_steps(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return !run.get<analyze::StepSums>().phases.empty();
  });
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
std::string largest_labels(const std::vector<LabelPart>& labels) {
  constexpr size_t max_labels = 3;
  int64_t total_ns = 0;
  for (const LabelPart& label : labels) total_ns += label.total_ns;
  std::string out;
  for (size_t i = 0; i < std::min(max_labels, labels.size()); ++i) {
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", labels[i].label,
                       100 * ratio_of(labels[i].total_ns, total_ns));
  }
  return out;
}

struct PhaseRow : Parts<Run, PhasePart> {
  std::string_view labels;
};

void add_phases(const Source& source, Rows<PhaseRow>& rows) {
  for (const Run& run : source.runs) {
    for (const PhasePart& phase : run.get<analyze::StepSums>().phases) {
      const size_t shown = shown_dimension(phase.labels, [](const auto& one) { return one.first; });
      const std::string labels =
          phase.labels.empty() ? std::string() : largest_labels(phase.labels[shown].second);
      rows.add({{run, phase}, labels});
    }
  }
}

struct StepRow : Parts<Run, StepPart, Breakdown> {
  int64_t id;
  std::string_view labels;
};

void add_steps(const Run& run, Rows<StepRow>& rows) {
  const StepParts& steps = run.get<analyze::StepSums>().steps;
  const size_t shown = shown_dimension(steps.dimensions(), [](const auto& one) { return one; });
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepPart step = steps[i];
    const std::string labels =
        steps.dimensions().empty() ? std::string() : largest_labels(steps.labels(i, shown));
    rows.add({{run, step, step.time}, static_cast<int64_t>(i), labels});
  }
}

struct StepDeviceRow : Parts<Run, StepDevice> {
  int64_t id;
};

void add_step_devices(const Run& run, Rows<StepDeviceRow>& rows) {
  const StepParts& steps = run.get<analyze::StepSums>().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    for (const StepDevice& one : steps.devices(i)) rows.add({{run, one}, static_cast<int64_t>(i)});
  }
}

struct PhaseLabelRow : Parts<Run, PhasePart, LabelPart> {
  std::string_view dimension;
};

void add_phase_labels(const Source& source, Rows<PhaseLabelRow>& rows) {
  for (const Run& run : source.runs) {
    for (const PhasePart& phase : run.get<analyze::StepSums>().phases) {
      for (const auto& [dimension, labels] : phase.labels) {
        for (const LabelPart& label : labels) {
          rows.add({{run, phase, label}, dimension});
        }
      }
    }
  }
}

struct StepLabelRow : Parts<Run, StepPart, LabelPart> {
  int64_t id;
  std::string_view dimension;
};

void add_step_labels(const Run& run, Rows<StepLabelRow>& rows) {
  const StepParts& steps = run.get<analyze::StepSums>().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepPart step = steps[i];
    for (const auto& [dimension, labels] : steps.labels(i)) {
      for (const LabelPart& label : labels) {
        rows.add({{run, step, label}, static_cast<int64_t>(i), dimension});
      }
    }
  }
}

template <class Row, void (*add)(const Run& run, Rows<Row>& rows)>
void add_runs(const Source& source, Rows<Row>& rows) {
  for (const Run& run : source.runs) add(run, rows);
}

std::string without_each_step(const Source& source) {
  const std::string why = without_steps(source);
  return why.empty() ? only_sampled_steps(source) : why;
}

}  // namespace

std::string only_sampled_steps(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.get<analyze::StepSums>().sample.has_value();
  });
  return any ? "a saved run has only a sample of its steps: name its trace" : std::string();
}

const Definition phases_table = TableOf<PhaseRow>{
    {"phases",
     "phases",
     "One row per run and phase: its operations, over all its steps and those inside them.",
     {run_column,
      {"phase", Unit::text, Role::key,
       "The phase; `(outside steps)` is for operations that no step launched.", &PhasePart::phase},
      {"steps", Unit::count, Role::measure,
       "Steps of the phase, without those inside a step of the same phase.", &PhasePart::steps},
      {"batch", Unit::count, Role::measure,
       "Requests of all these steps; empty if the annotations do not report them for each step.",
       &PhasePart::batch, optional},
      {"tokens", Unit::count, Role::measure,
       "Tokens of all these requests; empty if the annotations do not report them for each step.",
       &PhasePart::tokens, optional},
      {"instances", Unit::count, Role::measure, "Operations of the phase.", &PhasePart::instances},
      {head::total_ns, &PhasePart::total_ns},
      {head::busy_ns, &PhasePart::busy_ns},
      {"wall_median_ns", Unit::ns, Role::measure,
       "The median wall time of its steps (`wall_ns` of `steps`).",
       [](const PhasePart& phase) {
         return phase.wall ? Cell(std::llround(phase.wall->median_ns)) : Cell();
       },
       optional},
      {"wall_p95_ns", Unit::ns, Role::measure,
       "The least wall time that 95 % of its steps do not exceed.",
       [](const PhasePart& phase) { return phase.wall ? Cell(phase.wall->p95_ns) : Cell(); },
       optional},
      {"wall_max_ns", Unit::ns, Role::measure, "The longest wall time of its steps.",
       [](const PhasePart& phase) { return phase.wall ? Cell(phase.wall->max_ns) : Cell(); },
       optional},
      {"busy_share", Unit::ratio, Role::measure,
       "The time in which operations of its steps ran, by the wall times of these steps: the rest "
       "is idle time in and between them. Of steps that have a wall time; more than 1 where they "
       "overlap.",
       [](const PhasePart& phase) {
         return phase.walled.wall_ns > 0
                    ? Cell(ratio_of(phase.walled.busy_ns, phase.walled.wall_ns))
                    : Cell();
       },
       optional},
      {"tokens_per_s", Unit::per_second, Role::measure,
       "Tokens of these steps by their wall times; empty if those of a step are not known.",
       [](const PhasePart& phase) { return table::cell(phase.walled.tokens_per_s()); }, optional},
      {head::labels_of_total, &PhaseRow::labels}}},
    needs<analyze::StepSums>,
    add_phases,
    without_steps};

const Definition steps_table = TableOf<StepRow>{
    {"steps",
     "steps",
     "One row per run and step, in order of start on the host: the operations that the step "
     "launched, and those of steps inside it.",
     {run_column,
      {head::step_id, &StepRow::id},
      {"outer_step_id", Unit::id, Role::detail, "The `step_id` of the step that encloses it.",
       &StepPart::outer, optional},
      {"phase", Unit::text, Role::measure, "The phase that the annotation of the step matches.",
       &StepPart::phase},
      {head::step, &StepPart::step},
      {head::layer, &StepPart::layer},
      {head::batch, &StepPart::batch},
      {head::tokens, &StepPart::tokens},
      {"instances", Unit::count, Role::measure, "Operations of the step.", &StepPart::instances},
      {head::total_ns, &StepPart::total_ns},
      {"wall_ns", Unit::ns, Role::measure,
       "From the start of its first operation to the start of the first operation of the next "
       "step: these times add up to the run, with the idle time between steps. Nothing of the last "
       "step, and of steps inside another one.",
       &StepPart::wall_ns, optional},
      {"span_ns", Unit::ns, Role::measure,
       "From their first start to their last end, on all devices together.", &Breakdown::span_ns},
      {head::busy_ns, &Breakdown::busy_ns},
      {"compute_ns", Unit::ns, Role::detail, "The time in which a compute kernel of them ran.",
       &Breakdown::compute_ns},
      {"communication_ns", Unit::ns, Role::detail,
       "The time in which communication of them ran, including the time when compute also ran.",
       &Breakdown::communication_ns},
      {head::exposed_communication_ns, &Breakdown::exposed_communication_ns},
      {"memory_ns", Unit::ns, Role::detail, "The time in which a copy or set of them ran.",
       &Breakdown::memory_ns},
      {"exposed_memory_ns", Unit::ns, Role::detail,
       "The time in which a copy or set of them ran, and neither compute nor communication of "
       "them.",
       &Breakdown::exposed_memory_ns},
      {head::idle_ns, &Breakdown::idle_ns},
      {head::labels_of_total, &StepRow::labels},
      {"text", Unit::text, Role::measure, "The text of the annotation.", &StepPart::text}}},
    needs<analyze::StepSums>,
    add_runs<StepRow, add_steps>,
    without_each_step};

const Definition step_devices_table = TableOf<StepDeviceRow>{
    {.id = "step_devices",
     .title = "steps by device",
     .doc =
         "One row per run, step and device with operations of the step: span = compute + exposed "
         "communication + exposed memory + idle.",
     .columns = {run_column,
                 {head::step_id, &StepDeviceRow::id},
                 {head::device, &StepDevice::device},
                 {"operations", Unit::count, Role::measure, "Operations of the step on it.",
                  &StepDevice::operations},
                 {"span_ns", Unit::ns, Role::measure, "From their first start to their last end.",
                  &StepDevice::span_ns},
                 {head::busy_ns, &StepDevice::busy_ns},
                 {head::compute_ns, &StepDevice::compute_ns},
                 {head::communication_ns, &StepDevice::communication_ns},
                 {head::exposed_communication_ns, &StepDevice::exposed_communication_ns},
                 {head::memory_ns, &StepDevice::memory_ns},
                 {head::exposed_memory_ns, &StepDevice::exposed_memory_ns},
                 {head::idle_ns, &StepDevice::idle_ns},
                 {"first_start_ns", Unit::ns, Role::measure,
                  "When the first of them begins, on the clock of the trace.",
                  &StepDevice::first_start_ns}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_runs<StepDeviceRow, add_step_devices>,
    without_each_step};

Definition phase_labels_part() {
  return TableOf<PhaseLabelRow>{
      {.id = "phase_labels",
       .title = "phases by label",
       .doc = "One row per run, phase, dimension and label that occurs in the phase.",
       .columns = {run_column,
                   {head::phase_of_phases, &PhasePart::phase},
                   {head::dimension, &PhaseLabelRow::dimension},
                   {head::label, &LabelPart::label},
                   {head::instances, &LabelPart::instances},
                   {head::total_ns, &LabelPart::total_ns},
                   {head::share,
                    [](const PhaseLabelRow& row) {
                      return ratio_of(row.of<LabelPart>().total_ns, row.of<PhasePart>().total_ns);
                    }}},
       .in_short_form = false},
      needs<analyze::StepSums>,
      add_phase_labels,
      without_steps};
}

Definition step_labels_part() {
  return TableOf<StepLabelRow>{
      {.id = "step_labels",
       .title = "steps by label",
       .doc = "One row per run, step, dimension and label that occurs in the step.",
       .columns = {run_column,
                   {head::step_id, &StepLabelRow::id},
                   {head::phase_of_step, &StepPart::phase},
                   {head::step, &StepPart::step},
                   {head::dimension, &StepLabelRow::dimension},
                   {head::label, &LabelPart::label},
                   {"instances", Unit::count, Role::measure,
                    "Operations of the step with the label.", &LabelPart::instances},
                   {head::total_ns, &LabelPart::total_ns},
                   {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the step.",
                    [](const StepLabelRow& row) {
                      return ratio_of(row.of<LabelPart>().total_ns, row.of<StepPart>().total_ns);
                    },
                    read_with("total_ns")}},
       .in_short_form = false},
      needs<analyze::StepSums>,
      add_runs<StepLabelRow, add_step_labels>,
      without_each_step};
}

}  // namespace kr::tables

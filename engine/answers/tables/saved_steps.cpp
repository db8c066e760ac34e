// What saved runs keep of runs with very many steps.
#include <algorithm>

#include "analyze/steps.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

bool has_sample(const Run& run) {
  return run.get<analyze::StepSums>().sample ||
         analyze::has_too_many_rows(run.get<analyze::StepSums>().steps);
}

template <class Add>
void each_sample(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    if (!has_sample(run)) continue;
    const analyze::StepSums& sums = run.get<analyze::StepSums>();
    add(run, sums.sample ? *sums.sample : analyze::sample_of(sums.steps));
  }
}

/// `row(dimension, label, total_ns)`
template <class Row>
void each_label(const analyze::LabelParts& parts, const Row& row) {
  for (const auto& [dimension, labels] : parts) {
    for (const analyze::LabelPart& label : labels) row(dimension, label.label, label.total_ns);
  }
}

void add_saved_sums(const Source& source, RowSink& sink) {
  each_sample(source, [&](const Run& run, const analyze::StepSample& sample) {
    for (const analyze::StepSample::PhaseSum& sum : sample.sums) {
      sink.row({run.summary.id, sum.phase, Cell(), Cell(), sum.steps, sum.total_ns});
      each_label(sum.labels, [&](const auto& dimension, const auto& label, int64_t total_ns) {
        sink.row({run.summary.id, sum.phase, dimension, label, Cell(), total_ns});
      });
    }
  });
}

void add_saved_steps(const Source& source, RowSink& sink) {
  each_sample(source, [&](const Run& run, const analyze::StepSample& sample) {
    for (const analyze::StepSample::Step& step : sample.steps) {
      sink.row({run.summary.id, step.id, step.phase, Cell(), Cell(), step.total_ns,
                table::cell(step.wall_ns), step.busy_ns});
      each_label(step.labels, [&](const auto& dimension, const auto& label, int64_t total_ns) {
        sink.row({run.summary.id, step.id, step.phase, dimension, label, total_ns, Cell(), Cell()});
      });
    }
  });
}

std::string without_sample(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), has_sample);
  return any ? "" : "no run has that many steps";
}

}  // namespace

const Definition saved_step_sums_table{
    {.id = "saved_step_sums",
     .title = "saved sums of steps",
     .doc = "One row per run and phase, of saved runs with very many steps, and one per label: "
            "the steps that are inside no other one and launched operations.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"phase", Unit::text, Role::key, "The phase."},
                 {"dimension", Unit::text, Role::key,
                  "The dimension of a label; empty: the row is of all labels.", true},
                 {"label", Unit::text, Role::key, "The label.", true},
                 {"steps", Unit::count, Role::measure, "The number of steps.", true},
                 {"total_ns", Unit::ns, Role::measure,
                  "The sum of the durations of their operations."}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_saved_sums,
    without_sample,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    true};

const Definition saved_steps_table{
    {.id = "saved_steps",
     .title = "saved steps",
     .doc = "One row per step of a sample of the steps of `saved_step_sums`, and one per label: a "
            "random step of each of as many stretches of about the same length as fit.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"step_id", Unit::id, Role::key,
                  "The place of the step among all those of the run, from 0."},
                 {"phase", Unit::text, Role::measure, "The phase."},
                 {"dimension", Unit::text, Role::key,
                  "The dimension of a label; empty: the row is of all labels.", true},
                 {"label", Unit::text, Role::key, "The label.", true},
                 {"total_ns", Unit::ns, Role::measure,
                  "The sum of the durations of its operations."},
                 {"wall_ns", Unit::ns, Role::measure, "As in `steps`.", true},
                 {"busy_ns", Unit::ns, Role::measure,
                  "The time in which at least one of them ran; empty for labels.", true}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_saved_steps,
    without_sample,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    true};

}  // namespace kr::tables

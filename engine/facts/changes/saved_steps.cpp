// Steps and phases of saved runs.
#include <algorithm>
#include <map>
#include <utility>

#include "changes/saved_tables.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

class StepsReader {
 public:
  StepsReader(const SavedTables& tables, const std::string& run, SavedRun& saved)
      : tables_(tables), run_(run), summary_(saved.summary), out_(saved.steps) {}

  void read() {
    // A trace without a host trace has no steps.
    if (tables_.has("steps")) read_steps();
    if (tables_.has("step_labels")) read_step_labels();
    if (tables_.has("step_devices")) read_step_devices();
    if (tables_.has("phases")) read_phases();
    if (tables_.has("phase_labels")) read_phase_labels();
  }

 private:
  analyze::LabelParts without_labels() const {
    analyze::LabelParts parts;
    for (const analyze::DimensionSum& one : summary_.dimensions) {
      parts.emplace_back(one.dimension, std::vector<analyze::LabelPart>());
    }
    return parts;
  }

  void read_steps() {
    // Steps of a phase that are not inside each other have no operations in common.
    std::map<std::string, int64_t> left;
    Statement rows = tables_.of_run(
        "SELECT step_id, outer_step_id, phase, step, layer, batch, tokens, total_ns, text, "
        "instances, span_ns, busy_ns, compute_ns, communication_ns, exposed_communication_ns, "
        "memory_ns, exposed_memory_ns, idle_ns, wall_ns FROM steps WHERE run = ?1 ORDER BY step_id",
        run_);
    while (rows.step()) {
      tables_.check(rows.integer(0) == static_cast<int64_t>(out_.steps.size()));
      analyze::StepPart step;
      step.phase = rows.text(2);
      if (!rows.is_null(3)) step.step = rows.integer(3);
      if (!rows.is_null(4)) step.layer = rows.integer(4);
      step.batch = tables_.amount_or_nothing(rows, 5);
      step.tokens = tables_.amount_or_nothing(rows, 6);
      step.total_ns = tables_.amount(rows, 7);
      step.text = rows.text(8);
      step.time = tables_.breakdown(rows, 9);
      step.wall_ns = tables_.amount_or_nothing(rows, 18);
      step.instances = step.time.operations;
      step.labels = without_labels();
      bool inside = false;
      if (!rows.is_null(1)) {
        const int64_t outer = rows.integer(1);
        // An enclosing step begins before those inside it.
        tables_.check(outer >= 0 && outer < static_cast<int64_t>(out_.steps.size()));
        step.outer = static_cast<size_t>(outer);
        for (auto at = step.outer; at; at = out_.steps[*at].outer) {
          inside |= out_.steps[*at].phase == step.phase;
        }
      }
      if (!inside) {
        tables_.take_from(left.try_emplace(step.phase, summary_.gpu_total_ns).first->second,
                          step.total_ns);
      }
      out_.steps.push_back(std::move(step));
    }
  }

  analyze::StepPart& step_of(const Statement& row, int column) {
    const int64_t id = row.integer(column);
    tables_.check(id >= 0 && id < static_cast<int64_t>(out_.steps.size()));
    return out_.steps[static_cast<size_t>(id)];
  }

  /// Of the columns dimension, label, instances, total_ns.
  void read_label(const Statement& row, int column, int64_t max_ns, analyze::LabelParts& to) {
    const std::string_view dimension = row.text(column);
    const auto at = std::find_if(to.begin(), to.end(),
                                 [&](const auto& part) { return part.first == dimension; });
    tables_.check(at != to.end());
    std::vector<analyze::LabelPart>& labels = at->second;
    const int64_t total_ns = tables_.amount(row, column + 3);
    tables_.take_from(left_.try_emplace(&labels, max_ns).first->second, total_ns);
    labels.push_back(
        {std::string(row.text(column + 1)), tables_.amount(row, column + 2), total_ns});
  }

  void read_step_labels() {
    Statement rows = tables_.of_run(
        "SELECT step_id, dimension, label, instances, total_ns FROM step_labels WHERE run = ?1 "
        "ORDER BY rowid",
        run_);
    while (rows.step()) {
      analyze::StepPart& step = step_of(rows, 0);
      read_label(rows, 1, step.total_ns, step.labels);
    }
  }

  void read_step_devices() {
    Statement rows = tables_.of_run(
        "SELECT step_id, device, operations, span_ns, busy_ns, compute_ns, communication_ns, "
        "exposed_communication_ns, memory_ns, exposed_memory_ns, idle_ns, first_start_ns "
        "FROM step_devices WHERE run = ?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      analyze::StepPart& step = step_of(rows, 0);
      analyze::StepDevice one;
      one.device = tables_.device(rows, 1);
      static_cast<analyze::Breakdown&>(one) = tables_.breakdown(rows, 2);
      one.first_start_ns = tables_.time(rows, 11);
      tables_.check(one.operations <= step.instances && one.span_ns <= step.time.span_ns &&
                    (step.devices.empty() || step.devices.back().device < one.device));
      step.devices.push_back(one);
    }
  }

  void read_phases() {
    Statement rows = tables_.of_run(
        "SELECT phase, steps, batch, tokens, instances, total_ns, busy_ns FROM phases WHERE run = "
        "?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      analyze::PhasePart phase;
      phase.phase = rows.text(0);
      phase.steps = tables_.amount(rows, 1);
      phase.batch = tables_.amount_or_nothing(rows, 2);
      phase.tokens = tables_.amount_or_nothing(rows, 3);
      phase.instances = tables_.amount(rows, 4);
      phase.total_ns = tables_.amount(rows, 5);
      phase.busy_ns = tables_.amount(rows, 6);
      phase.labels = without_labels();
      tables_.check(phase.total_ns <= summary_.gpu_total_ns && phase.busy_ns <= phase.total_ns);
      out_.phases.push_back(std::move(phase));
    }
    analyze::add_wall_times(out_);
  }

  void read_phase_labels() {
    Statement rows = tables_.of_run(
        "SELECT phase, dimension, label, instances, total_ns FROM phase_labels WHERE run = ?1 "
        "ORDER BY rowid",
        run_);
    while (rows.step()) {
      const std::string_view name = rows.text(0);
      const auto at = std::find_if(out_.phases.begin(), out_.phases.end(),
                                   [&](const auto& phase) { return phase.phase == name; });
      tables_.check(at != out_.phases.end());
      read_label(rows, 1, at->total_ns, at->labels);
    }
  }

  const SavedTables& tables_;
  const std::string& run_;
  const analyze::RunSummary& summary_;
  analyze::StepSums& out_;
  std::map<const void*, int64_t> left_;  // by list of labels: what is left of its sum
};

}  // namespace

void read_saved_steps(const SavedTables& tables, const std::string& run, SavedRun& saved) {
  StepsReader(tables, run, saved).read();
}

}  // namespace kr::changes

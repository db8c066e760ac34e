// Steps and phases of saved runs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
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
    for (const analyze::DimensionSum& one : summary_.dimensions) {
      out_.steps.add_dimension(one.dimension);
    }
    // A trace without a host trace has no steps.
    if (tables_.has("steps")) read_steps();
    if (tables_.has("saved_step_sums")) read_sample_sums();
    if (tables_.has("saved_steps")) read_sample_steps();
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

  size_t dimension(std::string_view name) const {
    const auto at = summary_.dimension(name);
    if (!at) tables_.refuse("does not add up");
    return *at;
  }

  /// Of the columns label, instances, total_ns.
  analyze::LabelPart label(const Statement& row, int column) const {
    return {std::string(row.text(column)), tables_.amount(row, column + 1),
            tables_.amount(row, column + 2)};
  }

  /// Rows of a table by step, in the order of the steps.
  class OfSteps {
   public:
    OfSteps(const SavedTables& tables, const std::string& run, const char* table,
            std::string_view columns) {
      if (!tables.has(table)) return;
      rows_.emplace(tables.of_run(
          fmt::format("SELECT step_id, {} FROM {} WHERE run = ?1 ORDER BY rowid", columns, table),
          run));
      more_ = rows_->step();
    }
    bool more() const noexcept { return more_; }
    template <class Call>
    void each_of(int64_t step, const Call& call) {
      for (; more_ && rows_->integer(0) == step; more_ = rows_->step()) call(*rows_);
    }

   private:
    std::optional<Statement> rows_;
    bool more_ = false;
  };

  void read_steps() {
    // Steps of a phase that are not inside each other have no operations in common.
    std::map<std::string, int64_t> left;
    OfSteps labels(tables_, run_, "step_labels", "dimension, label, instances, total_ns");
    OfSteps devices(tables_, run_, "step_devices",
                    "device, operations, span_ns, busy_ns, compute_ns, communication_ns, "
                    "exposed_communication_ns, memory_ns, exposed_memory_ns, idle_ns, "
                    "first_start_ns");
    Statement rows = tables_.of_run(
        "SELECT step_id, outer_step_id, phase, step, layer, batch, tokens, total_ns, text, "
        "instances, span_ns, busy_ns, compute_ns, communication_ns, exposed_communication_ns, "
        "memory_ns, exposed_memory_ns, idle_ns, wall_ns FROM steps WHERE run = ?1 ORDER BY step_id",
        run_);
    analyze::StepParts& steps = out_.steps;
    while (rows.step()) {
      const size_t number = steps.size();
      tables_.check(rows.integer(0) == static_cast<int64_t>(number));
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
      tables_.check(step.instances <= summary_.operations && step.instances <= UINT32_MAX);
      if (!rows.is_null(1)) {
        const int64_t outer = rows.integer(1);
        // An enclosing step begins before those inside it.
        tables_.check(outer >= 0 && outer < static_cast<int64_t>(number));
        step.outer = static_cast<size_t>(outer);
      }
      steps.add(step, devices_of(number, step, devices));
      if (!steps.is_in_its_phase(number)) {
        tables_.take_from(
            left.try_emplace(std::string(step.phase), summary_.gpu_total_ns).first->second,
            step.total_ns);
      }
      std::vector<int64_t> left_of_label(steps.dimensions().size(), step.total_ns);
      labels.each_of(static_cast<int64_t>(number), [&](const Statement& row) {
        const size_t place = dimension(row.text(1));
        const analyze::LabelPart part = label(row, 2);
        tables_.check(part.instances <= step.instances);
        tables_.take_from(left_of_label[place], part.total_ns);
        steps.add_label(place, part);
      });
    }
    tables_.check(!labels.more() && !devices.more());
  }

  std::vector<analyze::StepDevice> devices_of(size_t number, const analyze::StepPart& step,
                                              OfSteps& rows) const {
    std::vector<analyze::StepDevice> devices;
    rows.each_of(static_cast<int64_t>(number), [&](const Statement& row) {
      analyze::StepDevice one;
      one.device = tables_.device(row, 1);
      static_cast<analyze::Breakdown&>(one) = tables_.breakdown(row, 2);
      one.first_start_ns = tables_.time(row, 11);
      tables_.check(one.operations <= step.instances && one.span_ns <= step.time.span_ns &&
                    (devices.empty() || devices.back().device < one.device));
      devices.push_back(one);
    });
    return devices;
  }

  /// Rows without a label are sums of those with one.
  void read_sample_sums() {
    Statement rows = tables_.of_run(
        "SELECT phase, dimension, label, steps, total_ns FROM saved_step_sums WHERE run = ?1 ORDER "
        "BY rowid",
        run_);
    int64_t left_ns = summary_.gpu_total_ns;
    std::vector<int64_t> left_of_label;
    while (rows.step()) {
      if (!out_.sample) out_.sample.emplace();
      std::vector<analyze::StepSample::PhaseSum>& sums = out_.sample->sums;
      const int64_t total_ns = tables_.amount(rows, 4);
      if (rows.is_null(1)) {
        tables_.take_from(left_ns, total_ns);
        sums.push_back(
            {std::string(rows.text(0)), tables_.amount(rows, 3), total_ns, without_labels()});
        left_of_label.assign(summary_.dimensions.size(), total_ns);
        continue;
      }
      tables_.check(!sums.empty() && sums.back().phase == rows.text(0));
      const size_t place = dimension(rows.text(1));
      tables_.take_from(left_of_label[place], total_ns);
      sums.back().labels[place].second.push_back({std::string(rows.text(2)), 0, total_ns});
    }
  }

  void read_sample_steps() {
    Statement rows = tables_.of_run(
        "SELECT step_id, phase, dimension, label, total_ns, wall_ns, busy_ns FROM saved_steps "
        "WHERE run = ?1 ORDER BY rowid",
        run_);
    std::map<std::string_view, std::pair<int64_t, int64_t>> left;  // by phase: steps and time
    if (out_.sample) {
      for (const auto& sum : out_.sample->sums) left[sum.phase] = {sum.steps, sum.total_ns};
    }
    std::vector<int64_t> left_of_label;
    while (rows.step()) {
      tables_.check(out_.sample.has_value());
      std::vector<analyze::StepSample::Step>& steps = out_.sample->steps;
      const int64_t total_ns = tables_.amount(rows, 4);
      if (rows.is_null(2)) {
        const auto of_phase = left.find(rows.text(1));
        tables_.check(of_phase != left.end() && --of_phase->second.first >= 0 &&
                      (steps.empty() || steps.back().id < rows.integer(0)));
        tables_.take_from(of_phase->second.second, total_ns);
        steps.push_back({tables_.amount(rows, 0), std::string(rows.text(1)), total_ns,
                         tables_.amount_or_nothing(rows, 5), tables_.amount(rows, 6),
                         without_labels()});
        left_of_label.assign(summary_.dimensions.size(), total_ns);
        continue;
      }
      tables_.check(!steps.empty() && steps.back().id == rows.integer(0));
      const size_t place = dimension(rows.text(2));
      tables_.take_from(left_of_label[place], total_ns);
      steps.back().labels[place].second.push_back({std::string(rows.text(3)), 0, total_ns});
    }
  }

  void read_phases() {
    Statement rows = tables_.of_run(
        "SELECT phase, steps, batch, tokens, instances, total_ns, busy_ns, wall_median_ns, "
        "wall_p95_ns, wall_max_ns FROM phases WHERE run = ?1 ORDER BY rowid",
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
      if (out_.sample && !rows.is_null(7)) {
        phase.wall = analyze::WallTimes{static_cast<double>(tables_.amount(rows, 7)),
                                        tables_.amount(rows, 8), tables_.amount(rows, 9)};
      }
      tables_.check(phase.total_ns <= summary_.gpu_total_ns && phase.busy_ns <= phase.total_ns);
      out_.phases.push_back(std::move(phase));
    }
    if (!out_.sample) analyze::add_wall_times(out_);
  }

  void read_phase_labels() {
    Statement rows = tables_.of_run(
        "SELECT phase, dimension, label, instances, total_ns FROM phase_labels WHERE run = ?1 "
        "ORDER BY rowid",
        run_);
    std::map<std::pair<std::string_view, size_t>, int64_t> left_of_phase;
    while (rows.step()) {
      const std::string_view name = rows.text(0);
      const auto at = std::find_if(out_.phases.begin(), out_.phases.end(),
                                   [&](const auto& phase) { return phase.phase == name; });
      tables_.check(at != out_.phases.end());
      const size_t place = dimension(rows.text(1));
      analyze::LabelPart part = label(rows, 2);
      auto& left = left_of_phase.try_emplace({at->phase, place}, at->total_ns).first->second;
      tables_.take_from(left, part.total_ns);
      at->labels[place].second.push_back(std::move(part));
    }
  }

  const SavedTables& tables_;
  const std::string& run_;
  const analyze::RunSummary& summary_;
  analyze::StepSums& out_;
};

}  // namespace

void read_saved_steps(const SavedTables& tables, const std::string& run, SavedRun& saved) {
  StepsReader(tables, run, saved).read();
}

}  // namespace kr::changes

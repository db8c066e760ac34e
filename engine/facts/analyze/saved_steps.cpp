// The saved form of steps: each of them, or of very many a sample.
#include <cmath>
#include <map>
#include <utility>

#include "analyze/saved_sums.hpp"
#include "analyze/steps.hpp"

namespace kr::analyze {
namespace {

using facts::Fields;

/// Of time that several parts of a run take, by phase.
using TimeLeft = std::map<std::string, int64_t, std::less<>>;

void save_outer(Fields& row, std::optional<size_t>& outer, size_t step) {
  std::optional<int64_t> place;
  if (outer) place = static_cast<int64_t>(*outer);
  row.amount("outer", place);
  // An enclosing step begins before those inside it.
  row.check(!place || *place < static_cast<int64_t>(step));
  if (row.reads() && place) outer = static_cast<size_t>(*place);
}

void save_devices(Fields& row, std::vector<StepDevice>& devices, const StepPart& step) {
  row.list("devices", devices, [&](Fields& device, StepDevice& one) {
    device.number("device", one.device);
    save_breakdown(device, one);
    device.time("first_start_ns", one.first_start_ns);
    device.check(one.operations <= step.instances && one.span_ns <= step.time.span_ns &&
                 (devices.empty() || devices.back().device < one.device));
  });
}

void save_steps(Fields& io, const RunSummary& run, StepParts& steps) {
  if (io.reads()) {
    for (const DimensionSum& one : run.dimensions) steps.add_dimension(one.dimension);
  }
  // Steps of a phase that are not inside each other have no operations in common.
  TimeLeft left_ns;
  io.rows("steps", steps.size(), [&](Fields& row, size_t i) {
    StepPart step;
    std::vector<StepDevice> devices;
    LabelParts labels;
    if (row.writes()) {
      step = steps[i];
      devices = steps.devices(i);
      labels = steps.labels(i);
    }
    std::string phase(step.phase), text(step.text);
    row.text("phase", phase);
    row.text("text", text);
    row.number("step", step.step);
    row.number("layer", step.layer);
    row.amount("batch", step.batch);
    row.amount("tokens", step.tokens);
    save_outer(row, step.outer, i);
    row.amount("total_ns", step.total_ns);
    row.amount("wall_ns", step.wall_ns);
    save_breakdown(row, step.time);
    step.phase = phase;
    step.text = text;
    step.instances = step.time.operations;
    row.check(step.instances <= run.operations && step.instances <= UINT32_MAX);
    save_devices(row, devices, step);
    save_labels(row, labels, run, step.total_ns);
    if (!row.reads()) return;
    steps.add(step, devices);
    if (!steps.is_in_its_phase(i)) {
      row.take_from(left_ns.try_emplace(phase, run.gpu_total_ns).first->second, step.total_ns);
    }
    for (size_t dimension = 0; dimension < labels.size(); ++dimension) {
      for (const LabelPart& one : labels[dimension].second) {
        row.check(one.instances <= step.instances);
        steps.add_label(dimension, one);
      }
    }
  });
}

void save_sample(Fields& io, const RunSummary& run, StepSample& sample) {
  int64_t run_left_ns = run.gpu_total_ns;
  std::map<std::string, std::pair<int64_t, int64_t>, std::less<>> left;  // by phase: steps, time
  io.list("sums", sample.sums, [&](Fields& row, StepSample::PhaseSum& one) {
    row.text("phase", one.phase);
    row.amount("steps", one.steps);
    row.amount("total_ns", one.total_ns);
    save_labels(row, one.labels, run, one.total_ns);
    if (!row.reads()) return;
    row.take_from(run_left_ns, one.total_ns);
    left[one.phase] = {one.steps, one.total_ns};
  });
  io.list("sample", sample.steps, [&](Fields& row, StepSample::Step& one) {
    row.amount("id", one.id);
    row.text("phase", one.phase);
    row.amount("total_ns", one.total_ns);
    row.amount("wall_ns", one.wall_ns);
    row.amount("busy_ns", one.busy_ns);
    save_labels(row, one.labels, run, one.total_ns);
    if (!row.reads()) return;
    const auto of_phase = left.find(one.phase);
    row.check(of_phase != left.end() && of_phase->second.first > 0 &&
              (sample.steps.empty() || sample.steps.back().id < one.id));
    --of_phase->second.first;
    row.take_from(of_phase->second.second, one.total_ns);
  });
}

void save_wall_times(Fields& row, std::optional<WallTimes>& wall) {
  bool known = wall.has_value();
  WallTimes times = wall.value_or(WallTimes{});
  row.flag("has_wall_times", known);
  row.real("wall_median_ns", times.median_ns);
  row.amount("wall_p95_ns", times.p95_ns);
  row.amount("wall_max_ns", times.max_ns);
  row.check(times.median_ns >= 0 && times.median_ns <= static_cast<double>(times.max_ns) &&
            times.p95_ns <= times.max_ns);
  if (row.reads() && known) wall = times;
}

void save_phases(Fields& io, const RunSummary& run, std::vector<PhasePart>& phases) {
  io.list("phases", phases, [&](Fields& row, PhasePart& one) {
    row.text("phase", one.phase);
    row.amount("steps", one.steps);
    row.amount("batch", one.batch);
    row.amount("tokens", one.tokens);
    row.amount("instances", one.instances);
    row.amount("total_ns", one.total_ns);
    row.amount("busy_ns", one.busy_ns);
    row.check(one.total_ns <= run.gpu_total_ns && one.busy_ns <= one.total_ns);
    save_wall_times(row, one.wall);
    row.amount("walled_ns", one.walled.wall_ns);
    row.amount("walled_busy_ns", one.walled.busy_ns);
    row.amount("walled_tokens", one.walled.tokens);
    save_labels(row, one.labels, run, one.total_ns);
  });
}

}  // namespace

void StepSums::saved(Fields& io, const RunSummary& run) {
  io.amount("too_deep", too_deep);
  bool sampled = sample.has_value();
  io.flag("sampled", sampled);
  if (io.reads() && sampled) sample.emplace();
  save_steps(io, run, steps);
  StepSample none;
  save_sample(io, run, sample ? *sample : none);
  io.check(sampled ? steps.empty() : none.sums.empty());
  save_phases(io, run, phases);
}

}  // namespace kr::analyze

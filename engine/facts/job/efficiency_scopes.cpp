#include "job/efficiency_scopes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace kr::job {
namespace {

DevicePart part_of(size_t run, int32_t device, int64_t first_ns, const analyze::Breakdown& time) {
  return {.run = run,
          .device = device,
          .first_ns = first_ns,
          .last_ns = first_ns + time.span_ns,
          .useful_ns = {time.compute_ns + time.exposed_communication_ns, time.compute_ns},
          .active_ns = time.busy_ns};
}

std::vector<DevicePart> parts_of(std::span<const RunOfJob> runs) {
  std::vector<DevicePart> parts;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const analyze::DeviceSum& one : runs[run].summary->devices) {
      parts.push_back(part_of(run, one.device, one.first_start_ns, one));
    }
  }
  return parts;
}

void add_parts(size_t run, const std::vector<analyze::StepDevice>& devices,
               std::vector<DevicePart>& parts) {
  for (const analyze::StepDevice& one : devices) {
    parts.push_back(part_of(run, one.device, one.first_start_ns, one));
  }
}

using StepKey = std::tuple<std::string, std::optional<int64_t>, int64_t>;

/// Steps of all ranks by key, in the order first met.
struct Steps {
  struct Step {
    StepKey key;
    int64_t ranks = 0;
    bool outermost = false;  // of its phase, on some rank
    std::vector<DevicePart> parts;
  };
  std::vector<Step> all;

  explicit Steps(std::span<const RunOfJob> runs) {
    std::map<StepKey, size_t> places;
    for (size_t run = 0; run < runs.size(); ++run) {
      if (runs[run].steps == nullptr) continue;
      const analyze::StepParts& steps = runs[run].steps->steps;
      const std::vector<int64_t> occurrences = analyze::occurrences_of(steps);
      for (size_t i = 0; i < steps.size(); ++i) {
        if (!steps.has_devices(i)) continue;
        StepKey key(steps.phase(i), steps.number(i), occurrences[i]);
        const auto [at, added] = places.try_emplace(key, all.size());
        if (added) all.push_back({std::move(key), 0, false, {}});
        Step& step = all[at->second];
        ++step.ranks;
        step.outermost |= !steps.is_in_its_phase(i);
        add_parts(run, steps.devices(i), step.parts);
      }
    }
  }
};

}  // namespace

JobEfficiency::JobEfficiency(std::vector<RunOfJob> runs, Shifts shifts)
    : runs_(std::move(runs)), shifts_(std::move(shifts)) {
  if (shifts_.empty()) {
    for (const RunOfJob& run : runs_) shifts_.push_back(run.summary->clock.utc_ns);
  }
  const std::vector<std::vector<DevicePart>> parts{parts_of(runs_)};
  shifts_ = agreeing_shifts(std::move(shifts_), parts[0]);
  whole_ = efficiency_of(parts, shifts_);
}

std::vector<PhaseEfficiency> JobEfficiency::phases() const {
  Steps steps(runs_);
  std::vector<std::pair<std::string, std::vector<std::vector<DevicePart>>>> phases;
  for (Steps::Step& step : steps.all) {
    if (!step.outermost) continue;
    const std::string& name = std::get<0>(step.key);
    auto at = std::find_if(phases.begin(), phases.end(),
                           [&](const auto& phase) { return phase.first == name; });
    if (at == phases.end()) {
      phases.emplace_back(name, std::vector<std::vector<DevicePart>>());
      at = phases.end() - 1;
    }
    at->second.push_back(std::move(step.parts));
  }
  std::vector<PhaseEfficiency> out;
  out.reserve(phases.size());
  for (const auto& [phase, parts] : phases) {
    out.push_back({phase, static_cast<int64_t>(parts.size()), efficiency_of(parts, shifts_)});
  }
  return out;
}

std::vector<StepEfficiency> JobEfficiency::steps() const {
  std::vector<StepEfficiency> out;
  Steps steps(runs_);
  out.reserve(steps.all.size());
  for (Steps::Step& step : steps.all) {
    const std::vector<std::vector<DevicePart>> parts{std::move(step.parts)};
    auto& [phase, number, occurrence] = step.key;
    out.push_back(
        {std::move(phase), number, occurrence, step.ranks, efficiency_of(parts, shifts_)});
  }
  return out;
}

std::vector<LabelEfficiency> JobEfficiency::labels() const {
  std::vector<std::string> dimensions;
  std::map<std::pair<size_t, std::string_view>, LabelEfficiency> by_label;
  for (const RunOfJob& run : runs_) {
    std::vector<size_t> places;  // in `dimensions`, by dimension of the run
    for (const analyze::DimensionSum& one : run.summary->dimensions) {
      const auto at = std::find(dimensions.begin(), dimensions.end(), one.dimension);
      places.push_back(static_cast<size_t>(at - dimensions.begin()));
      if (at == dimensions.end()) dimensions.push_back(one.dimension);
    }
    // One time of a label is of one device, so the largest is that of a device. Sums of labels are
    // parts of those of devices, and do not overflow.
    for (const analyze::KernelTime& time : run.summary->kernel_times) {
      LabelEfficiency& label = by_label[{places[time.dimension], time.label}];
      label.label = time.label;
      label.useful.useful_ns += time.kernels_ns;
      label.useful.max_useful_ns = std::max(label.useful.max_useful_ns, time.kernels_ns);
      label.communication.useful_ns += time.compute_ns;
      label.communication.max_useful_ns =
          std::max(label.communication.max_useful_ns, time.compute_ns);
    }
  }
  std::vector<std::pair<size_t, LabelEfficiency>> sorted;
  sorted.reserve(by_label.size());
  for (auto& [key, label] : by_label) sorted.emplace_back(key.first, std::move(label));
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, b.second.useful.useful_ns) <
           std::tie(b.first, a.second.useful.useful_ns);
  });
  std::vector<LabelEfficiency> out;
  for (auto& [place, label] : sorted) {
    label.dimension = dimensions[place];
    out.push_back(std::move(label));
  }
  return out;
}

}  // namespace kr::job

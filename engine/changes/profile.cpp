#include "changes/profile.hpp"

namespace kr::changes {
namespace {

bool inside_its_phase(const std::vector<analyze::StepPart>& steps, const analyze::StepPart& step) {
  for (auto outer = step.outer; outer; outer = steps[*outer].outer) {
    if (steps[*outer].phase == step.phase) return true;
  }
  return false;
}

void add_steps(const std::vector<analyze::StepPart>& steps, Profile& profile) {
  for (const analyze::StepPart& step : steps) {
    // A step that launched nothing would halve the medians of its phase.
    if (step.instances == 0 || inside_its_phase(steps, step)) continue;
    StepTime& time = profile.steps.emplace_back(StepTime{step.phase, step.total_ns, {}});
    for (size_t i = 0; i < step.labels.size(); ++i) {
      for (const analyze::LabelPart& label : step.labels[i].second) {
        time.labels.push_back({i, label.label, label.total_ns});
      }
    }
  }
}

}  // namespace

Profile profile_of(std::string run, const analyze::RunSummary& summary,
                   const analyze::RunStatistics* statistics) {
  Profile profile;
  profile.run = std::move(run);
  for (const analyze::DimensionSum& dimension : summary.dimensions) {
    profile.dimensions.push_back(dimension.dimension);
  }
  for (const analyze::NameSum& name : summary.names) {
    NameTime& time = profile.names.emplace_back(
        NameTime{name.name, name.kind, {}, {name.instances, name.total_ns}});
    for (const auto& label : name.labels) time.labels.push_back(label.label);
  }
  profile.all = {summary.operations, summary.gpu_total_ns};
  profile.elapsed_ns = summary.gpu_elapsed_ns;
  if (statistics == nullptr) return profile;
  add_steps(statistics->steps.steps, profile);
  for (const analyze::LayerPart& part : statistics->layers) {
    if (part.block.level == 0) profile.layers += static_cast<int64_t>(part.block.repeats);
  }
  return profile;
}

}  // namespace kr::changes

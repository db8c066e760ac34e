#include "analyze/step_sample.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace kr::analyze {
namespace {

size_t rows_of(const StepParts& steps, size_t step) {
  return 1 + steps.label_count(step) + steps.devices(step).size();
}

std::vector<uint32_t> spread(const std::vector<uint32_t>& all, size_t count) {
  std::vector<uint32_t> chosen;
  chosen.reserve(count);
  for (const size_t place : spread_places(all.size(), count)) chosen.push_back(all[place]);
  return chosen;
}

/// As many as have `max_rows` rows together, and at least one.
std::vector<uint32_t> spread_by_rows(const StepParts& steps, const std::vector<uint32_t>& all,
                                     size_t max_rows) {
  for (size_t count = std::min(all.size(), max_rows);;) {
    std::vector<uint32_t> chosen = spread(all, count);
    const size_t rows =
        std::accumulate(chosen.begin(), chosen.end(), size_t{0},
                        [&](size_t sum, uint32_t step) { return sum + rows_of(steps, step); });
    if (rows <= max_rows || count == 1) return chosen;
    count = std::clamp<size_t>(count * max_rows / rows, 1, count - 1);
  }
}

void sort_labels(std::vector<LabelPart>& labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LabelPart& a, const LabelPart& b) { return a.total_ns > b.total_ns; });
}

StepSample::PhaseSum sum_of(const StepParts& steps, const std::vector<uint32_t>& of) {
  StepSample::PhaseSum sum{std::string(steps.phase(of[0])), static_cast<int64_t>(of.size()), 0, {}};
  std::map<uint32_t, LabelPart> combinations;
  for (const uint32_t step : of) {
    sum.total_ns += steps.total_ns(step);
    for (const StepParts::Labelled& one : steps.labelled(step)) {
      LabelPart& part = combinations[one.labels];
      part.instances += one.instances;
      part.total_ns += one.total_ns;
    }
  }
  for (size_t d = 0; d < steps.dimensions().size(); ++d) {
    std::map<std::string_view, LabelPart> labels;
    for (const auto& [combination, part] : combinations) {
      const std::optional<std::string_view> label = steps.label(combination, d);
      if (!label) continue;
      LabelPart& to = labels[*label];
      to.label = *label;
      to.instances += part.instances;
      to.total_ns += part.total_ns;
    }
    auto& [dimension, parts] = sum.labels.emplace_back();
    dimension = steps.dimensions()[d];
    for (auto& [label, part] : labels) parts.push_back(std::move(part));
    sort_labels(parts);
  }
  return sum;
}

}  // namespace

std::vector<size_t> spread_places(size_t size, size_t count) {
  std::vector<size_t> chosen;
  chosen.reserve(count);
  std::mt19937_64 random(1);
  for (size_t k = 0; k < count; ++k) {
    const size_t begin = size * k / count, end = size * (k + 1) / count;
    chosen.push_back(begin + random() % (end - begin));
  }
  return chosen;
}

int64_t StepSample::all_steps() const noexcept {
  return std::accumulate(sums.begin(), sums.end(), int64_t{0},
                         [](int64_t sum, const PhaseSum& one) { return sum + one.steps; });
}

bool has_too_many_rows(const StepParts& steps, size_t max_rows) {
  size_t rows = steps.size();
  for (size_t i = 0; i < steps.size() && rows <= max_rows; ++i) rows += rows_of(steps, i) - 1;
  return rows > max_rows;
}

StepSample sample_of(const StepParts& steps, size_t max_rows) {
  std::map<uint32_t, std::vector<uint32_t>> phases;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (steps.instances(i) > 0 && !steps.outer(i)) phases[steps.phase_number(i)].push_back(i);
  }
  StepSample sample;
  std::vector<uint32_t> chosen;
  for (const auto& [phase, of] : phases) {
    sample.sums.push_back(sum_of(steps, of));
    const std::vector<uint32_t> own =
        spread_by_rows(steps, of, std::max<size_t>(max_rows / phases.size(), 1));
    chosen.insert(chosen.end(), own.begin(), own.end());
  }
  std::sort(chosen.begin(), chosen.end());
  sample.steps.reserve(chosen.size());
  for (const uint32_t i : chosen) {
    const StepPart step = steps[i];
    sample.steps.push_back({int64_t{i}, std::string(step.phase), step.total_ns, step.wall_ns,
                            step.time.busy_ns, steps.labels(i)});
  }
  return sample;
}

}  // namespace kr::analyze

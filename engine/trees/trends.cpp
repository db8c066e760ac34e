#include "trees/trends.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace kr::trees {
namespace {

/// The numbers of steps relative to their mean; if one has no number, their order instead.
std::vector<double> centred_places(const TreeView& view, const std::vector<size_t>& steps) {
  const bool numbered = std::all_of(
      steps.begin(), steps.end(), [&](size_t step) { return view.steps()[step].step.has_value(); });
  std::vector<double> places;
  double sum = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    places.push_back(
        static_cast<double>(numbered ? *view.steps()[steps[k]].step : static_cast<int64_t>(k)));
    sum += places.back();
  }
  for (double& place : places) place -= sum / static_cast<double>(steps.size());
  return places;
}

}  // namespace

std::vector<PhaseSums> sum_phases(const TreeView& view) {
  std::vector<PhaseSums> phases;
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const auto [at, added] = known.try_emplace(view.steps()[i].phase, phases.size());
    if (added) {
      PhaseSums& phase = phases.emplace_back();
      phase.phase = view.steps()[i].phase;
      phase.entries.resize(view.entries().size());
    }
    phases[at->second].steps.push_back(i);
  }
  std::vector<trace::ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (PhaseSums& phase : phases) {
    const size_t count = phase.steps.size();
    const std::vector<double> places = centred_places(view, phase.steps);
    double spread = 0;
    std::vector<int64_t> step_ns(phase.entries.size());
    for (size_t k = 0; k < count; ++k) {
      const double offset = places[k];
      spread += offset * offset;
      view.rows(phase.steps[k], nodes, rows);
      std::fill(step_ns.begin(), step_ns.end(), 0);
      for (const ViewRow& row : rows) step_ns[row.entry] += row.total_ns;
      for (size_t i = 0; i < step_ns.size(); ++i) {
        PhaseEntry& entry = phase.entries[i];
        const int64_t ns = step_ns[i];
        entry.total_ns += ns;
        entry.slope_ns += offset * static_cast<double>(ns);
        if (k == 0) entry.first_ns = ns;
        if (k + 1 == count) entry.last_ns = ns;
      }
    }
    for (PhaseEntry& entry : phase.entries) {
      entry.slope_ns = spread > 0 ? entry.slope_ns / spread : 0;
    }
  }
  return phases;
}

}  // namespace kr::trees

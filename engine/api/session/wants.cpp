// What tables need of runs.
#include "analyze/statistics.hpp"
#include "analyze/streams.hpp"
#include "cost/costed_run.hpp"
#include "session/session.hpp"
#include "what_if/what_if.hpp"

namespace kr::session {

Wants Wants::of(std::span<const tables::Definition* const> wanted) {
  Wants wants;
  for (const tables::Definition* one : wanted) {
    wants.sums |= one->needs == tables::Needs::runs;
    wants.sums |= one->needs == tables::Needs::summed_or_measured;
    wants.steps |= one->needs == tables::Needs::steps;
    wants.streams |= one->needs == tables::Needs::streams;
    wants.statistics |= one->needs == tables::Needs::statistics;
    wants.collectives |= one->needs == tables::Needs::collectives;
    wants.found_phases |= one->needs == tables::Needs::found_phases;
    wants.costs |= one->needs == tables::Needs::costs;
    wants.replay |= one->needs == tables::Needs::replay;
    wants.operations |= one->needs == tables::Needs::operations;
    wants.host_trace |= one->needs == tables::Needs::operations && one->reads.host;
    wants.modules |= one->needs == tables::Needs::tree;
    wants.details |= one->reads.details;
    wants.waits |= one->reads.waits;
    wants.gpu_metrics |= one->reads.gpu_metrics;
    wants.overlap |= one->reads.overlap;
    wants.health |= one->reads.findings;
    wants.peaks |= one->reads.peaks;
    wants.identity |= one->reads.identity;
  }
  wants.operations |= wants.costs;
  wants.unsaved =
      wants.statistics || wants.found_phases || wants.operations || wants.overlap || wants.replay;
  wants.host_trace |= wants.steps || wants.statistics || wants.collectives || wants.found_phases ||
                      wants.costs || wants.replay;
  wants.sums |= wants.host_trace || wants.operations || wants.streams || wants.health;
  return wants;
}

Wants Wants::of_comparison(bool module_trees) {
  if (module_trees) return {.modules = true, .comparison = true};
  return {.sums = true, .comparison = true};
}

void Wants::add(const Wants& other) noexcept {
  sums |= other.sums;
  steps |= other.steps;
  streams |= other.streams;
  unsaved |= other.unsaved;
  statistics |= other.statistics;
  gpu_metrics |= other.gpu_metrics;
  collectives |= other.collectives;
  rank_collectives |= other.rank_collectives;
  overlap |= other.overlap;
  found_phases |= other.found_phases;
  phases_shown |= other.phases_shown;
  costs |= other.costs;
  peaks |= other.peaks;
  replay |= other.replay;
  operations |= other.operations;
  host_trace |= other.host_trace;
  waits |= other.waits;
  details |= other.details;
  health |= other.health;
  identity |= other.identity;
  timeline |= other.timeline;
  modules |= other.modules;
  comparison |= other.comparison;
  if (other.measured) measured = other.measured;
}

}  // namespace kr::session

// What tables need of runs.
#include "compute/compute.hpp"
#include "session/session.hpp"

namespace kr::session {
namespace {

/// What a saved run has, or does without.
constexpr facts::Set facts_of_saved =
    facts::Set::of<analyze::RunSummary, analyze::RunIdentity, ncu::Joined, analyze::ShownPhases,
                   job::Members, job::RankMembers, analyze::StreamUses, analyze::StepSums,
                   changes::Profile, analyze::Findings, trees::LabelledModules>();

}  // namespace

Demand Demand::of(std::span<const tables::Definition* const> wanted) {
  Demand demand;
  for (const tables::Definition* one : wanted) {
    demand.facts |= one->needs;
    demand.reads = demand.reads | one->reads;
  }
  return demand;
}

Demand Demand::of_comparison(bool module_trees) {
  if (module_trees) return {.facts = facts::Set::of<trees::LabelledModules>()};
  return {.facts = facts::Set::of<analyze::RunSummary, changes::Profile>()};
}

void Demand::add(const Demand& other) noexcept {
  facts |= other.facts;
  reads = reads | other.reads;
  each_operation |= other.each_operation;
  if (other.measured) measured = other.measured;
}

bool Demand::beyond_saved() const noexcept {
  facts::Set lacking = facts - facts::with_made_of(facts_of_saved);
  lacking = lacking - (lacking - facts::of_one_run);
  return !lacking.empty() || each_operation || measured;
}

}  // namespace kr::session

// What tables need of runs.
#include "compute/compute.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"

namespace kr::session {
namespace {

/// What a saved run does without, beside facts that are saved.
constexpr facts::Set without =
    facts::Set::of<ncu::Joined, analyze::ShownPhases, job::RankMembers, trees::LabelledModules>();

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

Demand Demand::of_saving(bool module_trees) {
  return {.facts = module_trees ? facts::Set::of<tables::Tree>() : saved::saved_facts()};
}

std::string Demand::beyond_saved() const {
  facts::Set lacking = facts - facts::with_made_of(saved::saved_facts() | without);
  lacking = lacking - (lacking - facts::of_one_run);
  if (lacking.has<analyze::LabelledTrace>() || each_operation || measured) return "operations";
  return facts::names_of(lacking);
}

}  // namespace kr::session

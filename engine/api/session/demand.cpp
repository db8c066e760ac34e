// What tables need of runs.
#include <map>
#include <utility>

#include "compute/compute.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"

namespace kr::session {
namespace {

/// What a saved run does without, beside facts that are saved.
constexpr facts::Set without =
    facts::Set::of<ncu::Joined, analyze::ShownPhases, job::RankMembers, trees::LabelledModules>();

}  // namespace

Demand Demand::of(std::span<const tables::Definition* const> wanted) {
  // By table: what of it saved runs can have, and the rest.
  std::map<const tables::Definition*, std::pair<Demand, Demand>> tables;
  for (const tables::Definition* one : wanted) {
    for (const tables::Definition* part : tables::parts_of(*one)) {
      const Demand demand{.facts = part->needs | part->also,
                          .if_saved = part->also - part->needs,
                          .reads = part->reads};
      auto& [can, cannot] = tables[&tables::whole_of(*part)];
      (demand.beyond_saved().empty() ? can : cannot).add(demand);
    }
  }
  Demand all;
  for (auto& [whole, demands] : tables) {
    auto& [can, cannot] = demands;
    if (!can.facts.empty()) cannot.if_saved = cannot.facts - can.facts;
    all.add(can);
    all.add(cannot);
  }
  return all;
}

Demand Demand::of_comparison(bool module_trees) {
  if (module_trees) return {.facts = facts::Set::of<trees::LabelledModules>()};
  return {.facts = facts::Set::of<analyze::RunSummary, changes::Profile>()};
}

void Demand::add(const Demand& other) noexcept {
  if_saved = (if_saved - (other.facts - other.if_saved)) | (other.if_saved - (facts - if_saved));
  facts |= other.facts;
  reads = reads | other.reads;
  each_operation |= other.each_operation;
  if (other.measured) measured = other.measured;
  if (other.tree_dimension) tree_dimension = other.tree_dimension;
}

Demand Demand::of_saving(bool module_trees) {
  return {.facts = module_trees ? facts::Set::of<tables::Tree>() : saved::saved_facts()};
}

std::string Demand::beyond_saved() const {
  facts::Set lacking = facts - if_saved - facts::with_made_of(saved::saved_facts() | without);
  lacking = lacking - (lacking - facts::of_one_run);
  if (lacking.has<analyze::LabelledTrace>() || each_operation || measured) return "operations";
  return facts::names_of(lacking);
}

}  // namespace kr::session

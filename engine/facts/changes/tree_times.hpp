// What a comparison has to know of a run of module trees, over all its steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "changes/profile.hpp"

namespace kr::changes {

struct TreeTimes {
  void saved(facts::Fields& io, const analyze::RunSummary& run);

  /// Throws Error, which names the run, if they are not known at this level.
  const std::vector<NameTime>& nodes(trees::Level level, const std::string& run) const;

  Profile profile;                                                     // its `nodes` are empty
  std::vector<std::pair<trees::Level, std::vector<NameTime>>> levels;  // kernel, module, layer
};

TreeTimes tree_times_of(const match::CompiledRules& rules, const trees::LabelledModules& modules);

}  // namespace kr::changes

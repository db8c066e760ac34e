// What the operations of a run cost, by scope.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/rates.hpp"
#include "scopes/scope.hpp"

namespace kr::cost {

/// The operations with one key of a scope.
struct KeyCosts {
  std::string key;  // its text or number; empty: those that are in none
  CostSum sum;      // of calls whose longest operation has the key
  /// Time of operations with the key, by NoCost; and of those whose op has a roof.
  std::array<int64_t, no_cost_reasons> ns{};
  int64_t with_roof_ns = 0;
  int64_t operations = 0;

  int64_t of(NoCost why) const { return ns[static_cast<size_t>(why)]; }
};

/// Those of one scope, by descending time, then key.
struct LevelCosts {
  std::string level;  // `run`, a dimension of the rules, `step`, `module`, `layer` or `kernel`
  std::vector<KeyCosts> keys;
};

/// By dimension of the run.
std::vector<LevelCosts> costs_by_label(const match::CompiledRules& rules,
                                       const analyze::LabelledTrace& run, const CostedRun& costed);
/// All levels in which any operation has a key. The key of the step is the text of the innermost
/// one, that of the layer its number in its unit.
std::vector<LevelCosts> costs_by_level(const match::CompiledRules& rules,
                                       const analyze::LabelledTrace& run, const CostedRun& costed);

}  // namespace kr::cost

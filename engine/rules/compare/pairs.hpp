// Which models of two Programs are compared with each other.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sema/program.hpp"

namespace kr::compare {

/// What the caller names of one side; empty: nothing.
struct Chosen {
  std::string engine;
  std::string model;
};

struct ModelPair {
  sema::ModelId before;
  sema::ModelId after;
};

struct ModelPairs {
  std::vector<ModelPair> pairs;  // in the order of the first Program
  /// Models (`vllm/llama`) of only one side.
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  /// Engines or models with different names that are compared: `a`, `b`.
  std::vector<std::pair<std::string, std::string>> renamed;
};

/// Engines and models with the same name belong together. If an engine is named on one side, it is
/// compared with the one named on the other, else with the one of its name, else with the only one
/// there. If none is named and each side has one engine (`generic`, which both may have, aside),
/// these are compared. A named model is compared with the one named on the other side, else with
/// that of its name; the other models of its engine are left out. Throws Error if what is named
/// does not exist, or if there is nothing to compare it with.
ModelPairs pair_models(const sema::Program& before, const sema::Program& after,
                       const Chosen& chosen_before = {}, const Chosen& chosen_after = {});

}  // namespace kr::compare

// How much of what was measured moves between two rulesets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "match/scanner.hpp"

namespace kr::compare {

/// A name that was met, and the time it took (0 where only the name is known).
struct NameMet {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t total_ns = 0;
  /// The only engine and model to count it for; empty: all.
  std::string engine = {};
  std::string model = {};

  bool is_of(const std::string& one_engine, const std::string& one_model) const {
    return (engine.empty() || engine == one_engine) && (model.empty() || model == one_model);
  }
};

/// A Program with its database.
struct ScannedProgram {
  const sema::Program* program = nullptr;
  std::shared_ptr<const match::Database> database;
};

/// The names met that move as a Change says, without context (nothing `within`).
struct MoveCount {
  Change change;
  int64_t names = 0;
  int64_t total_ns = 0;
};

/// The comparison's changes, each with its count: the longest time first, then the most names, then
/// in its order. Where it is not proven, moves that only the names show are added, with such a name
/// for a witness.
std::vector<MoveCount> count_moves(const Comparison& comparison, const ScannedProgram& before,
                                   const ScannedProgram& after, const std::vector<NameMet>& names);

}  // namespace kr::compare

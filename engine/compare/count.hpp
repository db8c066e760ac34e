// Counts the measured names and times that get another label in another ruleset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "match/scanner.hpp"

namespace kr::compare {

/// A name and its total time (0 if only the name is known).
struct TimedName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t total_ns = 0;
  /// The engine and model to count it for; empty: all.
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

/// The number and time of the names that move with a Change, without context (nothing `within`).
struct MoveCount {
  Change change;
  int64_t names = 0;
  int64_t total_ns = 0;
};

/// The comparison's changes with their counts: the longest time first, then the most names, then in
/// the order of the comparison. If the comparison is not proven, moves that only the names show are
/// added, with such a name as the witness.
std::vector<MoveCount> count_moves(const Comparison& comparison, const ScannedProgram& before,
                                   const ScannedProgram& after,
                                   const std::vector<TimedName>& names);

}  // namespace kr::compare

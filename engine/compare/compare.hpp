// Compares two rulesets by meaning: which subjects get another label.
#pragma once

#include <string>
#include <vector>

#include "prove/prover.hpp"
#include "sema/program.hpp"

namespace kr::compare {

/// Subjects that the first table labels `from` and the second `to`, with an example. A label may be
/// `unclassified`; a kept name is `(its own name)`.
struct Move {
  std::string from;
  std::string to;
  prove::Witness witness;
};

struct TableComparison {
  std::vector<Move> moves;  // in the order of the first table's rules; unique pairs of labels
  bool proven = true;       // false: the budget was exceeded, there may be more
};

/// A dimension of a model; without a table all subjects are unclassified.
struct TableOf {
  const sema::Program* program = nullptr;
  const sema::Table* table = nullptr;
};

TableComparison compare_tables(prove::Prover& prover, TableOf before, TableOf after);

struct Change {
  std::string engine;
  std::string model;
  std::string dimension;
  Move move;
};

struct Comparison {
  std::vector<Change> changes;
  /// Models (`vllm/llama`) of only one side.
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  bool proven = true;

  bool same() const {
    return proven && changes.empty() && only_before.empty() && only_after.empty();
  }
};

/// A dimension of a model that both Programs have; engines and models are identified by name.
struct ComparedDimension {
  std::string engine;
  std::string model;
  std::string dimension;  // of either Program
  sema::ModelId before;
  sema::ModelId after;
};

std::vector<ComparedDimension> dimensions_compared(const sema::Program& before,
                                                   const sema::Program& after);

/// The label in a Move: `(its own name)` if the rule keeps the name.
std::string label_of(const sema::Rule& rule);

/// Compares every dimension of every model that both have (identified by name).
Comparison compare_programs(const sema::Program& before, const sema::Program& after);

}  // namespace kr::compare

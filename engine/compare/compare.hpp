// Two rulesets held against each other, by meaning: which subjects get another label.
#pragma once

#include <string>
#include <vector>

#include "prove/prover.hpp"
#include "sema/program.hpp"

namespace kr::compare {

/// Subjects that one table labels `from` and the other `to`, shown by one of them. A label may be
/// `unclassified`; a kept name is `(its own name)`.
struct Move {
  std::string from;
  std::string to;
  prove::Witness witness;
};

struct TableComparison {
  std::vector<Move> moves;  // in the order of the first table's rules; each pair of labels once
  bool proven = true;       // false: past the budget there may be more
};

/// A dimension of a model; an absent table leaves all unclassified.
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
  /// Models (`vllm/llama`) that only one side has.
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  bool proven = true;

  bool same() const {
    return proven && changes.empty() && only_before.empty() && only_after.empty();
  }
};

/// A dimension of a model that both Programs have, by names of engine and model.
struct ComparedDimension {
  std::string engine;
  std::string model;
  std::string dimension;  // of either
  sema::ModelId before;
  sema::ModelId after;
};

std::vector<ComparedDimension> dimensions_compared(const sema::Program& before,
                                                   const sema::Program& after);

/// As a Move says it: `(its own name)` where the rule keeps it.
std::string label_given(const sema::Rule& rule);

/// Every dimension of every model that both have (by names of engine and model).
Comparison compare_programs(const sema::Program& before, const sema::Program& after);

}  // namespace kr::compare

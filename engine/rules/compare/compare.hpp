// Compares two rulesets by meaning: which subjects get another label.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/pairs.hpp"
#include "prove/prover.hpp"
#include "sema/program.hpp"

namespace kr::compare {

/// Subjects that the first table labels `from` and the second `to`, with an example. A label may be
/// `unclassified`; a kept name is `(its own name)`.
struct Move {
  std::string from;
  std::string to;
  prove::Witness witness;
  /// Of order rules: the witness is in brackets in a sequence of names.
  struct InOrder {
    std::string sequence;
    std::optional<sema::RuleId> before;  // the rules that decide for it
    std::optional<sema::RuleId> after;
  };
  std::optional<InOrder> order = {};
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

/// The rules of a dimension, and its `otherwise`: equal ones give the same labels.
using RulesOf = std::pair<std::vector<sema::RuleId>, std::optional<sema::RuleId>>;
RulesOf rules_of(TableOf table);

/// The formulas of rules, of `otherwise` and of what no rule matches, that only one of two tables
/// has, or with another label or in another place: names that match none of them do not move.
std::vector<prove::FormulaId> formulas_that_differ(prove::Formulas& formulas, TableOf before,
                                                   TableOf after);

/// Moves between two tables that are known without a proof. Their pairs of labels are unique.
using KnownMoves = std::function<std::vector<Move>(TableOf before, TableOf after)>;

/// `known`, which may be empty, is only called if the tables are not provably the same. Its moves
/// come first, and nothing is proven about their pairs of labels.
TableComparison compare_tables(prove::Prover& prover, TableOf before, TableOf after,
                               const KnownMoves& known = {});

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

/// A dimension of two models that are compared.
struct ComparedDimension {
  std::string engine;  // of the first Program
  std::string model;
  std::string other_engine;  // of the second
  std::string other_model;
  std::string dimension;  // of either Program
  TableOf before;
  TableOf after;
};

std::vector<ComparedDimension> dimensions_compared(const sema::Program& before,
                                                   const sema::Program& after,
                                                   const ModelPairs& pairs);

/// The label in a Move: `(its own name)` if the rule keeps the name. Lives as long as the rule.
std::string_view label_of(const sema::Rule& rule);

/// Compares every dimension of the models that belong together. Tables that several models share
/// are compared once. Of order rules a model and dimension has at most one change.
Comparison compare_programs(const sema::Program& before, const sema::Program& after,
                            const ModelPairs& pairs, const KnownMoves& known = {});
/// The same of models with the same names.
Comparison compare_programs(const sema::Program& before, const sema::Program& after);

}  // namespace kr::compare

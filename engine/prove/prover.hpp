// Exact answers about what rules can label. One question is enough for all of lint, `kr diff` and
// coverage: is there a subject for which `wanted` holds and none of `excluded` does?
//
// The answer is a shortest such name, or the proof that there is none, or, past the budget, the
// honest word that it is not proven.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prove/allowance.hpp"
#include "prove/formula.hpp"

namespace kr::prove {

enum class Answer : uint8_t { none, found, not_proven };

/// A subject: what a rule looks at.
struct Witness {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  /// The formulas depend on the kind: without it the name alone shows nothing.
  bool kind_matters = false;
  /// Enclosing names the formulas need, outermost first; mostly empty.
  std::vector<std::string> within;
};

/// As a test or a message writes it: `@memcpy "name" within "outer"`; without the kind where it is
/// the one that the name tells.
std::string to_string(const Witness& witness);

struct Finding {
  Answer answer = Answer::none;
  Witness witness;  // where found

  bool none() const noexcept { return answer == Answer::none; }
  bool found() const noexcept { return answer == Answer::found; }
};

class ProofMemo;

struct Budget {
  /// Steps of the automaton that one question may take. One over many states counts for more.
  size_t states = 400000;
  /// … and all questions to one Prover together, where it has no Allowance from elsewhere.
  size_t all = Allowance::default_steps;
  /// Contexts are tried for at most this many different `within` in one question.
  size_t within = 10;
};

class Prover {
 public:
  /// Formulas may be added to the arena while the Prover lives. A memo makes it faster and changes
  /// no answer. Both it and an allowance must outlive the Prover; with an allowance,
  /// `Budget::all` is of no effect.
  explicit Prover(Formulas& formulas, Budget budget = {}, ProofMemo* memo = nullptr,
                  Allowance* allowance = nullptr);
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  Formulas& formulas() noexcept;

  /// What is left for questions to it.
  const Allowance& allowance() const noexcept;

  /// A subject, its name as short as can be, for which `wanted` holds and nothing of `excluded`.
  /// Throws Stopped where the allowance says so.
  Finding find(FormulaId wanted, std::span<const FormulaId> excluded = {});

  /// Whether a formula holds for a subject; by simulation, independent of `find`.
  bool holds(FormulaId formula, const Witness& subject) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::prove

// Proves facts about rules. Lint, `kr diff` and coverage need only one question: is there a subject
// for which `wanted` is true and all of `excluded` are false?
//
// The answer is a shortest such name, or the proof that there is none, or "not proven" if the
// budget is exceeded.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prove/allowance.hpp"
#include "prove/formula.hpp"

namespace kr::prove {

enum class Answer : uint8_t { none, found, not_proven };

/// A subject, as rules see it.
struct Witness {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  /// Whether the formulas depend on the kind.
  bool kind_matters = false;
  /// Enclosing names that the formulas need, outermost first; usually empty.
  std::vector<std::string> within;
  /// What else they need around it: what it is, as `op`, and its name; empty for a phase.
  std::vector<std::pair<std::string, std::string>> around = {};
};

/// As in a test or a message: `@memcpy "name" within "outer"`; without the kind if the name implies
/// it.
std::string to_string(const Witness& witness);

struct Finding {
  Answer answer = Answer::none;
  Witness witness;  // if found

  bool none() const noexcept { return answer == Answer::none; }
  bool found() const noexcept { return answer == Answer::found; }
};

class ProofMemo;

struct Budget {
  /// The steps that one question may take. A step over many states counts as several.
  size_t states = 400000;
  /// The steps for all questions of a Prover without an Allowance from its caller.
  size_t all = Allowance::default_steps;
  /// The maximum number of different `within` in one question whose combinations are all tried.
  size_t within = 10;
};

class Prover {
 public:
  /// Formulas may be added to the arena later. A memo makes the Prover faster and changes no
  /// answer. The memo and the allowance must outlive the Prover; with an allowance, `Budget::all`
  /// has no effect.
  explicit Prover(Formulas& formulas, Budget budget = {}, ProofMemo* memo = nullptr,
                  Allowance* allowance = nullptr);
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  Formulas& formulas() noexcept;

  /// The remaining steps.
  const Allowance& allowance() const noexcept;
  /// Takes steps for other work on the formulas.
  void charge(size_t work) noexcept;

  /// A subject with a shortest name for which `wanted` is true and all of `excluded` are false.
  /// Throws Stopped.
  Finding find(FormulaId wanted, std::span<const FormulaId> excluded = {});

  /// Whether a formula is true for a subject; computed by simulation, independently of `find`.
  bool holds(FormulaId formula, const Witness& subject) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::prove

#include "prove/find_name.hpp"

#include <algorithm>
#include <unordered_map>

#include "prove/formula.hpp"

namespace kr::prove {
namespace {

bool has(const std::vector<FormulaId>& sorted, FormulaId formula) {
  return std::ranges::binary_search(sorted, formula);
}

/// A question whose plain part has been answered.
struct Branch {
  FormulaId wanted;
  std::vector<FormulaId> excluded;  // sorted, unique; no disjunctions or negations
  std::string name;                 // a shortest answer of the plain part
};

class Finder {
 public:
  /// The parts of formulas that are visited in the time of one step.
  static constexpr size_t parts_a_step = 4;

  Finder(Formulas& formulas, const Automaton& automaton, Steps& budget)
      : formulas_(formulas), automaton_(automaton), budget_(budget) {
    charge(automaton.states());
  }

  NameFinding find(NameQuestion question) {
    open(question.wanted, std::move(question.excluded));
    while (!branches_.empty()) {
      std::pop_heap(branches_.begin(), branches_.end(), longer);
      const Branch branch = std::move(branches_.back());
      branches_.pop_back();
      charge(branch.name.size());
      const NameValues values(formulas_, automaton_, branch.name);
      const auto failed =
          std::ranges::find_if(branch.excluded, [&](FormulaId id) { return values.holds(id); });
      if (failed != branch.excluded.end()) {
        split_excluded(branch, *failed);
      } else if (!values.holds(branch.wanted)) {
        split_wanted(branch, values);
      } else {
        return {Answer::found, branch.name};
      }
      charge(values.work());
    }
    return {complete_ ? Answer::none : Answer::not_proven, {}};
  }

 private:
  static bool longer(const Branch& a, const Branch& b) { return a.name.size() > b.name.size(); }

  /// The values of formulas for one name.
  class NameValues {
   public:
    NameValues(const Formulas& formulas, const Automaton& automaton, std::string_view name)
        : formulas_(formulas), matched_(automaton.matched_in(name)), known_(formulas.size()) {}
    /// The number of formulas visited.
    size_t work() const { return known_.size() / 16 + work_; }
    bool holds(FormulaId id) const {
      ++work_;
      if (known_[id.index] == Known::open) {
        known_[id.index] = evaluate(id) ? Known::holds : Known::fails;
      }
      return known_[id.index] == Known::holds;
    }

   private:
    enum class Known : uint8_t { open, holds, fails };
    bool evaluate(FormulaId id) const {
      return value_of(
          formulas_.get(id), [this](FormulaId operand) { return holds(operand); },
          [this](const Formula& atom) { return matched_[atom.language.index] != 0; });
    }

    const Formulas& formulas_;
    std::vector<char> matched_;
    mutable std::vector<Known> known_;  // by FormulaId: parts are shared
    mutable size_t work_ = 0;
  };

  void charge(size_t parts) {
    parts_ += parts;
    budget_.take_work(parts_ / parts_a_step);
    parts_ %= parts_a_step;
  }

  /// Replaces what is excluded by constants; with `relax`, negations too.
  FormulaId without(FormulaId wanted, const std::vector<FormulaId>& excluded, bool relax) {
    Rewriter rewriter(formulas_, [&](FormulaId id, const Formula& formula) {
      if (has(excluded, id)) return formulas_.never();
      return formula.op == Op::negation && relax ? formulas_.always() : FormulaId{};
    });
    const FormulaId result = rewriter(wanted);
    charge(rewriter.work());
    return result;
  }

  /// Simplifies a question, answers its plain part, and keeps the question if there is a name.
  void open(FormulaId wanted, std::vector<FormulaId> excluded) {
    // Simplifying takes time too, and there may be very many questions.
    if (budget_.search < reserve || budget_.work == 0) {
      complete_ = false;
      return;
    }
    budget_.take_search(reserve);
    charge(automaton_.states() + automaton_.classes());  // every search visits them once
    Branch branch{wanted, std::move(excluded), {}};
    if (!simplify(branch)) return;
    PlainQuestion plain{without(branch.wanted, branch.excluded, true), {}};
    for (const FormulaId id : branch.excluded) {
      const Formula& formula = formulas_.get(id);
      if (formula.op == Op::atom) plain.excluded.push_back(formula.language.index);
    }
    NameFinding found = search(formulas_, automaton_, plain, budget_);
    if (found.answer == Answer::not_proven) complete_ = false;
    if (found.answer != Answer::found) return;
    branch.name = std::move(found.name);
    branches_.push_back(std::move(branch));
    std::push_heap(branches_.begin(), branches_.end(), longer);
  }

  /// Removes disjunctions and negations from what is excluded, and negated operands and excluded
  /// parts from what is wanted. False if there is no answer.
  bool simplify(Branch& branch) {
    bool again = true;
    while (again) {
      again = false;
      std::vector<FormulaId> pending = std::move(branch.excluded);
      std::vector<FormulaId> needed;
      branch.excluded.clear();
      const Formula wanted = formulas_.get(branch.wanted);
      const auto parts =
          wanted.op == Op::conjunction ? wanted.operands : std::vector{branch.wanted};
      for (const FormulaId part : parts) {
        const Formula& one = formulas_.get(part);
        const bool negated = one.op == Op::negation;
        (negated ? pending : needed).push_back(negated ? one.operands.front() : part);
      }
      while (!pending.empty()) {
        const FormulaId id = pending.back();
        pending.pop_back();
        const Formula& one = formulas_.get(id);
        if (one.op == Op::never) continue;
        if (one.op == Op::always) return false;
        if (one.op == Op::disjunction) {
          pending.insert(pending.end(), one.operands.begin(), one.operands.end());
        } else if (one.op == Op::negation) {
          needed.push_back(one.operands.front());
          again = true;
        } else {
          branch.excluded.push_back(id);
        }
      }
      std::ranges::sort(branch.excluded);
      branch.excluded.erase(std::unique(branch.excluded.begin(), branch.excluded.end()),
                            branch.excluded.end());
      branch.wanted = formulas_.all(std::move(needed));
      const FormulaId rewritten = without(branch.wanted, branch.excluded, false);
      again |= rewritten != branch.wanted;
      branch.wanted = rewritten;
      if (branch.wanted == formulas_.never()) return false;
    }
    return true;
  }

  /// Splits on an excluded conjunction: one of its parts must be false.
  void split_excluded(const Branch& branch, FormulaId conjunction) {
    KR_CHECK(formulas_.get(conjunction).op == Op::conjunction);  // the plain part has the atoms
    const std::vector<FormulaId> parts = formulas_.get(conjunction).operands;
    for (const FormulaId part : parts) {
      std::vector<FormulaId> excluded = branch.excluded;
      std::erase(excluded, conjunction);
      excluded.push_back(part);
      open(branch.wanted, std::move(excluded));
    }
  }

  /// What is wanted is false because negations were ignored. Splits on a disjunction that is false:
  /// into its operands with negations, and the rest.
  void split_wanted(const Branch& branch, const NameValues& values) {
    const Formula wanted = formulas_.get(branch.wanted);
    const auto parts = wanted.op == Op::conjunction ? wanted.operands : std::vector{branch.wanted};
    const auto failed =
        std::ranges::find_if(parts, [&](FormulaId part) { return !values.holds(part); });
    KR_CHECK(failed != parts.end() && formulas_.get(*failed).op == Op::disjunction);
    std::vector<FormulaId> others = parts;
    std::erase(others, *failed);
    std::vector<FormulaId> plain;
    std::vector<FormulaId> choices;
    const std::vector<FormulaId> operands = formulas_.get(*failed).operands;
    for (const FormulaId operand : operands) {
      (without(operand, {}, true) == operand ? plain : choices).push_back(operand);
    }
    if (!plain.empty()) choices.push_back(formulas_.any(std::move(plain)));
    for (const FormulaId choice : choices) {
      std::vector<FormulaId> needed = others;
      needed.push_back(choice);
      open(formulas_.all(std::move(needed)), branch.excluded);
    }
  }

  Formulas& formulas_;
  const Automaton& automaton_;
  Steps& budget_;
  size_t parts_ = 0;              // not yet charged as steps
  std::vector<Branch> branches_;  // a heap, the shortest name first
  bool complete_ = true;
};

/// A question with its own arena, so that the automaton has only its languages. The original arena
/// may have thousands.
class IsolatedQuestion {
 public:
  IsolatedQuestion(const Formulas& from, const NameQuestion& question) : from_(from) {
    question_.wanted = take(question.wanted);
    for (const FormulaId id : question.excluded) question_.excluded.push_back(take(id));
  }

  NameFinding find(Steps& steps) {
    steps.take_work(parts_ / Finder::parts_a_step);
    return Finder(formulas_, Automaton(formulas_), steps).find(std::move(question_));
  }

 private:
  FormulaId take(FormulaId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Formula& formula = from_.get(id);
    std::vector<FormulaId> operands;
    operands.reserve(formula.operands.size());
    for (const FormulaId operand : formula.operands) operands.push_back(take(operand));
    parts_ += 1 + operands.size();
    FormulaId made;
    if (formula.op == Op::atom) {
      made = formulas_.atom(from_, formula.language);
    } else if (formula.op == Op::never || formula.op == Op::always) {
      made = formulas_.constant(formula.op == Op::always);
    } else {
      made = formulas_.make(formula.op, std::move(operands));  // kinds and `within` are replaced
    }
    known_.emplace(id, made);
    return made;
  }

  const Formulas& from_;
  Formulas formulas_;
  NameQuestion question_;
  std::unordered_map<FormulaId, FormulaId> known_;
  size_t parts_ = 0;  // copied
};

}  // namespace

NameFinding find_name(const Formulas& formulas, const NameQuestion& question, Steps& budget) {
  return IsolatedQuestion(formulas, question).find(budget);
}

}  // namespace kr::prove

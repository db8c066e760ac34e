// The progress of names towards the wanted formula: numbered sets of states of the wanted
// languages, with cached transitions. A search uses few of them, each very often.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "prove/automaton.hpp"

namespace kr::prove {

/// The wanted formula, of atoms, `&` and `|`, prepared for evaluation on sets of matched languages.
/// The arena must not change.
class Wanted {
 public:
  Wanted(const Formulas& formulas, FormulaId wanted, size_t languages);

  bool uses(uint32_t language) const { return uses_[language] != 0; }
  /// Equivalent languages have one representative.
  uint32_t representative_of(uint32_t language) const { return representatives_[language]; }
  /// `matched` by language.
  bool holds(const std::vector<char>& matched);

 private:
  void collect(FormulaId id);
  void join_alternatives(const Formula& formula);

  const Formulas& formulas_;
  std::vector<FormulaId> parts_;           // of the formula; operands are before what uses them
  std::vector<char> values_;               // by FormulaId
  std::vector<uint32_t> uses_;             // by language: places in the formula
  std::vector<uint32_t> representatives_;  // by language
};

class Progresses {
 public:
  /// The automaton must outlive it.
  Progresses(const Formulas& formulas, const Automaton& automaton, FormulaId wanted);

  /// No continuation of the name satisfies the wanted formula.
  static constexpr uint32_t dead_state = ~uint32_t{0};
  /// The progress of the empty name.
  static constexpr uint32_t start = 0;

  size_t size() const noexcept { return all_.size(); }
  bool uses(uint32_t language) const { return wanted_.uses(language); }
  uint32_t next(uint32_t progress, Side before, size_t byte_class);
  bool accepts_at_end(uint32_t progress, Side before);
  /// Whether `one` has all the progress that `other` has.
  bool covers(uint32_t one, uint32_t other) const;

 private:
  struct Progress {
    States states;
    Summary has;                                // its states
    Summary covers;                             // its states, and those that they imply
    std::array<std::vector<uint32_t>, 3> next;  // by side and class; `unknown`: not computed
    std::array<char, 3> accepts_at_end{unevaluated, unevaluated, unevaluated};
  };
  static constexpr uint32_t unknown = dead_state - 1;
  static constexpr char unevaluated = 2;
  struct Hash {
    size_t operator()(const States& states) const noexcept;
  };

  uint32_t group_of(uint32_t state) const {
    return wanted_.representative_of(automaton_.language_of(state));
  }
  uint32_t add(States states);
  void settle(States& states);
  bool is_possible(const States& states);

  const Automaton& automaton_;
  Wanted wanted_;
  std::vector<char> active_;       // by language: wanted
  std::vector<char> begins_late_;  // by language: a match may begin after another byte
  bool always_possible_ = false;   // the wanted formula can become true after any name
  std::vector<Summary> of_group_;  // by group: all its languages' states
  std::vector<Progress> all_;
  std::unordered_map<States, uint32_t, Hash> known_;
  std::vector<char> matched_;  // by language; scratch memory, all 0 between uses
  std::vector<uint32_t> languages_;
};

}  // namespace kr::prove

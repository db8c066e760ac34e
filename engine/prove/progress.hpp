// How far names have come in what is wanted: the wanted languages' sets of states, numbered, with
// where each byte leads from them found once. A search meets few of them, and each very often.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "prove/automaton.hpp"

namespace kr::prove {

/// What is wanted, made of atoms, `&` and `|` alone, ready to be asked of sets of languages that
/// have matched.
class Wanted {
 public:
  Wanted(const Formulas& formulas, FormulaId wanted, size_t languages);

  bool uses(uint32_t language) const { return uses_[language] != 0; }
  /// Languages that serve equally well have one that stands for them all.
  uint32_t stands_for(uint32_t language) const { return stands_for_[language]; }
  /// `matched` by language.
  bool holds(const std::vector<char>& matched);

 private:
  /// Operands stand before what they are part of.
  struct Node {
    Op op = Op::never;
    uint32_t language = 0;
    std::vector<uint32_t> operands;
  };

  uint32_t compile(const Formulas& formulas, FormulaId id);
  void join_alternatives(const Node& node);
  bool value(const Node& node, const std::vector<char>& matched) const;

  std::vector<Node> nodes_;
  std::vector<char> values_;
  std::vector<uint32_t> uses_;        // by language: places in the formula
  std::vector<uint32_t> stands_for_;  // by language
  std::unordered_map<FormulaId, uint32_t> known_;
};

class Progresses {
 public:
  /// The automaton must outlive it.
  Progresses(const Formulas& formulas, const Automaton& automaton, FormulaId wanted);

  /// No name that goes on from there is wanted.
  static constexpr uint32_t hopeless = ~uint32_t{0};
  /// That of the empty name.
  static constexpr uint32_t start = 0;

  size_t size() const noexcept { return all_.size(); }
  bool uses(uint32_t language) const { return wanted_.uses(language); }
  uint32_t next(uint32_t progress, Side before, size_t byte_class);
  bool ends_well(uint32_t progress, Side before);
  /// Whether one has come as far as the other in all that is wanted.
  bool is_as_far(uint32_t one, uint32_t other) const;

 private:
  struct Progress {
    States states;
    Summary has;                                // its states
    Summary covers;                             // those that it is as far as
    std::array<std::vector<uint32_t>, 3> next;  // by side and class; `unknown` before it is asked
    std::array<char, 3> ends_well{unasked, unasked, unasked};
  };
  static constexpr uint32_t unknown = hopeless - 1;
  static constexpr char unasked = 2;
  struct Hash {
    size_t operator()(const States& states) const noexcept;
  };

  uint32_t group_of(uint32_t state) const {
    return wanted_.stands_for(automaton_.language_of(state));
  }
  uint32_t add(States states);
  void settle(States& states);
  bool hope(const States& states);

  const Automaton& automaton_;
  Wanted wanted_;
  std::vector<char> active_;       // by language: wanted
  std::vector<char> begins_late_;  // by language: a match may begin behind another byte
  bool always_hope_ = false;       // whatever came before
  std::vector<Summary> of_group_;  // by group: all its languages' states
  std::vector<Progress> all_;
  std::unordered_map<States, uint32_t, Hash> known_;
  std::vector<char> matched_;  // by language; scratch, all 0 between uses
  std::vector<uint32_t> languages_;
};

}  // namespace kr::prove

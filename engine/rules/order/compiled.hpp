// The rules of a block, compiled together for the letters that occur.
//
// Whether an operation can be in the brackets of a chain depends on what is before it, which is a
// state of `before`, on its class, and on what is behind it, a state of `behind`. For brackets of
// one step that is all: the operation gets the label of the first rule for which it is true. Longer
// brackets compete for operations: `meet` only says which operations they can contain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "order/joint.hpp"

namespace kr::order {

/// A chain with longer brackets that can contain an operation. Sets of steps are numbered backward.
struct Contender {
  uint32_t member = 0;
  /// Whether the brackets can begin or end here, as far as steps outside of them decide it.
  bool can_begin = false;
  bool can_end = false;
  /// The steps in brackets that take the operation.
  Steps takes = 0;
};

/// What rules make of an operation.
struct Meeting {
  /// Rules with longer brackets before `rule`, in order.
  std::vector<Contender> contenders;
  /// The first other rule that labels the operation, or no_rule.
  uint32_t rule = no_rule;
};

class Compiled {
 public:
  /// A chain.
  struct Member {
    Member(uint32_t number, const Chain& chain)
        : rule(number),
          steps(static_cast<uint32_t>(chain.steps.size())),
          first(chain.first),
          last(steps - 1 - chain.last),
          is_long(has_long_brackets(chain)),
          brackets(chain) {}

    uint32_t rule;
    uint32_t steps;
    uint32_t first;  // in brackets
    uint32_t last;   // in brackets, numbered backward
    bool is_long;    // has_long_brackets
    Brackets brackets;
    std::vector<uint8_t> sees;  // by class
    std::vector<Steps> takes;   // by class: the steps in brackets, numbered backward
    uint32_t through = 0;       // of longer brackets: the part that goes through them
  };

  /// `rules`: numbers of rules of the block in order. `occurs`: by letter; others are not in any
  /// sequence. The block must outlive this.
  Compiled(const Block& block, std::span<const uint32_t> rules, const std::vector<uint8_t>& occurs,
           size_t max_states);

  Class class_of(Letter letter) const { return class_of_[letter]; }
  size_t classes() const { return letter_of_.size(); }
  /// The first letter of a class.
  Letter letter_of(Class read) const { return letter_of_[read]; }
  /// Whether a rule may label operations of the class.
  bool is_labelled(Class read) const { return labelled_[read] != 0; }
  /// The first ordinary rule that labels the class, or no_rule.
  uint32_t ordinary(Class read) const { return ordinary_[read]; }

  /// What was read: `start` and the operations before; `end` and those behind, from the end on.
  /// Initially without `start` and `end`.
  Joint& before() { return *before_; }
  Joint& behind() { return *behind_; }
  const Joint& before() const { return *before_; }
  const Joint& behind() const { return *behind_; }
  Meeting meet(uint32_t before, Class read, uint32_t behind) const;

  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
  std::vector<Class> class_of_;  // by letter
  std::vector<Letter> letter_of_;
  std::vector<uint32_t> ordinary_;
  std::vector<uint8_t> labelled_;
  std::optional<Joint> before_;
  std::optional<Joint> behind_;
};

}  // namespace kr::order

// Rules that are tried one after the other and whose chains see the same operations, compiled.
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

/// What the rules of a group can make of an operation.
struct Meeting {
  /// Rules with longer brackets before `rule`, in order.
  std::vector<Contender> contenders;
  /// The first other rule that labels the operation, or no_rule.
  uint32_t rule = no_rule;
};

class Group {
 public:
  /// A chain of the group.
  struct Member {
    explicit Member(uint32_t number, const Chain& chain)
        : rule(number),
          steps(static_cast<uint32_t>(chain.steps.size())),
          first(chain.first),
          last(steps - 1 - chain.last),
          is_long(chain.first != chain.last || chain.steps[chain.first].repeated),
          brackets(chain) {}

    uint32_t rule;
    uint32_t steps;
    uint32_t first;  // in brackets
    uint32_t last;   // in brackets, numbered backward
    bool is_long;    // more than one step or operation in brackets
    Brackets brackets;
    std::vector<Steps> takes;  // by class: the steps in brackets, numbered backward
    uint32_t through = 0;      // of longer brackets: the part that goes through them
  };

  /// `rules` are in order; the chains among them see what `sees` says, by letter. `occurs`: by
  /// letter; others are not in any sequence.
  Group(const Block& block, std::span<const uint32_t> rules, const std::vector<uint8_t>& sees,
        const std::vector<uint8_t>& occurs, size_t max_states);

  Class class_of(Letter letter) const { return class_of_[letter]; }
  bool is_seen(Class read) const { return read < visible_; }
  /// Whether a rule of the group may label operations of the class.
  bool is_labelled(Class read) const { return labelled_[read] != 0; }

  /// What was read: `start` and the operations before; `end` and those behind, from the end on.
  /// Initially without `start` and `end`.
  Joint& before() { return *before_; }
  Joint& behind() { return *behind_; }
  Meeting meet(uint32_t before, Class read, uint32_t behind) const;

  const std::vector<Member>& members() const { return members_; }

 private:
  std::vector<Member> members_;
  std::vector<Class> class_of_;     // by letter
  std::vector<uint32_t> ordinary_;  // by class: the first ordinary rule that labels it
  std::vector<uint8_t> labelled_;
  size_t visible_ = 0;
  std::optional<Joint> before_;
  std::optional<Joint> behind_;
};

}  // namespace kr::order

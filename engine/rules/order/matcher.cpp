#include "order/matcher.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "order/compiled.hpp"
#include "order/sweep.hpp"

namespace kr::order {

void check(const Block& block) {
  for (const Scope& scope : block.scopes) {
    KR_CHECK(scope.passes.size() == block.letters && scope.continues.size() == block.letters);
  }
  for (const OrderRule& rule : block.rules) {
    if (!rule.chain) {
      KR_CHECK(rule.letters.size() == block.letters);
      continue;
    }
    const Chain& chain = *rule.chain;
    KR_CHECK(!chain.steps.empty() && chain.steps.size() <= max_steps);
    KR_CHECK(chain.first <= chain.last && chain.last < chain.steps.size());
    KR_CHECK(chain.takes.size() == block.letters + 2 && chain.scope < block.scopes.size());
  }
}

namespace {

constexpr size_t max_meetings = 1 << 16;
constexpr uint32_t no_meeting = UINT32_MAX;

/// What rules make of operations of one class between one pair of states, found by a hash.
class Meetings {
 public:
  struct Found {
    uint64_t key = UINT64_MAX;
    uint32_t rule = no_rule;
    /// If rules with longer brackets compete for the operation: see `get`.
    uint32_t contended = no_meeting;
  };

  explicit Meetings(const Compiled& rules) : rules_(rules), slots_(256) {}

  /// Null if there would be too many.
  const Found* find(uint32_t before, Class read, uint32_t behind) {
    const uint64_t key = (uint64_t{before + read} << 32) | behind;
    for (size_t at = home(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return &slots_[at];
      if (slots_[at].key == UINT64_MAX) return add(before, read, behind, key);
    }
  }
  const Meeting& get(uint32_t contended) const { return meetings_[contended]; }

 private:
  size_t home(uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15U) >> (64 - std::countr_zero(slots_.size()));
  }
  const Found* add(uint32_t before, Class read, uint32_t behind, uint64_t key) {
    if (size_ == max_meetings) return nullptr;
    Meeting meeting = rules_.meet(before, read, behind);
    Found found{key, meeting.rule, no_meeting};
    if (!meeting.contenders.empty()) {
      found.contended = static_cast<uint32_t>(meetings_.size());
      meetings_.push_back(std::move(meeting));
    }
    if (++size_ * 2 > slots_.size()) {
      std::vector<Found> old(slots_.size() * 2);
      old.swap(slots_);
      for (const Found& slot : old) {
        if (slot.key != UINT64_MAX) insert(slot);
      }
    }
    return insert(found);
  }
  const Found* insert(const Found& found) {
    size_t at = home(found.key);
    while (slots_[at].key != UINT64_MAX) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = found;
    return &slots_[at];
  }

  const Compiled& rules_;
  std::vector<Found> slots_;  // a power of two, half of them free at least
  size_t size_ = 0;
  std::vector<Meeting> meetings_;
};

/// An operation that rules with longer brackets compete for.
struct Contended {
  uint32_t operation;
  uint32_t meeting;
};

/// Labels a sequence by all rules at once.
class JointLabels {
 public:
  JointLabels(Compiled& rules, std::span<const Letter> sequence, std::span<uint32_t> rule_of)
      : rules_(rules), sequence_(sequence), rule_of_(rule_of), meetings_(rules) {}

  /// False if the sequence needs too many states; some operations may have got labels then.
  bool label(const Block& block, const OnMatch& on_match) {
    if (!read_behind(rules_.class_of(block.end()))) return false;
    if (!read_before(rules_.class_of(block.start()))) return false;
    for (uint32_t m = 0; m < rules_.members().size(); ++m) {
      if (rules_.members()[m].is_long) label_long(m, on_match);
    }
    for (const Contended& at : contended_) {
      uint32_t& rule = rule_of_[at.operation];
      if (rule == no_rule) rule = meetings_.get(at.meeting).rule;
    }
    return true;
  }

 private:
  bool read_behind(Class end) {
    Joint& behind = rules_.behind();
    behind_.resize(sequence_.size());
    uint32_t state = behind.next(behind.initial(), end);
    for (size_t i = sequence_.size(); i-- > 0;) {
      if (state == Joint::no_state) return false;
      behind_[i] = state;
      state = behind.next(state, rules_.class_of(sequence_[i]));
    }
    return true;
  }

  bool read_before(Class start) {
    Joint& before = rules_.before();
    uint32_t state = before.next(before.initial(), start);
    for (size_t i = 0; i < sequence_.size(); ++i) {
      if (state == Joint::no_state) return false;
      const Class read = rules_.class_of(sequence_[i]);
      if (rules_.is_labelled(read) && rule_of_[i] == no_rule) {
        const Meetings::Found* found = meetings_.find(state, read, behind_[i]);
        if (found == nullptr) return false;
        if (found->contended != no_meeting) {
          contended_.push_back({static_cast<uint32_t>(i), found->contended});
        } else {
          rule_of_[i] = found->rule;
        }
      }
      state = before.next(state, read);
    }
    return true;
  }

  /// All matches of a chain with longer brackets are within stretches of operations that it can
  /// contain and that follow each other. A stretch ends at operations with labels.
  void label_long(uint32_t member, const OnMatch& on_match) {
    stretch_.clear();
    for (const Contended& at : contended_) {
      if (rule_of_[at.operation] != no_rule) continue;
      const std::vector<Contender>& contenders = meetings_.get(at.meeting).contenders;
      const auto found = std::ranges::find(contenders, member, &Contender::member);
      if (found == contenders.end()) continue;
      if (!stretch_.empty() && sees_between(member, stretch_.back().operation, at.operation)) {
        label_stretch(member, on_match);
      }
      stretch_.push_back({at.operation, found->can_begin, found->can_end, found->takes});
    }
    label_stretch(member, on_match);
  }

  void label_stretch(uint32_t m, const OnMatch& on_match) {
    const Compiled::Member& member = rules_.members()[m];
    Steps took = 0;
    for (size_t i = stretch_.size(); i-- > 0;) {
      Stretched& at = stretch_[i];
      took = at.takes & (member.brackets.before(took) | (at.can_end ? member.brackets.ends : 0));
      at.takes = took;  // so that the brackets can end
    }
    for (size_t i = 0; i < stretch_.size();) {
      took = stretch_[i].takes & member.brackets.begins;
      if (took == 0 || !stretch_[i].can_begin) {
        ++i;
        continue;
      }
      const uint32_t first = stretch_[i].operation;
      while (took != 0) {
        rule_of_[stretch_[i++].operation] = member.rule;
        took = i < stretch_.size() ? member.brackets.behind(took) & stretch_[i].takes : 0;
      }
      if (on_match) on_match({member.rule, first, stretch_[i - 1].operation});
    }
    stretch_.clear();
  }

  bool sees_between(uint32_t member, uint32_t first, uint32_t last) const {
    for (uint32_t i = first + 1; i < last; ++i) {
      if (rules_.members()[member].sees[rules_.class_of(sequence_[i])] != 0) return true;
    }
    return false;
  }

  struct Stretched {
    uint32_t operation;
    bool can_begin;
    bool can_end;
    Steps takes;
  };

  Compiled& rules_;
  std::span<const Letter> sequence_;
  std::span<uint32_t> rule_of_;
  Meetings meetings_;
  std::vector<uint32_t> behind_;  // by operation: the state that knows what is behind it
  std::vector<Contended> contended_;
  std::vector<Stretched> stretch_;
};

/// All rules on one sequence.
class Labels {
 public:
  Labels(const Block& block, size_t states, std::span<const Letter> sequence,
         std::span<uint32_t> rule_of, const OnMatch& on_match)
      : block_(block),
        max_states_(states),
        sequence_(sequence),
        rule_of_(rule_of),
        on_match_(on_match),
        occurs_(block.letters) {
    KR_CHECK(sequence.size() < no_rule);
    for (const Letter letter : sequence) {
      KR_CHECK(letter < block.letters);
      occurs_[letter] = 1;
    }
  }

  void label() {
    std::vector<uint32_t> rules;
    for (uint32_t rule = 0; rule < block_.rules.size(); ++rule) {
      if (can_match(block_.rules[rule])) rules.push_back(rule);
    }
    if (rules.empty()) return;
    {
      Compiled compiled(block_, rules, occurs_, max_states_);
      if (JointLabels(compiled, sequence_, rule_of_).label(block_, on_match_)) {
        if (on_match_) report_single(compiled);
        return;
      }
    }
    std::ranges::fill(rule_of_, no_rule);
    Sweep sweep(block_, sequence_);
    for (const uint32_t rule : rules) {
      if (block_.rules[rule].chain) {
        sweep.label(rule, rule_of_, on_match_);
      } else {
        label_by_letter(rule);
      }
    }
  }

 private:
  /// Whether each step that must take something takes something that occurs.
  bool can_match(const OrderRule& rule) const {
    Steps taken = 0;
    Steps inside = 0;
    bool labels = false;
    for (Letter letter = 0; letter < block_.letters; ++letter) {
      if (occurs_[letter] == 0) continue;
      if (!rule.chain) {
        labels |= rule.letters[letter] != 0;
      } else if (block_.scopes[rule.chain->scope].sees(letter)) {
        taken |= rule.chain->takes[letter];
        inside |= rule.chain->takes[letter] & brackets(*rule.chain);
      }
    }
    if (!rule.chain) return labels;
    taken |= takes(*rule.chain, block_, block_.start()) | takes(*rule.chain, block_, block_.end());
    const Steps required = steps_below(rule.chain->steps.size()) & ~forward(*rule.chain).optional;
    return inside != 0 && (required & ~taken) == 0;
  }

  void label_by_letter(uint32_t rule) const {
    const std::vector<uint8_t>& letters = block_.rules[rule].letters;
    for (size_t i = 0; i < sequence_.size(); ++i) {
      if (letters[sequence_[i]] != 0 && rule_of_[i] == no_rule) rule_of_[i] = rule;
    }
  }

  /// Reports the matches with one operation in brackets: each operation that got the label.
  void report_single(const Compiled& compiled) const {
    std::vector<uint8_t> is_single(block_.rules.size());
    for (const Compiled::Member& member : compiled.members())
      is_single[member.rule] = !member.is_long;
    for (uint32_t i = 0; i < rule_of_.size(); ++i) {
      if (rule_of_[i] != no_rule && is_single[rule_of_[i]] != 0) on_match_({rule_of_[i], i, i});
    }
  }

  const Block& block_;
  size_t max_states_;
  std::span<const Letter> sequence_;
  std::span<uint32_t> rule_of_;
  const OnMatch& on_match_;
  std::vector<uint8_t> occurs_;  // by letter
};

}  // namespace

Matcher::Matcher(const Block& block, size_t max_states) : block_(block), max_states_(max_states) {
  check(block);
}

void Matcher::label_by_rules(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                             const OnMatch& on_match) const {
  rule_of.assign(sequence.size(), no_rule);
  Labels(block_, max_states_, sequence, rule_of, on_match).label();
}

void Matcher::label(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                    const OnMatch& on_match) const {
  label_by_rules(sequence, rule_of, on_match);
  for (const Scope& scope : block_.scopes) continue_labels(scope, sequence, rule_of);
}

void continue_labels(const Scope& scope, std::span<const Letter> sequence,
                     std::span<uint32_t> rule_of) {
  if (std::ranges::none_of(scope.continues, [](uint8_t is) { return is != 0; })) return;
  uint32_t last = no_rule;
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (scope.sees(sequence[i])) {
      last = rule_of[i];
    } else if (scope.continues[sequence[i]] != 0 && rule_of[i] == no_rule) {
      rule_of[i] = last;
    }
  }
}

}  // namespace kr::order

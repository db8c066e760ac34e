#include "order/compiled.hpp"

#include <map>

namespace kr::order {
namespace {

/// What a letter is to rules.
struct Key {
  std::vector<Steps> takes;     // by chain; nothing if the chain does not see the letter
  std::vector<uint8_t> sees;    // by chain
  std::vector<uint32_t> rules;  // ordinary rules that label it
  friend auto operator<=>(const Key&, const Key&) = default;
};

}  // namespace

Compiled::Compiled(const Block& block, std::span<const uint32_t> rules,
                   const std::vector<uint8_t>& occurs, size_t max_states) {
  std::vector<const Chain*> chains;
  for (const uint32_t rule : rules) {
    if (!block.rules[rule].chain) continue;
    chains.push_back(&*block.rules[rule].chain);
    members_.emplace_back(rule, *chains.back());
  }

  std::map<Key, Class> classes;
  class_of_.resize(block.letters + 2);
  for (Letter letter = 0; letter < block.letters + 2; ++letter) {
    const bool is_operation = letter < block.letters;
    if (is_operation && occurs[letter] == 0) continue;
    Key key;
    for (const Chain* chain : chains) {
      const bool sees = !is_operation || block.scopes[chain->scope].sees(letter);
      key.sees.push_back(sees ? 1 : 0);
      key.takes.push_back(sees ? takes(*chain, block, letter) & steps_below(chain->steps.size())
                               : 0);
    }
    for (const uint32_t rule : rules) {
      if (is_operation && !block.rules[rule].chain && block.rules[rule].letters[letter] != 0) {
        key.rules.push_back(rule);
      }
    }
    const auto next = static_cast<Class>(classes.size());
    class_of_[letter] = classes.try_emplace(std::move(key), next).first->second;
    if (classes.size() > next) letter_of_.push_back(letter);
  }
  std::vector<const Key*> keys(classes.size());
  for (const auto& [key, number] : classes) keys[number] = &key;
  for (const Key* key : keys) {
    ordinary_.push_back(key->rules.empty() ? no_rule : key->rules.front());
    labelled_.push_back(key->rules.empty() ? 0 : 1);
  }

  std::vector<Joint::Part> before;
  std::vector<Joint::Part> behind;
  // The parts of a chain whose steps take places before and behind an operation. A part that ends
  // before a step knows whether this step may take the next place.
  const auto add = [&](size_t c, Steps takes_before, Steps takes_behind) {
    const Member& member = members_[c];
    Joint::Part& to = before.emplace_back();
    to.moves = forward(*chains[c]);
    to.always = to.moves.skip(1);
    to.keep = takes_before | bit(member.first);
    to.sees = member.sees;
    Joint::Part& from = behind.emplace_back();
    from.moves = member.brackets.moves;
    from.always = from.moves.skip(1);
    from.keep = reversed(takes_behind, member.steps) | bit(member.last);
    from.sees = member.sees;
    for (const Key* key : keys) {
      to.takes.push_back(key->takes[c] & takes_before);
      from.takes.push_back(reversed(key->takes[c] & takes_behind, member.steps));
    }
  };
  for (size_t c = 0; c < chains.size(); ++c) {
    Member& member = members_[c];
    const Steps inside = brackets(*chains[c]);
    for (size_t k = 0; k < keys.size(); ++k) {
      member.sees.push_back(keys[k]->sees[c]);
      member.takes.push_back(reversed(keys[k]->takes[c] & inside, member.steps));
      if (member.takes.back() != 0) labelled_[k] = 1;
    }
    const Steps left = steps_below(member.first);
    add(c, left, steps_below(member.steps) & ~left & ~inside);
  }
  for (size_t c = 0; c < chains.size(); ++c) {
    if (!members_[c].is_long) continue;
    members_[c].through = static_cast<uint32_t>(before.size());
    const Steps left = steps_below(members_[c].first);
    add(c, left | brackets(*chains[c]), steps_below(members_[c].steps) & ~left);
  }
  before_.emplace(std::move(before), keys.size(), max_states);
  behind_.emplace(std::move(behind), keys.size(), max_states);
}

Meeting Compiled::meet(uint32_t before, Class read, uint32_t behind) const {
  Meeting meeting;
  meeting.rule = ordinary_[read];
  const std::span<const Steps> to = before_->active(before);
  const std::span<const Steps> from = behind_->active(behind);
  for (uint32_t m = 0; m < members_.size() && members_[m].rule < meeting.rule; ++m) {
    const Member& member = members_[m];
    const Steps taken = member.takes[read];
    if (taken == 0) continue;
    const bool can_begin = ((to[m] >> member.first) & 1) != 0;
    const bool can_end = ((from[m] >> member.last) & 1) != 0;
    if (!member.is_long) {
      if (can_begin && can_end) meeting.rule = member.rule;
    } else if ((taken & from[member.through] & reversed(to[member.through], member.steps)) != 0) {
      meeting.contenders.push_back({m, can_begin, can_end, taken});
    }
  }
  return meeting;
}

}  // namespace kr::order

#include "order/group.hpp"

#include <algorithm>
#include <map>

namespace kr::order {

Group::Group(const Block& block, std::span<const uint32_t> rules, const std::vector<uint8_t>& sees,
             const std::vector<uint8_t>& occurs, size_t max_states) {
  std::vector<const Chain*> chains;
  for (const uint32_t rule : rules) {
    if (!block.rules[rule].chain) continue;
    const Chain& chain = *block.rules[rule].chain;
    chains.push_back(&chain);
    members_.emplace_back(rule, chain);
  }

  // Classes: what a letter is to each chain, and the first ordinary rule that labels it. Classes
  // that chains see come first.
  using Key = std::vector<Steps>;
  std::map<Key, Class> classes;
  std::vector<Key> keys;
  const auto class_for = [&](Letter letter, bool seen) {
    Key key(chains.size() + 2);
    for (size_t c = 0; seen && c < chains.size(); ++c) {
      key[c] = takes(*chains[c], block, letter) & steps_below(chains[c]->steps.size());
    }
    key[chains.size()] = seen ? 1 : 0;
    key[chains.size() + 1] = no_rule;
    for (const uint32_t rule : rules) {
      if (letter >= block.letters || block.rules[rule].chain) continue;
      if (block.rules[rule].letters[letter] == 0) continue;
      key[chains.size() + 1] = rule;
      break;
    }
    const auto [at, added] = classes.try_emplace(std::move(key), static_cast<Class>(keys.size()));
    if (added) keys.push_back(at->first);
    return at->second;
  };
  class_of_.resize(block.letters + 2);
  class_of_[block.start()] = class_for(block.start(), true);
  class_of_[block.end()] = class_for(block.end(), true);
  for (const bool seen : {true, false}) {
    for (Letter letter = 0; letter < block.letters; ++letter) {
      if (occurs[letter] != 0 && (sees[letter] != 0) == seen) {
        class_of_[letter] = class_for(letter, seen);
      }
    }
    if (seen) visible_ = keys.size();
  }
  for (const Key& key : keys) {
    ordinary_.push_back(static_cast<uint32_t>(key.back()));
    labelled_.push_back(ordinary_.back() != no_rule ? 1 : 0);
  }

  std::vector<Joint::Part> before;
  std::vector<Joint::Part> behind;
  const auto add = [&](size_t c, Steps before_takes, Steps behind_takes) {
    const Chain& chain = *chains[c];
    const size_t count = chain.steps.size();
    // A part that ends before a step keeps this step: whether the step may take the next place.
    Joint::Part& to = before.emplace_back();
    to.moves = forward(chain);
    to.always = to.moves.skip(1);
    to.keep = before_takes | bit(chain.first);
    Joint::Part& from = behind.emplace_back();
    from.moves = members_[c].brackets.moves;
    from.always = from.moves.skip(1);
    from.keep = reversed(behind_takes, count) | bit(members_[c].last);
    for (const Key& key : keys) {
      to.takes.push_back(key[c] & before_takes);
      from.takes.push_back(reversed(key[c] & behind_takes, count));
    }
  };
  for (size_t c = 0; c < chains.size(); ++c) {
    const Steps all = steps_below(chains[c]->steps.size());
    add(c, steps_below(chains[c]->first), all & ~steps_below(chains[c]->last + size_t{1}));
    for (size_t k = 0; k < keys.size(); ++k) {
      const Steps taken = reversed(keys[k][c] & brackets(*chains[c]), chains[c]->steps.size());
      members_[c].takes.push_back(taken);
      if (taken != 0) labelled_[k] = 1;
    }
  }
  for (size_t c = 0; c < chains.size(); ++c) {
    if (!members_[c].is_long) continue;
    members_[c].through = static_cast<uint32_t>(before.size());
    const Steps all = steps_below(chains[c]->steps.size());
    add(c, steps_below(chains[c]->last + size_t{1}), all & ~steps_below(chains[c]->first));
  }
  before_.emplace(std::move(before), visible_, keys.size(), max_states);
  behind_.emplace(std::move(behind), visible_, keys.size(), max_states);
}

Meeting Group::meet(uint32_t before, Class read, uint32_t behind) const {
  Meeting meeting;
  meeting.rule = ordinary_[read];
  if (!is_seen(read)) return meeting;
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

#include "order/all_meetings.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace kr::order {
namespace {

std::vector<uint32_t> all_rules(const Block& block) {
  check(block);
  std::vector<uint32_t> rules(block.rules.size());
  std::iota(rules.begin(), rules.end(), 0);
  return rules;
}

constexpr uint32_t no_edge = UINT32_MAX - 1;

}  // namespace

AllMeetings::AllMeetings(const Block& block, const ProofBudget& budget)
    : block_(block),
      budget_(budget),
      rules_(block, all_rules(block), std::vector<uint8_t>(block.letters, 1), budget.states) {
  const auto add = [&](uint32_t rule, Role role, uint32_t member, Steps step) {
    roles_.push_back({rule, role});
    members_.push_back(member);
    steps_.push_back(step);
  };
  uint32_t next_member = 0;
  for (uint32_t rule = 0; rule < block.rules.size(); ++rule) {
    if (!block.rules[rule].chain) {
      add(rule, Role::sure, 0, 0);
      continue;
    }
    const uint32_t m = next_member++;
    const Compiled::Member& member = rules_.members()[m];
    const Brackets& brackets = member.brackets;
    if (!member.is_long) {
      add(rule, Role::sure, m, brackets.all);
      continue;
    }
    // An operation that can fill the brackets alone is surely labelled: if no earlier match
    // contains it, a match begins there.
    const auto add_steps = [&](Role role, Steps steps) {
      for (; steps != 0; steps &= steps - 1) add(rule, role, m, steps & (~steps + 1));
    };
    add_steps(Role::sure, brackets.begins & brackets.ends);
    add_steps(Role::inside, brackets.all);
    add_steps(Role::begin, brackets.begins);
    add_steps(Role::end, brackets.ends);
  }
  for (const Role role : {Role::sure, Role::inside, Role::begin, Role::end}) {
    of_role_.push_back(roles_with([&](size_t i) { return roles_[i].role == role; }));
  }

  const std::vector<Compiled::Member>& members = rules_.members();
  const auto is_chain = [&](size_t i) { return block.rules[roles_[i].rule].chain.has_value(); };
  std::map<RoleSet, uint32_t> known;
  for (Class read = 0; read < rules_.classes(); ++read) {
    if (rules_.letter_of(read) >= block.letters) continue;
    RoleSet roles = roles_with([&](size_t i) {
      if (is_chain(i)) return (members[members_[i]].takes[read] & steps_[i]) != 0;
      return block.rules[roles_[i].rule].letters[rules_.letter_of(read)] != 0;
    });
    if (known.try_emplace(roles, read).second) operations_.push_back({std::move(roles), read, 1});
  }
  before_ = explore(rules_.before(), block.start(), came_before_, [&](std::span<const Steps> set) {
    return roles_with([&](size_t i) {
      if (!is_chain(i)) return true;
      const Compiled::Member& member = members[members_[i]];
      if (roles_[i].role == Role::sure || roles_[i].role == Role::begin) {
        return ((set[members_[i]] >> member.first) & 1) != 0;
      }
      return (set[member.through] & reversed(steps_[i], member.steps)) != 0;
    });
  });
  behind_ = explore(rules_.behind(), block.end(), came_behind_, [&](std::span<const Steps> set) {
    return roles_with([&](size_t i) {
      if (!is_chain(i)) return true;
      const Compiled::Member& member = members[members_[i]];
      if (roles_[i].role == Role::sure || roles_[i].role == Role::end) {
        return ((set[members_[i]] >> member.last) & 1) != 0;
      }
      return (set[member.through] & steps_[i]) != 0;
    });
  });
  if (before_.size() * operations_.size() * behind_.size() > budget.meetings) is_complete_ = false;
}

template <class HasRole>
RoleSet AllMeetings::roles_with(const HasRole& has_role) const {
  RoleSet set((roles_.size() + 63) / 64);
  for (size_t i = 0; i < roles_.size(); ++i) {
    if (has_role(i)) set[i / 64] |= bit(i % 64);
  }
  return set;
}

// Breadth first, so that each state is reached by a shortest sequence.
template <class RolesOf>
std::vector<AllMeetings::Row> AllMeetings::explore(Joint& joint, Letter end, CameBy& came_by,
                                                   const RolesOf& roles_of) {
  std::vector<Class> reads;
  for (Class read = 0; read < rules_.classes(); ++read) {
    if (rules_.letter_of(read) < block_.letters) reads.push_back(read);
  }
  std::vector<Row> rows;
  std::map<RoleSet, size_t> known;
  std::vector<std::pair<uint32_t, uint32_t>> open;  // states and their lengths
  const auto reach = [&](uint32_t state, uint32_t by, uint32_t length) {
    if (state == Joint::no_state) {
      is_complete_ = false;
      return;
    }
    const size_t number = state / joint.classes();
    if (came_by.size() <= number) came_by.resize(number + 1, Joint::no_state);
    if (came_by[number] != Joint::no_state) return;
    came_by[number] = by;
    open.emplace_back(state, length);
    RoleSet roles = roles_of(joint.active(state));
    if (known.try_emplace(roles, rows.size()).second) {
      rows.push_back({std::move(roles), state, length});
    }
  };
  reach(joint.next(joint.initial(), rules_.class_of(end)), no_edge, 0);
  for (size_t i = 0; i < open.size() && !budget_.is_stopped(); ++i) {
    const auto [state, length] = open[i];
    for (const Class read : reads) {
      reach(joint.next(state, read), joint.edge(state, read), length + 1);
    }
  }
  return rows;
}

std::vector<Letter> AllMeetings::letters(const Joint& joint, const CameBy& came_by,
                                         uint32_t state) const {
  std::vector<Letter> letters;
  while (true) {
    const uint32_t by = came_by[state / joint.classes()];
    if (by == no_edge) return letters;
    const auto read = static_cast<Class>(by % joint.classes());
    letters.push_back(rules_.letter_of(read));
    state = by - read;
  }
}

Witness AllMeetings::witness(const Place& place) const {
  Witness witness;
  witness.sequence = letters(rules_.before(), came_before_, before_[place.before].state);
  std::ranges::reverse(witness.sequence);
  witness.operation = static_cast<uint32_t>(witness.sequence.size());
  witness.sequence.push_back(rules_.letter_of(operations_[place.operation].state));
  const std::vector<Letter> behind =
      letters(rules_.behind(), came_behind_, behind_[place.behind].state);
  witness.sequence.insert(witness.sequence.end(), behind.begin(), behind.end());
  return witness;
}

}  // namespace kr::order

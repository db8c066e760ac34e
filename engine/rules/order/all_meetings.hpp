// All that can be before an operation and behind it, and what rules make of each pair.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "order/compiled.hpp"
#include "order/prove.hpp"

namespace kr::order {

/// What a meeting says of a rule. Ordinary rules and those with brackets of one step have only
/// `sure`.
enum class Role : uint8_t {
  /// The rule labels the operation, unless an earlier one does.
  sure,
  /// The operation can be in the brackets of the rule; begin them; end them.
  inside,
  begin,
  end,
};

/// Bits: places in AllMeetings::roles().
using RoleSet = std::vector<uint64_t>;

template <class Each>
void each_role(const RoleSet& set, const Each& each) {
  for (size_t w = 0; w < set.size(); ++w) {
    for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1) {
      each(w * 64 + static_cast<size_t>(std::countr_zero(bits)));
    }
  }
}

class AllMeetings {
 public:
  struct RuleRole {
    uint32_t rule;
    Role role;
  };
  /// One of what is before, of classes of operations, and of what is behind.
  struct Place {
    uint32_t before = 0;
    uint32_t operation = 0;
    uint32_t behind = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  /// The block must outlive this.
  AllMeetings(const Block& block, const ProofBudget& budget);

  /// In order of rules; of one rule, `sure` comes first.
  const std::vector<RuleRole>& roles() const { return roles_; }
  /// The places of all roles of that kind.
  const RoleSet& of(Role role) const { return of_role_[static_cast<size_t>(role)]; }

  /// Whether everything was found that can be before an operation and behind it, and `each` calls
  /// for all meetings.
  bool is_complete() const { return is_complete_ && !budget_.is_stopped(); }

  /// Calls `each(roles, place)` for each meeting at which a rule has a role. What differs in no
  /// role is one; it is represented by the shortest.
  template <class Each>
  void each(const Each& each) const {
    const size_t words = of_role_[0].size();
    RoleSet with_operation(words);
    RoleSet met(words);
    size_t left = budget_.meetings;
    for (uint32_t b = 0; b < before_.size(); ++b) {
      for (uint32_t o = 0; o < operations_.size(); ++o) {
        if (!meet(before_[b].roles, operations_[o].roles, with_operation)) continue;
        if (budget_.is_stopped()) return;
        for (uint32_t a = 0; a < behind_.size() && left > 0; ++a, --left) {
          if (meet(with_operation, behind_[a].roles, met)) each(met, Place{b, o, a});
        }
      }
    }
  }

  /// The number of operations of the witness.
  size_t length(const Place& place) const {
    return size_t{before_[place.before].length} + 1 + behind_[place.behind].length;
  }
  Witness witness(const Place& place) const;

 private:
  /// The first state, or class of operations, with its roles.
  struct Row {
    RoleSet roles;
    uint32_t state = 0;
    uint32_t length = 0;
  };
  /// By number of a state: the edge by which it was reached first.
  using CameBy = std::vector<uint32_t>;

  static bool meet(const RoleSet& a, const RoleSet& b, RoleSet& both) {
    uint64_t any = 0;
    for (size_t w = 0; w < both.size(); ++w) any |= both[w] = a[w] & b[w];
    return any != 0;
  }
  template <class HasRole>
  RoleSet roles_with(const HasRole& has_role) const;
  template <class RolesOf>
  std::vector<Row> explore(Joint& joint, Letter end, CameBy& came_by, const RolesOf& roles_of);
  std::vector<Letter> letters(const Joint& joint, const CameBy& came_by, uint32_t state) const;

  const Block& block_;
  ProofBudget budget_;
  Compiled rules_;
  std::vector<RuleRole> roles_;
  std::vector<uint32_t> members_;  // by role: of chains, the member
  std::vector<Steps> steps_;       // by role: of longer brackets, the step; numbered backward
  std::vector<RoleSet> of_role_;
  CameBy came_before_;
  CameBy came_behind_;
  std::vector<Row> before_;
  std::vector<Row> behind_;
  std::vector<Row> operations_;
  bool is_complete_ = true;
};

/// The shortest meetings of those that are added, at most `max`.
class ShortestMeetings {
 public:
  ShortestMeetings(const AllMeetings& meetings, size_t max) : meetings_(&meetings), max_(max) {}

  void add(const AllMeetings::Place& place) {
    any_ = true;
    const size_t length = meetings_->length(place);
    if (by_length_.size() == max_) {
      if (max_ == 0 || length >= std::prev(by_length_.end())->first) return;
      by_length_.erase(std::prev(by_length_.end()));
    }
    by_length_.emplace(length, place);
  }
  /// Whether any was added.
  bool any() const { return any_; }
  Witness first() const { return meetings_->witness(by_length_.begin()->second); }
  /// Calls `find(witness)` until it returns a value, which is returned.
  template <class Find>
  std::optional<Witness> find(const Find& find) const {
    for (const auto& [length, place] : by_length_) {
      if (std::optional<Witness> found = find(meetings_->witness(place))) return found;
    }
    return std::nullopt;
  }

 private:
  const AllMeetings* meetings_;
  size_t max_;
  bool any_ = false;
  std::multimap<size_t, AllMeetings::Place> by_length_;
};

}  // namespace kr::order

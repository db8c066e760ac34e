#include <algorithm>
#include <ranges>

#include "base/check.hpp"
#include "order/all_meetings.hpp"
#include "order/matcher.hpp"
#include "order/prove.hpp"

namespace kr::order {
namespace {

constexpr uint32_t no_label = no_rule;

/// The rules of both blocks, those of the first one first.
Block both(const Block& a, const Block& b) {
  KR_CHECK(a.letters == b.letters);
  Block joined = a;
  joined.scopes.insert(joined.scopes.end(), b.scopes.begin(), b.scopes.end());
  for (OrderRule rule : b.rules) {
    if (rule.chain) rule.chain->scope += static_cast<uint32_t>(a.scopes.size());
    joined.rules.push_back(std::move(rule));
  }
  return joined;
}

/// What `continue` does: by scope that continues anything and by letter, whether it is seen or
/// continued.
std::vector<std::vector<std::pair<bool, bool>>> continued(const Block& block) {
  std::vector<std::vector<std::pair<bool, bool>>> result;
  for (const Scope& scope : block.scopes) {
    std::vector<std::pair<bool, bool>> letters;
    bool any = false;
    for (Letter letter = 0; letter < block.letters; ++letter) {
      letters.emplace_back(scope.sees(letter), scope.continues[letter] != 0);
      any |= letters.back().second;
    }
    if (any) result.push_back(std::move(letters));
  }
  return result;
}

/// One of the two blocks.
struct Side {
  Matcher matcher;
  std::span<const uint32_t> labels;
  uint32_t first = 0;  // its rules in the joined block
  uint32_t behind = 0;

  std::vector<uint32_t> label(const std::vector<Letter>& sequence) const {
    std::vector<uint32_t> labelled;
    matcher.label(sequence, labelled);
    for (uint32_t& rule : labelled) rule = rule == no_rule ? no_label : labels[rule];
    return labelled;
  }

  /// The label that the operation of a meeting surely gets, which may be no_label.
  std::optional<uint32_t> label(const AllMeetings& meetings, const RoleSet& met) const {
    uint32_t label = no_label;
    std::optional<uint32_t> contended;  // the label of a rule with longer brackets
    bool is_sure = false;
    bool is_mixed = false;
    each_role(met, [&](size_t i) {
      const auto [rule, role] = meetings.roles()[i];
      if (rule < first || rule >= behind || is_sure) return;
      const uint32_t own = labels[rule - first];
      if (role == Role::sure) {
        label = own;
        is_sure = true;
      } else if (role == Role::inside) {
        is_mixed |= contended.value_or(own) != own;
        contended = own;
      }
    });
    if (is_mixed || contended.value_or(label) != label) return std::nullopt;
    return label;
  }
};

class Comparer {
 public:
  Comparer(const Block& a, std::span<const uint32_t> labels_a, const Block& b,
           std::span<const uint32_t> labels_b, const ProofBudget& budget)
      : joined_(both(a, b)),
        meetings_(joined_, budget),
        different_(meetings_, budget.checks),
        open_(meetings_, budget.checks),
        labelled_(meetings_, budget.checks),
        continued_(continued(a)),
        continued_in_b_(continued(b)) {
    KR_CHECK(labels_a.size() == a.rules.size() && labels_b.size() == b.rules.size());
    const auto rules_a = static_cast<uint32_t>(a.rules.size());
    const auto rules = static_cast<uint32_t>(joined_.rules.size());
    sides_.push_back({Matcher(a), labels_a, 0, rules_a});
    sides_.push_back({Matcher(b), labels_b, rules_a, rules});
  }

  BlockComparison compare() {
    meetings_.each([&](const RoleSet& met, const AllMeetings::Place& place) {
      const std::optional<uint32_t> in_a = sides_[0].label(meetings_, met);
      const std::optional<uint32_t> in_b = sides_[1].label(meetings_, met);
      if (!in_a || !in_b) {
        open_.add(place);
      } else if (*in_a != *in_b) {
        different_.add(place);
      } else if (*in_a != no_label) {
        labelled_.add(place);
      }
    });
    BlockComparison comparison;
    for (const ShortestMeetings* meetings : {&different_, &open_}) {
      comparison.witness = meetings->find([&](Witness at) { return difference(std::move(at)); });
      if (comparison.witness) break;
    }
    const bool same_continued = continued_ == continued_in_b_;
    if (!comparison.witness && !same_continued) {
      comparison.witness = labelled_.find([&](const Witness& at) { return continued_at(at); });
    }
    if (comparison.witness) {
      comparison.result = Equality::different;
    } else if (meetings_.is_complete() && same_continued && !different_.any() && !open_.any()) {
      comparison.result = Equality::equal;
    }
    return comparison;
  }

 private:
  std::optional<Witness> difference(Witness at) const {
    const std::vector<uint32_t> in_a = sides_[0].label(at.sequence);
    const std::vector<uint32_t> in_b = sides_[1].label(at.sequence);
    const auto place = std::ranges::mismatch(in_a, in_b).in1;
    if (place == in_a.end()) return std::nullopt;
    at.operation = static_cast<uint32_t>(place - in_a.begin());
    return at;
  }

  /// With an operation behind the labelled one that either block continues.
  std::optional<Witness> continued_at(const Witness& at) const {
    for (Letter letter = 0; letter < joined_.letters; ++letter) {
      if (std::ranges::none_of(joined_.scopes,
                               [&](const Scope& scope) { return scope.continues[letter] != 0; })) {
        continue;
      }
      Witness longer = at;
      longer.sequence.insert(longer.sequence.begin() + at.operation + 1, letter);
      if (std::optional<Witness> found = difference(std::move(longer))) return found;
    }
    return std::nullopt;
  }

  Block joined_;
  AllMeetings meetings_;
  ShortestMeetings different_;
  ShortestMeetings open_;      // not decided
  ShortestMeetings labelled_;  // the same label
  std::vector<std::vector<std::pair<bool, bool>>> continued_;
  std::vector<std::vector<std::pair<bool, bool>>> continued_in_b_;
  std::vector<Side> sides_;
};

}  // namespace

BlockComparison compare(const Block& a, std::span<const uint32_t> labels_a, const Block& b,
                        std::span<const uint32_t> labels_b, const ProofBudget& budget) {
  return Comparer(a, labels_a, b, labels_b, budget).compare();
}

}  // namespace kr::order

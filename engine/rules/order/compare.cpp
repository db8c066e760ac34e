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

bool is_long(const OrderRule& rule) {
  return rule.chain && has_long_brackets(*rule.chain);
}

bool is_same(const Block& block, const Chain& a, const Chain& b) {
  for (Letter letter = 0; letter < block.letters; ++letter) {
    if (block.scopes[a.scope].sees(letter) != block.scopes[b.scope].sees(letter)) return false;
  }
  return a.steps == b.steps && a.first == b.first && a.last == b.last && a.takes == b.takes;
}

/// By rule of the joined block: for rules with longer brackets that both blocks have, in the same
/// order, a number that they share; for others with longer brackets, one of their own; else
/// no_rule.
std::vector<uint32_t> shared_numbers(const Block& joined, uint32_t rules_of_a) {
  std::vector<uint32_t> numbers(joined.rules.size(), no_rule);
  for (uint32_t rule = 0; rule < numbers.size(); ++rule) {
    if (is_long(joined.rules[rule])) numbers[rule] = rule;
  }
  uint32_t next = rules_of_a;
  for (uint32_t rule = 0; rule < rules_of_a; ++rule) {
    if (!is_long(joined.rules[rule])) continue;
    uint32_t other = next;
    while (other < numbers.size() &&
           !(is_long(joined.rules[other]) &&
             is_same(joined, *joined.rules[rule].chain, *joined.rules[other].chain))) {
      ++other;
    }
    if (other == numbers.size()) continue;
    numbers[other] = rule;
    next = other + 1;
  }
  return numbers;
}

/// What the rules of one block make of a meeting.
struct MeetingLabels {
  struct Contender {
    uint32_t number;  // as shared_numbers has it
    uint32_t label;
    friend bool operator==(const Contender&, const Contender&) = default;
  };
  /// The rules with longer brackets that may label the operation, up to the first rule that surely
  /// does. That one gives `label`.
  std::vector<Contender> contenders;
  uint32_t label = no_label;

  bool is_certain() const {
    return std::ranges::all_of(contenders,
                               [&](const Contender& one) { return one.label == label; });
  }
};

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

  void find(const AllMeetings& meetings, const RoleSet& met, const std::vector<uint32_t>& numbers,
            MeetingLabels& found) const {
    found.contenders.clear();
    found.label = no_label;
    bool is_sure = false;
    each_role(met, [&](size_t i) {
      const auto [rule, role] = meetings.roles()[i];
      if (rule < first || rule >= behind || is_sure) return;
      const uint32_t label = labels[rule - first];
      if (numbers[rule] != no_rule && (role == Role::sure || role == Role::inside) &&
          (found.contenders.empty() || found.contenders.back().number != numbers[rule])) {
        found.contenders.push_back({numbers[rule], label});
      }
      if (role != Role::sure) return;
      found.label = label;
      is_sure = true;
    });
  }
};

// Two blocks label everything the same way if each meeting is clear: either both surely give the
// operation the same label, whatever rules with longer brackets do; or the same such rules contend
// for it, with the same labels, before the same label.
//
// The second is enough only if at all meetings the same rules contend. Then one of them after the
// other labels the same operations in both blocks: of those that its brackets could contain, the
// same have no label yet.
class Comparer {
 public:
  Comparer(const Block& a, std::span<const uint32_t> labels_a, const Block& b,
           std::span<const uint32_t> labels_b, const ProofBudget& budget)
      : joined_(both(a, b)),
        meetings_(joined_, budget),
        different_(meetings_, budget.checks),
        open_(meetings_, budget.checks),
        shared_(meetings_, budget.checks),
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
    const std::vector<uint32_t> numbers = shared_numbers(joined_, sides_[0].behind);
    bool contend_the_same = true;
    MeetingLabels in_a;
    MeetingLabels in_b;
    meetings_.each([&](const RoleSet& met, const AllMeetings::Place& place) {
      sides_[0].find(meetings_, met, numbers, in_a);
      sides_[1].find(meetings_, met, numbers, in_b);
      contend_the_same &=
          std::ranges::equal(in_a.contenders, in_b.contenders, {},
                             &MeetingLabels::Contender::number, &MeetingLabels::Contender::number);
      if (in_a.is_certain() && in_b.is_certain()) {
        if (in_a.label != in_b.label) {
          different_.add(place);
        } else if (in_a.label != no_label) {
          labelled_.add(place);
        }
      } else if (in_a.label != in_b.label || in_a.contenders != in_b.contenders) {
        open_.add(place);
      } else {
        shared_.add(place);
      }
    });
    BlockComparison comparison;
    for (const ShortestMeetings* meetings : {&different_, &open_, &shared_}) {
      comparison.witness = meetings->find([&](Witness at) { return difference(std::move(at)); });
      if (comparison.witness) break;
    }
    const bool same_continued = continued_ == continued_in_b_;
    if (!comparison.witness && !same_continued) {
      comparison.witness = labelled_.find([&](const Witness& at) { return continued_at(at); });
    }
    if (comparison.witness) {
      comparison.result = Equality::different;
    } else if (meetings_.is_complete() && same_continued && !different_.any() && !open_.any() &&
               (contend_the_same || !shared_.any())) {
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
  ShortestMeetings shared_;    // the same contenders and label
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

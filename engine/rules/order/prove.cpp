#include "order/prove.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "order/all_meetings.hpp"
#include "order/matcher.hpp"

namespace kr::order {
namespace {

/// Which rule labels the operation of a meeting.
struct Decision {
  uint32_t rule = no_rule;    // the first that surely does
  bool is_contended = false;  // whether one with longer brackets may do so before
};

Decision decision(const AllMeetings& meetings, const RoleSet& met) {
  uint32_t contender = no_rule;
  for (size_t w = 0; w < met.size(); ++w) {
    const auto first = [&](uint64_t bits) {
      return meetings.roles()[w * 64 + static_cast<size_t>(std::countr_zero(bits))].rule;
    };
    const uint64_t inside = met[w] & meetings.of(Role::inside)[w];
    const uint64_t sure = met[w] & meetings.of(Role::sure)[w];
    if (contender == no_rule && inside != 0) contender = first(inside);
    if (sure != 0) return {first(sure), contender < first(sure)};
  }
  return {no_rule, contender != no_rule};
}

/// What was found of one rule.
struct Found {
  Found(const AllMeetings& meetings, size_t checks)
      : labelled(meetings, 1), covered(meetings, 1), open(meetings, std::max<size_t>(checks, 1)) {}

  ShortestMeetings labelled;  // certainly
  ShortestMeetings covered;   // by an earlier rule
  ShortestMeetings open;      // the rule could label the operation, or begin its brackets there
  bool has_open_end = false;  // or end them
};

class RuleProver {
 public:
  RuleProver(const Block& block, const ProofBudget& budget)
      : block_(block), matcher_(block), meetings_(block, budget) {
    found_.assign(block.rules.size(), Found(meetings_, budget.checks));
  }

  std::vector<RuleProof> prove() {
    meetings_.each([&](const RoleSet& met, const AllMeetings::Place& place) { note(met, place); });
    std::vector<RuleProof> proofs;
    for (uint32_t rule = 0; rule < found_.size(); ++rule) proofs.push_back(decide(rule));
    find_covers(proofs);
    return proofs;
  }
  bool is_complete() const { return meetings_.is_complete(); }

 private:
  void note(const RoleSet& met, const AllMeetings::Place& place) {
    const Decision by = decision(meetings_, met);
    each_role(met, [&](size_t i) {
      const auto [rule, role] = meetings_.roles()[i];
      Found& found = found_[rule];
      if (role == Role::inside) return;
      if (rule > by.rule) {
        if (decides(rule, role)) found.covered.add(place);
      } else if (role == Role::sure && !by.is_contended) {
        found.labelled.add(place);
      } else if (role == Role::end) {
        found.has_open_end = true;
      } else {
        found.open.add(place);
      }
    });
  }

  bool is_long(uint32_t rule) const {
    const std::optional<Chain>& chain = block_.rules[rule].chain;
    return chain && has_long_brackets(*chain);
  }
  /// Whether the rule matches nothing if nothing can have that role.
  bool decides(uint32_t rule, Role role) const {
    return role == (is_long(rule) ? Role::begin : Role::sure);
  }

  RuleProof decide(uint32_t rule) const {
    const Found& found = found_[rule];
    RuleProof proof;
    proof.witness =
        found.labelled.any()
            ? std::optional(found.labelled.first())
            : found.open.find([&](Witness open) { return labels(rule, std::move(open)); });
    if (proof.witness) {
      proof.verdict = Verdict::alive;
      return proof;
    }
    if (!meetings_.is_complete()) return proof;
    const bool is_open = found.open.any() && (!is_long(rule) || found.has_open_end);
    if (is_open) return proof;
    if (!found.open.any() && !found.covered.any()) {
      proof.verdict = Verdict::never_matches;
      return proof;
    }
    proof.verdict = Verdict::covered;
    proof.witness = (found.covered.any() ? found.covered : found.open).first();
    return proof;
  }

  std::optional<Witness> labels(uint32_t rule, Witness witness) const {
    std::vector<uint32_t> rule_of;
    matcher_.label_by_rules(witness.sequence, rule_of);
    const auto at = std::ranges::find(rule_of, rule);
    if (at == rule_of.end()) return std::nullopt;
    witness.operation = static_cast<uint32_t>(at - rule_of.begin());
    return witness;
  }

  /// For each covered rule few rules that are enough.
  void find_covers(std::vector<RuleProof>& proofs) const {
    std::vector<std::set<RoleSet>> to_cover(proofs.size());
    std::vector<Role> deciding(proofs.size());
    bool any = false;
    for (uint32_t rule = 0; rule < proofs.size(); ++rule) {
      any |= proofs[rule].verdict == Verdict::covered;
      deciding[rule] = !is_long(rule)             ? Role::sure
                       : !found_[rule].open.any() ? Role::begin
                                                  : Role::end;
    }
    if (!any) return;
    meetings_.each([&](const RoleSet& met, const AllMeetings::Place&) {
      each_role(met, [&](size_t i) {
        const uint32_t rule = meetings_.roles()[i].rule;
        if (proofs[rule].verdict != Verdict::covered) return;
        if (meetings_.roles()[i].role != deciding[rule]) return;
        RoleSet earlier(met.size());
        each_role(met, [&](size_t by) {
          if (by < i && meetings_.roles()[by].role == Role::sure &&
              meetings_.roles()[by].rule < rule) {
            earlier[by / 64] |= bit(by % 64);
          }
        });
        to_cover[rule].insert(std::move(earlier));
      });
    });
    for (uint32_t rule = 0; rule < proofs.size(); ++rule) {
      proofs[rule].covered_by = cover(std::move(to_cover[rule]));
    }
  }

  /// The rule that covers most comes first, then the one that covers most of the rest.
  std::vector<uint32_t> cover(std::set<RoleSet> to_cover) const {
    std::vector<uint32_t> rules;
    while (!to_cover.empty()) {
      std::map<uint32_t, size_t> counts;
      for (const RoleSet& set : to_cover) {
        std::set<uint32_t> covering;
        each_role(set, [&](size_t i) { covering.insert(meetings_.roles()[i].rule); });
        for (const uint32_t rule : covering) ++counts[rule];
      }
      const uint32_t best = std::ranges::max_element(counts, {}, [](const auto& entry) {
                              return entry.second;
                            })->first;
      rules.push_back(best);
      std::erase_if(to_cover, [&](const RoleSet& set) {
        bool covers = false;
        each_role(set, [&](size_t i) { covers |= meetings_.roles()[i].rule == best; });
        return covers;
      });
    }
    std::ranges::sort(rules);
    return rules;
  }

  const Block& block_;
  Matcher matcher_;
  AllMeetings meetings_;
  std::vector<Found> found_;
};

/// What the rule labels among the shortest sequences that it would label alone.
std::optional<Witness> labelled_by(const Matcher& matcher, uint32_t rule, const Block& alone,
                                   const ProofBudget& budget) {
  const AllMeetings meetings(alone, budget);
  ShortestMeetings shortest(meetings, budget.checks);
  meetings.each([&](const RoleSet&, const AllMeetings::Place& place) { shortest.add(place); });
  return shortest.find([&](Witness witness) -> std::optional<Witness> {
    std::vector<uint32_t> rule_of;
    matcher.label_by_rules(witness.sequence, rule_of);
    const auto at = std::ranges::find(rule_of, rule);
    if (at == rule_of.end()) return std::nullopt;
    witness.operation = static_cast<uint32_t>(at - rule_of.begin());
    return witness;
  });
}

/// What can be said of a rule in a block with too many rules: by itself, and with each earlier one.
RuleProof prove_with_few(const Block& block, uint32_t rule, const ProofBudget& budget,
                         const Matcher& matcher) {
  Block few{block.letters, block.scopes, {block.rules[rule]}};
  RuleProof proof = RuleProver(few, budget).prove().back();
  if (proof.verdict == Verdict::never_matches) return proof;
  proof.witness = labelled_by(matcher, rule, few, budget);
  if (proof.witness) {
    proof.verdict = Verdict::alive;
    return proof;
  }
  few.rules.push_back(block.rules[rule]);
  for (uint32_t earlier = 0; earlier < rule; ++earlier) {
    few.rules.front() = block.rules[earlier];
    proof = RuleProver(few, budget).prove().back();
    if (proof.verdict != Verdict::covered) continue;
    proof.covered_by = {earlier};
    return proof;
  }
  return {};
}

}  // namespace

std::vector<RuleProof> prove(const Block& block, const ProofBudget& budget) {
  RuleProver prover(block, budget);
  std::vector<RuleProof> proofs = prover.prove();
  if (prover.is_complete()) return proofs;
  const Matcher matcher(block);
  for (uint32_t rule = 0; rule < proofs.size(); ++rule) {
    if (proofs[rule].verdict == Verdict::not_decided) {
      proofs[rule] = prove_with_few(block, rule, budget, matcher);
    }
  }
  return proofs;
}

}  // namespace kr::order

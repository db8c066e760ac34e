#include "match/evaluate.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <utility>

namespace kr::match {
namespace {

constexpr uint32_t no_rule = std::numeric_limits<uint32_t>::max();

}  // namespace

bool holds(const sema::Program& program, sema::ExprId expr, const Subject& subject) {
  const sema::Expr& top = program.exprs.get(expr);
  if (top.op == sema::ExprOp::atom) return subject.name->has(top.atom);
  return Condition(program, expr).holds(subject);
}

TableMatcher::TableMatcher(const sema::Program& program, const sema::Table& table)
    : program_(&program), table_(&table), first_rule_of_atom_(program.atoms.size(), no_rule) {
  std::map<sema::ExprId, uint32_t> where_of;
  for (uint32_t i = 0; i < table.refined.size(); ++i) {
    const sema::Table::Refined& refined = table.refined[i];
    const auto [at, added] = where_of.emplace(refined.where, static_cast<uint32_t>(wheres_.size()));
    if (added) wheres_.emplace_back(program, refined.where);
    Condition condition(program, program.rules.get(refined.rule).expr);
    uses_within_ |= condition.uses_within() || wheres_[at->second].uses_within();
    others_.push_back({i, std::move(condition), at->second});
  }
  for (auto i = static_cast<uint32_t>(table.refined.size()); i < table.rules.size(); ++i) {
    Condition condition(program, table.expr(program, i));
    const auto atoms = condition.plain_atoms();
    if (!atoms) {
      uses_within_ = uses_within_ || condition.uses_within();
      others_.push_back({i, std::move(condition), std::nullopt});
      continue;
    }
    for (const sema::AtomId atom : *atoms) {
      first_rule_of_atom_[atom.index] = std::min(first_rule_of_atom_[atom.index], i);
    }
  }
}

uint32_t TableMatcher::first_plain(const AtomSet& name) const {
  uint32_t first = no_rule;
  const std::span<const uint64_t> words = name.words();
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1) {
      first = std::min(first,
                       first_rule_of_atom_[64 * i + static_cast<size_t>(std::countr_zero(word))]);
    }
  }
  return first;
}

std::optional<sema::RuleId> TableMatcher::match(const Subject& subject) const {
  uint32_t first = first_plain(*subject.name);
  // Where a refinement applies is as long as the rules below it, and is evaluated at most once.
  // What its rules say is short, and seldom true: so that comes first.
  std::optional<std::pair<uint32_t, bool>> known;
  const auto applies = [&](const Other& other) {
    if (!other.where) return true;
    if (!known || known->first != *other.where) {
      known.emplace(*other.where, wheres_[*other.where].holds(subject));
    }
    return known->second;
  };
  for (const Other& other : others_) {
    if (other.rule >= first) break;
    if (other.condition.holds(subject) && applies(other)) {
      first = other.rule;
      break;
    }
  }
  const std::optional<sema::RuleId> rule =
      first == no_rule ? table_->otherwise : std::optional(table_->rules[first]);
  if (!rule || !table_->from.valid()) return rule;
  const sema::Rule& image = program_->rules.get(*rule);
  return image.label.empty() && !image.keep ? std::nullopt : rule;
}

std::vector<sema::RuleId> later_matches(const sema::Program& program, const sema::Table& table,
                                        const Subject& subject) {
  std::vector<sema::RuleId> later;
  bool won = false;
  for (size_t i = 0; i < table.rules.size(); ++i) {
    if (!holds(program, table.expr(program, i), subject)) continue;
    if (won) later.push_back(table.rules[i]);
    won = true;
  }
  return later;
}

}  // namespace kr::match

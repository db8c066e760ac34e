#include "sema/refine.hpp"

#include <algorithm>
#include <map>

#include "sema/order.hpp"

namespace kr::sema {

/// All refinements of one label, the nearest first.
struct Refiner::Group {
  std::string label;
  const syntax::Rule* written = nullptr;  // the first of them
  std::vector<RuleId> rules;
};

/// The names that the rules of the table give the label.
ExprId Refiner::where_given(const Table& table, const std::string& label) {
  const auto gives = [&](RuleId rule) { return program_.rules.get(rule).label == label; };
  // From the last rule to the first; invalid: nothing below gives the label.
  ExprId below;
  bool always = table.otherwise && gives(*table.otherwise);
  for (size_t end = table.rules.size(); end > 0;) {
    const bool given = gives(table.rules[end - 1]);
    size_t begin = end;
    std::vector<ExprId> exprs;
    while (begin > 0 && gives(table.rules[begin - 1]) == given) {
      // A rule with a mistake has no expression.
      const ExprId expr = table.expr(program_, --begin);
      if (expr.valid()) exprs.insert(exprs.begin(), expr);
    }
    end = begin;
    if (exprs.empty()) continue;
    if (given) {
      if (always) continue;
      if (below.valid()) exprs.push_back(below);
      below = expressions_.any_of(exprs);
    } else if (always || below.valid()) {
      const ExprId none = expressions_.none_of(exprs);
      below = always ? none : expressions_.all_of({none, below});
      always = false;
    }
  }
  return always ? expressions_.anything() : below;
}

void Refiner::apply(const std::vector<Refinement>& refinements, Table& table, source::Span whose) {
  if (refinements.empty()) return;
  std::vector<Group> groups;
  std::map<std::string, uint32_t, std::less<>> group_of;
  for (const Refinement& one : refinements) {
    const std::string label(labels_.text(one.label));
    const auto [at, added] = group_of.emplace(label, static_cast<uint32_t>(groups.size()));
    if (added) groups.push_back({label, one.written, {}});
    for (const Placed& placed : one.rules) groups[at->second].rules.push_back(placed.rule);
  }
  // Where a refinement gives a label that is refined itself, it comes first.
  std::vector<std::vector<uint32_t>> givers(groups.size());
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (const RuleId rule : groups[g].rules) {
      const auto refined = group_of.find(program_.rules.get(rule).label);
      if (refined != group_of.end() && refined->second != g) givers[refined->second].push_back(g);
    }
  }
  const std::vector<uint32_t> order =
      dependencies_first(givers, [&](const std::vector<uint32_t>& path) {
        if (!reported_.insert(groups[path.front()].written).second) return;
        sink_.add(diag::code::refine_cycle, groups[path.front()].written->label.span,
                  cycle_text(path, [&](uint32_t one) { return groups[one].label; }));
      });
  std::map<std::string, std::vector<ExprId>, std::less<>> refined_to;  // by label
  std::vector<std::vector<Table::Refined>> made(groups.size());
  for (const uint32_t g : order) {
    if (!budget_.spend(table.rules.size() + groups[g].rules.size(), whose)) return;
    const std::string& label = groups[g].label;
    std::vector<ExprId> given;
    if (const ExprId by_rules = where_given(table, label); by_rules.valid()) {
      given.push_back(by_rules);
    }
    if (const auto more = refined_to.find(label); more != refined_to.end()) {
      given.insert(given.end(), more->second.begin(), more->second.end());
    }
    const ExprId where = expressions_.any_of(given);
    if (!where.valid()) continue;
    std::vector<ExprId> before;
    for (const RuleId id : groups[g].rules) {
      const Rule& rule = program_.rules.get(id);
      if (!rule.expr.valid()) continue;
      const ExprId own = rule.expr;
      std::vector<ExprId> all{where, own};
      const std::string& to = rule.label;
      made[g].push_back({id, where, expressions_.all_of(all)});
      if (group_of.contains(to) && to != label) {
        if (!before.empty()) all.push_back(expressions_.none_of(before));
        refined_to[to].push_back(expressions_.all_of(all));
      }
      before.push_back(own);
    }
  }
  std::vector<Table::Refined> first;
  std::vector<RuleId> rules;
  for (auto g = order.rbegin(); g != order.rend(); ++g) {
    for (const Table::Refined& one : made[*g]) {
      first.push_back(one);
      rules.push_back(one.rule);
    }
  }
  table.refined.insert(table.refined.begin(), first.begin(), first.end());
  table.rules.insert(table.rules.begin(), rules.begin(), rules.end());
  table.refinements = static_cast<uint32_t>(first.size());
}

}  // namespace kr::sema

#include "classify/enclosing_context.hpp"

#include <algorithm>
#include <iterator>

#include "match/condition.hpp"

namespace kr::classify {
namespace {

/// Calls `tell(id, expr)` for every atom below a `within`, and for every `within`.
template <class Tell>
void each_enclosing(const sema::Program& program, const std::vector<sema::ExprId>& exprs,
                    const Tell& tell) {
  enum Seen : uint8_t { outside = 1, inside = 2 };
  std::vector<uint8_t> seen(program.exprs.size(), 0);
  std::vector<std::pair<sema::ExprId, Seen>> pending;
  const auto enter = [&](sema::ExprId expr, Seen where) {
    if (!expr.valid() || (seen[expr.index] & where) != 0) return;
    seen[expr.index] |= where;
    pending.emplace_back(expr, where);
  };
  for (const sema::ExprId expr : exprs) enter(expr, outside);
  while (!pending.empty()) {
    const auto [id, where] = pending.back();
    pending.pop_back();
    const sema::Expr& expr = program.exprs.get(id);
    if (expr.op == sema::ExprOp::within || (expr.op == sema::ExprOp::atom && where == inside))
      tell(id, expr);
    for (const sema::ExprId operand : expr.operands) {
      enter(operand, expr.op == sema::ExprOp::within ? inside : where);
    }
  }
}

}  // namespace

bool uses_within(const sema::Program& program, const std::vector<sema::ExprId>& exprs) {
  bool any = false;
  each_enclosing(program, exprs, [&](sema::ExprId, const sema::Expr&) { any = true; });
  return any;
}

EnclosingContexts::EnclosingContexts(const sema::Program& program,
                                     const std::vector<sema::ExprId>& asked)
    : mask_(program.atoms.size()) {
  each_enclosing(program, asked, [&](sema::ExprId, const sema::Expr& expr) {
    any_ = true;
    if (expr.op == sema::ExprOp::atom) mask_.add(expr.atom);
  });
  members_.emplace_back();
  known_.emplace(Looks{}, nothing);
}

uint32_t EnclosingContexts::look(const match::AtomSet& name) {
  const auto words = name.words();
  const auto mask = mask_.words();
  std::vector<uint64_t> kept(words.size());
  for (size_t i = 0; i < words.size(); ++i) kept[i] = words[i] & mask[i];
  const auto [at, added] =
      look_of_.try_emplace(std::move(kept), static_cast<uint32_t>(looks_.size()));
  if (added) {
    match::AtomSet& set = looks_.emplace_back(name);
    set.keep(mask_);
  }
  return at->second;
}

uint32_t EnclosingContexts::add(uint32_t outer, uint32_t look) {
  const auto [at, added] = added_.try_emplace(uint64_t{outer} << 32 | look, outer);
  if (!added) return at->second;
  const Looks& around = members_[outer];
  const auto place = std::lower_bound(around.begin(), around.end(), look);
  if (place != around.end() && *place == look) return outer;
  Looks more;
  more.reserve(around.size() + 1);
  more.insert(more.end(), around.begin(), place);
  more.push_back(look);
  more.insert(more.end(), place, around.end());
  return at->second = number(std::move(more));
}

uint32_t EnclosingContexts::remove(uint32_t from, uint32_t look) {
  const auto [at, added] = removed_.try_emplace(uint64_t{from} << 32 | look, from);
  if (!added) return at->second;
  Looks fewer = members_[from];
  std::erase(fewer, look);
  return at->second = number(std::move(fewer));
}

uint32_t EnclosingContexts::unite(uint32_t one, uint32_t other) {
  if (one == other || other == nothing) return one;
  if (one == nothing) return other;
  const auto [at, added] = united_.try_emplace(uint64_t{one} << 32 | other, one);
  if (!added) return at->second;
  Looks all;
  std::set_union(members_[one].begin(), members_[one].end(), members_[other].begin(),
                 members_[other].end(), std::back_inserter(all));
  return at->second = number(std::move(all));
}

uint32_t EnclosingContexts::number(Looks looks) {
  const auto [known, fresh] =
      known_.try_emplace(std::move(looks), static_cast<uint32_t>(members_.size()));
  if (fresh) members_.push_back(known->first);
  return known->second;
}

uint32_t PlacedNames::number(trace::NameId name, uint32_t around) {
  Last& last = last_[name.index];
  if (last.around != around) {
    const auto next = static_cast<uint32_t>(pairs_.size());
    const auto [at, added] = numbers_.try_emplace(uint64_t{name.index} << 32 | around, next);
    if (added) pairs_.push_back({name, around});
    last = {around, at->second};
  }
  return last.number;
}

RangeNames::RangeNames(const sema::Program& program,
                       const std::shared_ptr<const match::Database>& database,
                       const std::vector<sema::ExprId>& asked)
    : program_(&program),
      scanner_(database),
      scanned_(program.atoms.size()),
      contexts_(program, asked) {}

void RangeNames::add(std::string_view name) {
  scanner_.scan(name, scanned_);
  const uint32_t more = contexts_.add(all_, contexts_.look(scanned_));
  if (more == all_) return;
  all_ = more;
  contexts_.fill(all_, looks_);
}

bool RangeNames::may_hold(const std::vector<sema::ExprId>& exprs) const {
  const match::AtomSet no_name(program_->atoms.size());
  bool any = false;
  each_enclosing(*program_, exprs, [&](sema::ExprId id, const sema::Expr& expr) {
    any = any || (expr.op == sema::ExprOp::within &&
                  match::Condition(*program_, id).holds({.name = &no_name, .within = looks_}));
  });
  return any;
}

void EnclosingContexts::fill(uint32_t surroundings, std::vector<match::AtomSet>& sets) const {
  sets.clear();
  sets.reserve(members_[surroundings].size());
  for (const uint32_t look : members_[surroundings]) sets.push_back(looks_[look]);
}

}  // namespace kr::classify

#include "classify/enclosing_context.hpp"

#include <algorithm>
#include <iterator>

#include "match/condition.hpp"

namespace kr::classify {
namespace {

bool looks_around(sema::ExprOp op) {
  return op == sema::ExprOp::within || op == sema::ExprOp::within_op || op == sema::ExprOp::op ||
         op == sema::ExprOp::phase;
}

/// Calls `call(id, expr)` for every atom below a `within`, and for every `within`; `op` and `phase`
/// count as one.
template <class Call>
void each_enclosing(const sema::Program& program, const std::vector<sema::ExprId>& exprs,
                    const Call& call) {
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
    const bool around = looks_around(expr.op);
    if (around || (expr.op == sema::ExprOp::atom && where == inside)) call(id, expr);
    for (const sema::ExprId operand : expr.operands) enter(operand, around ? inside : where);
  }
}

}  // namespace

bool uses_within(const sema::Program& program, const std::vector<sema::ExprId>& exprs) {
  bool any = false;
  each_enclosing(program, exprs, [&](sema::ExprId, const sema::Expr&) { any = true; });
  return any;
}

bool uses_ops(const sema::Program& program, const std::vector<sema::ExprId>& exprs) {
  bool any = false;
  each_enclosing(program, exprs, [&](sema::ExprId, const sema::Expr& expr) {
    any = any || expr.op == sema::ExprOp::within_op || expr.op == sema::ExprOp::op;
  });
  return any;
}

bool uses_phase(const sema::Program& program, const std::vector<sema::ExprId>& exprs) {
  bool any = false;
  each_enclosing(program, exprs, [&](sema::ExprId, const sema::Expr& expr) {
    any = any || expr.op == sema::ExprOp::phase;
  });
  return any;
}

EnclosingContexts::EnclosingContexts(const sema::Program& program,
                                     const std::vector<sema::ExprId>& exprs)
    : mask_(program.atoms.size()) {
  each_enclosing(program, exprs, [&](sema::ExprId, const sema::Expr& expr) {
    any_ = true;
    ops_ = ops_ || expr.op == sema::ExprOp::within_op || expr.op == sema::ExprOp::op;
    phases_ = phases_ || expr.op == sema::ExprOp::phase;
    if (expr.atom.valid()) mask_.add(expr.atom);
  });
  if (ops_ || phases_) mask_.add(program.marks.beside);
  members_.add(Signatures{});  // `none`
}

uint32_t EnclosingContexts::signature(const match::AtomSet& name) {
  match::AtomSet kept = name;
  kept.keep(mask_);
  return sets_.add(kept);
}

uint32_t EnclosingContexts::add(uint32_t outer, uint32_t signature) {
  const auto [at, added] = added_.try_emplace(uint64_t{outer} << 32 | signature, outer);
  if (!added) return at->second;
  const Signatures& context = members_[outer];
  const auto place = std::lower_bound(context.begin(), context.end(), signature);
  if (place != context.end() && *place == signature) return outer;
  Signatures more;
  more.reserve(context.size() + 1);
  more.insert(more.end(), context.begin(), place);
  more.push_back(signature);
  more.insert(more.end(), place, context.end());
  return at->second = members_.add(more);
}

uint32_t EnclosingContexts::remove(uint32_t from, uint32_t signature) {
  const auto [at, added] = removed_.try_emplace(uint64_t{from} << 32 | signature, from);
  if (!added) return at->second;
  Signatures fewer = members_[from];
  std::erase(fewer, signature);
  return at->second = members_.add(fewer);
}

uint32_t EnclosingContexts::unite(uint32_t one, uint32_t other) {
  if (one == other || other == none) return one;
  if (one == none) return other;
  const auto [at, added] = united_.try_emplace(uint64_t{one} << 32 | other, one);
  if (!added) return at->second;
  Signatures all;
  std::set_union(members_[one].begin(), members_[one].end(), members_[other].begin(),
                 members_[other].end(), std::back_inserter(all));
  return at->second = members_.add(all);
}

uint32_t NamesInContext::number(trace::NameId name, uint32_t context) {
  Last& last = last_[name.index];
  if (last.context != context) {
    const auto next = static_cast<uint32_t>(pairs_.size());
    const auto [at, added] = numbers_.try_emplace(uint64_t{name.index} << 32 | context, next);
    if (added) pairs_.push_back({name, context});
    last = {context, at->second};
  }
  return last.number;
}

RangeNames::RangeNames(const sema::Program& program,
                       const std::shared_ptr<const match::Database>& database,
                       const std::vector<sema::ExprId>& exprs)
    : program_(&program),
      scanner_(database),
      scanned_(program.atoms.size()),
      contexts_(program, exprs) {}

void RangeNames::add(std::string_view name) {
  scanner_.scan(name, scanned_);
  const uint32_t more = contexts_.add(all_, contexts_.signature(scanned_));
  if (more == all_) return;
  all_ = more;
  contexts_.fill(all_, sets_);
}

bool RangeNames::may_match(const std::vector<sema::ExprId>& exprs) const {
  const match::AtomSet no_name(program_->atoms.size());
  bool any = false;
  each_enclosing(*program_, exprs, [&](sema::ExprId id, const sema::Expr& expr) {
    if (looks_around(expr.op) && expr.op != sema::ExprOp::within) any = true;  // not known
    any = any || (expr.op == sema::ExprOp::within &&
                  match::Condition(*program_, id).holds({.name = &no_name, .within = sets_}));
  });
  return any;
}

void EnclosingContexts::fill(uint32_t context, std::vector<match::AtomSet>& sets) const {
  sets.clear();
  sets.reserve(members_[context].size());
  for (const uint32_t signature : members_[context]) sets.push_back(sets_[signature]);
}

}  // namespace kr::classify

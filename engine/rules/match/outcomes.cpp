// Finds the possible outcomes if the kind of operation or the context is not known.
//
// Each possible kind is evaluated separately, so that `@memcpy | @memset | @kernel` certainly
// matches, and a rule that only repeats the kind of an earlier one does not appear. Then kinds that
// lead to the same rule are joined, as `@memcpy` or `not @kernel`.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "match/evaluate.hpp"

namespace kr::match {
namespace {

/// Describes what an expression depends on: `within "MLA"`, or nothing if its value is known.
class OpenConditions {
 public:
  OpenConditions(const sema::Program& program, const source::SourceMap& sources,
                 const OpenSubject& subject)
      : program_(program), sources_(sources), subject_(subject) {}

  /// The conditions that are all required for `expr`, whose value is unknown for the subject.
  std::vector<std::string> conditions(sema::ExprId id, bool wanted) {
    const sema::Expr& expr = program_.exprs.get(id);
    if (expr.op == sema::ExprOp::negation) return conditions(expr.operands.front(), !wanted);
    const bool all_needed =
        expr.op == (wanted ? sema::ExprOp::conjunction : sema::ExprOp::disjunction);
    if (!all_needed) return {describe(id, wanted)};
    std::vector<std::string> all;
    for (const sema::ExprId operand : open_operands(expr)) {
      for (std::string& one : conditions(operand, wanted)) all.push_back(std::move(one));
      if (all.size() > max_parts) break;
    }
    return all;
  }

 private:
  static constexpr size_t max_parts = 64;  // shared patterns can make it very long
  static constexpr size_t longest = 2000;

  std::vector<sema::ExprId> open_operands(const sema::Expr& expr) const {
    std::vector<sema::ExprId> open;
    for (const sema::ExprId operand : expr.operands) {
      if (Condition(program_, operand).evaluate(subject_) == Truth::unknown)
        open.push_back(operand);
    }
    return open;
  }

  std::string describe(sema::ExprId id, bool wanted) {
    if (parts_++ > max_parts) return "…";
    const sema::Expr& expr = program_.exprs.get(id);
    switch (expr.op) {
      case sema::ExprOp::within:
        return fmt::format("{}within {}", wanted ? "" : "not ", text(expr.operands.front()));
      case sema::ExprOp::within_op:
      case sema::ExprOp::op:
      case sema::ExprOp::phase:
        return fmt::format("{}{}", wanted ? "" : "not ", text(id));
      case sema::ExprOp::negation:
        return describe(expr.operands.front(), !wanted);
      case sema::ExprOp::conjunction:
      case sema::ExprOp::disjunction:
        return joined(expr, wanted);
      case sema::ExprOp::atom:
      case sema::ExprOp::operation:
      case sema::ExprOp::own:
      case sema::ExprOp::label:
        break;
    }
    // With a known kind, the values of these are known.
    return text(id);
  }

  std::string joined(const sema::Expr& expr, bool wanted) {
    const bool all_needed = (expr.op == sema::ExprOp::conjunction) == wanted;
    const std::vector<sema::ExprId> open = open_operands(expr);
    std::string text;
    for (const sema::ExprId operand : open) {
      if (!text.empty()) text += all_needed ? " and " : " or ";
      text += describe(operand, wanted);
      if (text.size() > longest) break;
    }
    return open.size() > 1 ? fmt::format("({})", text) : text;
  }

  /// The text of an operand in its file.
  std::string text(sema::ExprId id) const {
    const sema::Expr& expr = program_.exprs.get(id);
    const std::string_view written = sources_.text(expr.span);
    const bool joined =
        expr.op == sema::ExprOp::conjunction || expr.op == sema::ExprOp::disjunction;
    if (joined && !written.starts_with('(')) return fmt::format("({})", written);
    return std::string(written);
  }

  const sema::Program& program_;
  const source::SourceMap& sources_;
  const OpenSubject& subject_;
  size_t parts_ = 0;
};

/// A rule that may label the subject, for one kind.
struct Possible {
  size_t rule;  // index into the table; its size: `otherwise`
  std::vector<std::string> conditions;
};

std::vector<Possible> of_kind(const sema::Program& program, const source::SourceMap& sources,
                              const sema::Table& table, const std::vector<Condition>& conditions,
                              const OpenSubject& subject) {
  std::vector<Possible> possible;
  for (size_t i = 0; i < table.rules.size(); ++i) {
    const Truth truth = conditions[i].evaluate(subject);
    if (truth == Truth::no) continue;
    if (truth == Truth::yes) {
      possible.push_back({i, {}});
      return possible;
    }
    OpenConditions open(program, sources, subject);
    std::vector<std::string> needed = open.conditions(table.expr(program, i), true);
    possible.push_back({i, std::move(needed)});
  }
  possible.push_back({table.rules.size(), {}});
  return possible;
}

/// Describes a set of kinds; empty for all kinds.
std::string describe_kinds(const std::vector<OperationKind>& kinds, size_t of) {
  if (kinds.size() == of) return {};
  if (kinds.size() == 1) return fmt::format("@{}", to_string(kinds.front()));
  for (const OperationKind kind : operation_kinds) {
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      return fmt::format("not @{}", to_string(kind));
    }
  }
  return {};
}

}  // namespace

std::vector<Outcome> outcomes(const sema::Program& program, const source::SourceMap& sources,
                              const sema::Table& table, const OpenSubject& subject) {
  std::vector<OperationKind> kinds(operation_kinds.begin(), operation_kinds.end());
  if (subject.kind) kinds = {*subject.kind};
  std::vector<Condition> conditions;
  conditions.reserve(table.rules.size());
  for (size_t i = 0; i < table.rules.size(); ++i) {
    conditions.emplace_back(program, table.expr(program, i));
  }

  std::map<std::pair<size_t, std::vector<std::string>>, std::vector<OperationKind>> found;
  for (const OperationKind kind : kinds) {
    OpenSubject one = subject;
    one.kind = kind;
    for (Possible& possible : of_kind(program, sources, table, conditions, one)) {
      found[{possible.rule, std::move(possible.conditions)}].push_back(kind);
    }
  }
  std::vector<Outcome> outcomes;
  for (const auto& [what, of] : found) {
    Outcome outcome;
    outcome.rule = what.first < table.rules.size() ? table.rules[what.first] : table.otherwise;
    const std::string kind = describe_kinds(of, kinds.size());
    if (!kind.empty()) outcome.conditions.push_back(kind);
    outcome.conditions.insert(outcome.conditions.end(), what.second.begin(), what.second.end());
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace kr::match

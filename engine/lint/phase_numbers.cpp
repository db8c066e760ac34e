// KR321: named groups of phases that are not a number of a phase.
#include <fmt/format.h>

#include <set>
#include <string>

#include "base/nearest.hpp"
#include "lint/checks.hpp"
#include "sema/phase_number.hpp"

namespace kr::lint {
namespace {

/// The expressions with named groups from which phases read numbers, in the syntax of RE2.
std::set<std::string> expressions_of_phases(const sema::Program& program) {
  std::set<std::string> found;
  std::set<sema::ExprId> seen;
  std::vector<sema::ExprId> rest;
  for (const sema::Model& model : program.models) {
    for (const sema::RuleId rule : model.phases) rest.push_back(program.rules.get(rule).expr);
  }
  while (!rest.empty()) {
    const sema::ExprId id = rest.back();
    rest.pop_back();
    if (!id.valid() || !seen.insert(id).second) continue;
    const sema::Expr& expr = program.exprs.get(id);
    // Negated expressions give no numbers.
    if (expr.op == sema::ExprOp::negation) continue;
    if (expr.op == sema::ExprOp::atom) {
      const regex::Regex& regex = program.atoms.get(expr.atom).regex;
      if (!regex::group_names(regex).empty()) found.insert(regex::to_re2(regex));
    }
    rest.insert(rest.end(), expr.operands.begin(), expr.operands.end());
  }
  return found;
}

}  // namespace

void check_phase_numbers(const Context& context, diag::Sink& sink) {
  const std::set<std::string> of_phases = expressions_of_phases(context.program());
  if (of_phases.empty()) return;
  for (const WrittenAtom& atom : context.atoms) {
    if (regex::group_names(atom.regex).empty() || !of_phases.contains(regex::to_re2(atom.regex))) {
      continue;
    }
    for (const regex::Node& node : atom.regex.nodes) {
      if (node.kind != regex::NodeKind::group || sema::phase_number(node.name)) continue;
      diag::Diagnostic& added = sink.add(diag::code::unknown_phase_number, node.span, node.name);
      if (const auto meant = nearest(node.name, sema::phase_number_names)) {
        added.help("did you mean `{}`?", *meant);
      } else {
        added.help(
            "groups are `step`, `layer`, `batch`, `tokens`, and parts that add up, such as "
            "`tokens_new`; `(…)` without a name captures nothing");
      }
    }
  }
}

}  // namespace kr::lint

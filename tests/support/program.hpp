// Programs put together by hand, for tests of what reads them.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "sema/program.hpp"

namespace kr::test {

class ProgramBuilder {
 public:
  sema::AtomId regex(std::string_view pattern, bool ignore_case = false) {
    const source::FileId file = sources.add("pattern", std::string(pattern));
    diag::Sink sink;
    auto regex = regex::parse(sources.text(file), {file, 0, static_cast<uint32_t>(pattern.size())},
                              {.ignore_case = ignore_case}, sink);
    REQUIRE_MESSAGE(regex.has_value(), pattern);
    return add(std::move(*regex), pattern);
  }
  sema::AtomId text(std::string_view text, bool ignore_case = false, bool at_begin = false,
                    bool at_end = false) {
    return add(regex::literal(text, ignore_case, at_begin, at_end), text);
  }
  sema::AtomId add(regex::Regex regex, std::string_view source) {
    sema::Atom atom;
    atom.hyperscan = regex::to_hyperscan(regex);
    atom.regex = std::move(regex);
    atom.source = source;
    return program.atoms.add(std::move(atom));
  }

  /// `written` is how the expression stands in its file.
  sema::ExprId atom(sema::AtomId atom, std::string_view written = "x") {
    sema::Expr expr;
    expr.atom = atom;
    return expression(std::move(expr), written);
  }
  sema::ExprId operation(OperationKind kind) {
    sema::Expr expr;
    expr.op = sema::ExprOp::operation;
    expr.operation = kind;
    return expression(std::move(expr), fmt::format("@{}", to_string(kind)));
  }
  sema::ExprId join(sema::ExprOp op, std::vector<sema::ExprId> operands,
                    std::string_view written = "x") {
    sema::Expr expr;
    expr.op = op;
    expr.operands = std::move(operands);
    return expression(std::move(expr), written);
  }

  sema::RuleId rule(sema::ExprId expr) {
    sema::Rule rule;
    rule.expr = expr;
    rule.otherwise = !expr.valid();
    return program.rules.add(std::move(rule));
  }

  sema::Program program;
  source::SourceMap sources;

 private:
  sema::ExprId expression(sema::Expr expr, std::string_view written) {
    const source::FileId file = sources.add("expression", std::string(written));
    expr.span = {file, 0, static_cast<uint32_t>(written.size())};
    return program.exprs.add(std::move(expr));
  }
};

}  // namespace kr::test

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
  AtomId regex(std::string_view pattern, bool ignore_case = false) {
    const FileId file = sources.add("pattern", std::string(pattern));
    Sink sink;
    auto regex = regex::parse(sources.text(file), {file, 0, static_cast<uint32_t>(pattern.size())},
                              {.ignore_case = ignore_case}, sink);
    REQUIRE_MESSAGE(regex.has_value(), pattern);
    return add(std::move(*regex), pattern);
  }
  AtomId text(std::string_view text, bool ignore_case = false, bool at_begin = false,
              bool at_end = false) {
    return add(regex::literal(text, ignore_case, at_begin, at_end), text);
  }
  AtomId add(regex::Regex regex, std::string_view source) {
    Atom atom;
    atom.hyperscan = regex::to_hyperscan(regex);
    atom.regex = std::move(regex);
    atom.source = source;
    return program.atoms.add(std::move(atom));
  }

  /// `written` is how the expression stands in its file.
  ExprId atom(AtomId atom, std::string_view written = "x") {
    Expr expr;
    expr.atom = atom;
    return expression(std::move(expr), written);
  }
  ExprId operation(OperationKind kind) {
    Expr expr;
    expr.op = ExprOp::operation;
    expr.operation = kind;
    return expression(std::move(expr), fmt::format("@{}", to_string(kind)));
  }
  ExprId join(ExprOp op, std::vector<ExprId> operands, std::string_view written = "x") {
    Expr expr;
    expr.op = op;
    expr.operands = std::move(operands);
    return expression(std::move(expr), written);
  }

  RuleId rule(ExprId expr) {
    Rule rule;
    rule.expr = expr;
    rule.otherwise = !expr.valid();
    return program.rules.add(std::move(rule));
  }

  Program program;
  SourceMap sources;

 private:
  ExprId expression(Expr expr, std::string_view written) {
    const FileId file = sources.add("expression", std::string(written));
    expr.span = {file, 0, static_cast<uint32_t>(written.size())};
    return program.exprs.add(std::move(expr));
  }
};

}  // namespace kr::test

// Loads files in memory to a Program, and shows the result as short texts.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sema/load.hpp"

namespace kr::test {

struct Loaded {
  diag::Sink sink;
  std::unique_ptr<sema::LoadedRules> rules;

  const sema::Program& program() const { return rules->program; }
};

struct Text {
  std::string path;
  std::string text;
};

/// The first file is the root. Each may use any other: `a.kr` as "./a.kr", `stdlib/b.kr` as std.b.
inline Loaded load(const std::vector<Text>& texts, size_t roots = 1) {
  std::vector<sema::SourceFile> files;
  for (size_t i = 0; i < texts.size(); ++i) {
    sema::SourceFile file{texts[i].path, texts[i].text, i < roots, {}};
    for (size_t j = 0; j < texts.size(); ++j) {
      const std::string& path = texts[j].path;
      file.uses.emplace_back("./" + path, j);
      if (!path.starts_with("stdlib/")) continue;
      file.uses.emplace_back("std." + path.substr(7, path.size() - 10), j);
    }
    files.push_back(std::move(file));
  }
  Loaded loaded;
  loaded.rules = sema::load_rules(std::move(files), loaded.sink);
  return loaded;
}

inline Loaded load(const std::string& text) {
  return load({{"test.kr", text}});
}

/// `KR204 2:5 ...` a line, by place; files other than the first with their name.
inline std::string messages(const Loaded& loaded) {
  std::string all;
  for (const diag::Diagnostic& one : loaded.sink.sorted()) {
    const source::Position at = loaded.rules->sources.begin(one.span);
    if (one.span.file.index != 0) all += loaded.rules->sources.path(one.span.file) + " ";
    all += fmt::format("{} {}:{} {}", one.code->id, at.line, at.column, one.message);
    if (!one.help_.empty()) all += " (" + one.help_ + ")";
    all += "\n";
  }
  return all;
}

/// The model `engine/name`; the test fails if there is none.
inline const sema::Model& model(const Loaded& loaded, const std::string& title) {
  const sema::Program& program = loaded.program();
  for (uint32_t i = 0; i < program.models.size(); ++i) {
    if (program.title({i}) == title) return program.models.get({i});
  }
  FAIL("no model " << title);
  return program.models.get({0});
}

/// `label@line`, of other files `label@file:line`.
inline std::string text(const Loaded& loaded, sema::RuleId id) {
  const sema::Rule& rule = loaded.program().rules.get(id);
  const source::SourceMap& sources = loaded.rules->sources;
  std::string place = rule.span.file.index == 0 ? "" : sources.path(rule.span.file) + ":";
  place += fmt::format("{}", sources.begin(rule.span).line);
  return (rule.keep ? "keep" : rule.label) + "@" + place;
}

/// The rules of a dimension in the order they are tried, `| otherwise` last; `-`: it is absent.
inline std::string rules_of(const Loaded& loaded, const std::string& title,
                            const std::string& dimension) {
  const sema::Model& one = model(loaded, title);
  const auto id = loaded.program().dimension(dimension);
  const sema::Table* table = id ? one.table(*id) : nullptr;
  if (table == nullptr) return "-";
  std::string all;
  for (const sema::RuleId rule : table->rules) all += fmt::format(" {}", text(loaded, rule));
  if (table->otherwise) all += fmt::format(" | {}", text(loaded, *table->otherwise));
  return all.empty() ? all : all.substr(1);
}

inline std::string phases_of(const Loaded& loaded, const std::string& title) {
  std::string all;
  for (const sema::RuleId rule : model(loaded, title).phases) {
    all += fmt::format(" {}", text(loaded, rule));
  }
  return all.empty() ? all : all.substr(1);
}

/// An expression with its atoms as written and all its parentheses.
inline std::string text(const sema::Program& program, sema::ExprId id) {
  if (!id.valid()) return "none";
  const sema::Expr& expr = program.exprs.get(id);
  std::string all;
  switch (expr.op) {
    case sema::ExprOp::atom:
      return program.atoms.get(expr.atom).source;
    case sema::ExprOp::operation:
      return fmt::format("@{}", to_string(expr.operation));
    case sema::ExprOp::label:
      return program.words.get(expr.word).label;
    case sema::ExprOp::own:
      return "own(" + text(program, expr.operands[0]) + ")";
    case sema::ExprOp::within_op:
    case sema::ExprOp::op:
      return "op(" + text(program, expr.operands[0]) + ")";
    case sema::ExprOp::phase:
      return program.atoms.get(expr.atom).source;
    case sema::ExprOp::within:
      return "within " + text(program, expr.operands[0]);
    case sema::ExprOp::negation:
      return fmt::format("!{}", text(program, expr.operands[0]));
    case sema::ExprOp::conjunction:
    case sema::ExprOp::disjunction:
      for (const sema::ExprId operand : expr.operands) {
        if (!all.empty()) all += expr.op == sema::ExprOp::conjunction ? " & " : " | ";
        all += text(program, operand);
      }
      return fmt::format("({})", all);
  }
  return "?";
}

}  // namespace kr::test

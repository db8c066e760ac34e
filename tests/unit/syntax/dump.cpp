#include "dump.hpp"

#include <fmt/ranges.h>

#include "base/printable.hpp"
#include "syntax/metadata.hpp"

namespace kr::syntax {
namespace {

std::string shown(const Word& word) {
  return word.quoted ? "\"" + printable(word.text) + "\"" : word.text;
}

}  // namespace

Parsed::Parsed(std::string text) : id(sources.add("test.kr", std::move(text))) {
  file = parse(sources, id, sink);
}

std::string Parsed::expr(ExprId id) const {
  if (!id.valid()) return "?";
  const Expr& expr = file.exprs.get(id);
  const auto operands = [&](std::string_view head) {
    std::string out = fmt::format("({}", head);
    for (const ExprId operand : expr.operands) out += " " + this->expr(operand);
    return out + ")";
  };
  switch (expr.kind) {
    case ExprKind::text:
      return fmt::format("{}{}\"{}\"{}{}", expr.word ? "word " : "", expr.at_begin ? "^" : "",
                         printable(expr.text), expr.ignore_case ? "i" : "", expr.at_end ? "$" : "");
    case ExprKind::regex:
      return fmt::format("/{}/{}", expr.text, expr.ignore_case ? "i" : "");
    case ExprKind::pattern:
      return expr.name.text();
    case ExprKind::operation:
      return fmt::format("@{}", to_string(expr.operation));
    case ExprKind::otherwise:
      return "otherwise";
    case ExprKind::within:
      return operands("within");
    case ExprKind::within_op:
      return operands("within-op");
    case ExprKind::own:
      return operands("own");
    case ExprKind::op:
      return operands(expr.called ? fmt::format("op/{}", expr.arguments.size()) : "op");
    case ExprKind::phase: {
      std::string out = "(phase";
      for (const Word& label : expr.labels) out += " " + shown(label);
      return out + ")";
    }
    case ExprKind::negation:
      return operands("not");
    case ExprKind::conjunction:
      return operands("and");
    case ExprKind::disjunction:
      return operands("or");
  }
  return "?";
}

std::string Parsed::chain(const std::vector<ChainStep>& steps) const {
  std::string out;
  for (const ChainStep& step : steps) {
    if (!out.empty()) out += " > ";
    if (step.open.valid()) out += '[';
    out += expr(step.expr);
    if (step.quantifier != '\0') out += step.quantifier;
    if (step.close.valid()) out += ']';
  }
  return out;
}

std::string Parsed::rules(const std::vector<Rule>& rules) const {
  std::string out;
  for (const Rule& rule : rules) {
    if (!rule.doc.empty()) out += fmt::format("  ## {}\n", rule.doc);
    switch (rule.kind) {
      case RuleKind::rule:
        out += fmt::format("  {}: {}\n", shown(rule.label),
                           rule.chain.empty() ? expr(rule.expr) : chain(rule.chain));
        break;
      case RuleKind::ignore:
        out += fmt::format("  ignore {}\n", expr(rule.expr));
        break;
      case RuleKind::continues:
        out += fmt::format("  continue {}\n", expr(rule.expr));
        break;
      case RuleKind::image:
        out += fmt::format("  {}:", shown(rule.label));
        for (const Word& image : rule.images) out += " " + shown(image);
        out += '\n';
        break;
      case RuleKind::refine:
        out += fmt::format("  refine {}\n{}  end\n", shown(rule.label), this->rules(rule.refined));
        break;
      case RuleKind::include:
        out += fmt::format("  include {}\n", rule.table.text());
        break;
      case RuleKind::otherwise_keep:
        out += "  otherwise keep\n";
        break;
    }
  }
  return out;
}

std::string Parsed::dump() const {
  std::string out;
  const auto put = [&out]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
    out += fmt::format(text, std::forward<Args>(args)...);
    out += '\n';
  };
  const auto doc = [&](const Doc& text) {
    if (!text.empty()) put("## {}", printable(text));
  };
  const auto title = [](const std::optional<Word>& word) {
    return word ? " " + shown(*word) : std::string();
  };
  const auto metadata = [&](const std::vector<Metadata>& all) {
    for (const Metadata& one : all) put("{} {}", to_string(one.kind), shown(one.text));
  };
  const auto body = [&](const Body& body) {
    metadata(body.metadata);
    for (const Block& block : body.phases) {
      doc(block.doc);
      put("phases\n{}", rules(block.rules));
    }
    for (const Fold& fold : body.folds) put("fold {}", expr(fold.expr));
    for (const Abbreviation& one : body.abbreviations) {
      put("abbreviate {} as {}", shown(one.from), shown(one.to));
    }
    for (const Detect& detect : body.detects) put("detect {}", expr(detect.expr));
    for (const Block& block : body.dimensions) {
      doc(block.doc);
      put("{}\n{}", block.dimension.text, rules(block.rules));
    }
  };
  if (!file.doc.empty()) put("#! {}", printable(file.doc));
  for (const Requirement& one : file.requirements) {
    put("requires {}", fmt::join(one.version, "."));
  }
  metadata(file.metadata);
  for (const Use& use : file.uses) {
    put("use {}{}", use.file ? shown(*use.file) : use.module.text(),
        use.alias ? " as " + use.alias->text : "");
  }
  for (const Pattern& pattern : file.patterns) {
    doc(pattern.doc);
    put("pattern {} = {}", pattern.name.text, expr(pattern.expr));
  }
  for (const Labels& labels : file.labels) {
    doc(labels.doc);
    put("labels {}{}", labels.dimension.text,
        labels.extends ? " extends " + labels.extends->text() : "");
    for (const LabelDecl& label : labels.labels) {
      doc(label.doc);
      put("  {}{}{}", shown(label.label), title(label.title),
          label.color ? " color " + shown(*label.color) : "");
    }
  }
  for (const Table& table : file.tables) {
    doc(table.doc);
    put("table {} for {}\n{}", table.name.text, table.dimension.text, rules(table.rules));
    metadata(table.metadata);
  }
  for (const Engine& engine : file.engines) {
    doc(engine.doc);
    put("engine {}{}", engine.name.text, title(engine.title));
    body(engine.body);
    for (const Model& model : engine.models) {
      doc(model.doc);
      put("model {}{}{}", model.name.text, title(model.title),
          model.extends ? " extends " + model.extends->text() : "");
      body(model.body);
    }
  }
  for (const Test& test : file.tests) {
    put("test {}{}", test.engine.text, test.model ? "/" + test.model->text : "");
    for (const TestCase& one : test.cases) {
      std::string line = "  ";
      if (one.kind) line += fmt::format("@{} ", to_string(*one.kind));
      line += shown(one.name);
      for (const Word& within : one.within) line += " in " + shown(within);
      for (const Expectation& expected : one.expected) {
        line += fmt::format(" => {} {}", expected.dimension.text, shown(expected.label));
      }
      put("{}", line);
    }
  }
  return out;
}

std::string Parsed::codes() const {
  std::string out;
  for (const diag::Diagnostic& diagnostic : sink.sorted()) {
    const source::Position at = sources.begin(diagnostic.span);
    if (!out.empty()) out += ' ';
    out += fmt::format("{}@{}:{}", diagnostic.code->id, at.line, at.column);
  }
  return out;
}

}  // namespace kr::syntax

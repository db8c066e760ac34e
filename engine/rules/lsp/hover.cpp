// What the editor shows for the word under the pointer: rules and patterns in words, with the
// shortest names that reach them; labels, keywords, codes of findings.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "explain/explain.hpp"
#include "lsp/cursor.hpp"
#include "lsp/features.hpp"
#include "syntax/metadata.hpp"
#include "syntax/words.hpp"

namespace kr::lsp {
namespace {

/// A rule is proven in at most this many tables: more would keep the user waiting.
constexpr size_t max_tables = 8;
/// At most this many of the rules that shadow an unreachable rule are named.
constexpr size_t max_shadowing = 4;

struct Hover {
  source::Span span;
  std::string text;
};

/// Which names reach one rule, in each table that contains it.
class Reach {
 public:
  Reach(Analysis& analysis, sema::RuleId rule)
      : analysis_(analysis), program_(analysis.program()), rule_(rule) {}

  std::string text() {
    uint32_t index = 0;
    for (const sema::Model& model : program_.models) {
      const sema::ModelId id{index++};
      for (const sema::Table& table : model.tables) {
        if (table.otherwise != rule_) add(table.rules, program_.title(id));
      }
    }
    for (const sema::SharedTable& table : program_.shared_tables) {
      add(table.rules, "table " + table.name);
    }
    std::string out;
    for (const Answer& one : answers_) out += "\n- " + one.models + ": " + one.text;
    if (left_ > 0) out += fmt::format("\n- … and {} more", left_);
    return out;
  }

 private:
  struct Answer {
    std::vector<sema::RuleId> before;
    std::string models;
    std::string text;
  };

  void add(const std::vector<sema::RuleId>& rules, const std::string& where) {
    const auto at = std::find(rules.begin(), rules.end(), rule_);
    if (at == rules.end()) return;
    std::vector<sema::RuleId> before(rules.begin(), at);
    for (Answer& one : answers_) {
      if (one.before != before) continue;
      one.models += ", " + as_code(where);
      return;
    }
    if (answers_.size() == max_tables) {
      ++left_;
      return;
    }
    std::string text = reach(before);
    answers_.push_back({std::move(before), as_code(where), std::move(text)});
  }

  std::string reach(const std::vector<sema::RuleId>& before) {
    prove::Prover& prover = analysis_.prover();
    const auto formula = [&](sema::RuleId id) {
      return prover.formulas().of(program_, program_.rules.get(id).expr);
    };
    std::vector<prove::FormulaId> earlier;
    earlier.reserve(before.size());
    for (const sema::RuleId id : before) earlier.push_back(formula(id));
    const prove::FormulaId own = formula(rule_);
    const prove::Finding finding = prover.find(own, earlier);
    if (finding.found()) return as_code(prove::to_string(finding.witness));
    if (!finding.none()) return "not known whether any name reaches it";
    std::string out = "**never reached**";
    size_t named = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      if (!prover.find(prover.formulas().all({own, earlier[i]})).found()) continue;
      if (named == max_shadowing) return out + ", …";
      const sema::Rule& rule = program_.rules.get(before[i]);
      out += fmt::format("{} {} ({})", named++ == 0 ? ": its names go to" : ",",
                         as_code(rule.label), analysis_.sources().place(rule.label_span));
    }
    return out;
  }

  Analysis& analysis_;
  const sema::Program& program_;
  sema::RuleId rule_;
  std::vector<Answer> answers_;
  size_t left_ = 0;
};

void paragraph(std::string& out, std::string_view text) {
  if (text.empty()) return;
  if (!out.empty()) out += "\n\n";
  out += text;
}

std::string about_label(const Analysis& analysis, const Symbol& symbol) {
  std::string out =
      fmt::format("**{}** {} of {}", symbol.name, symbol.dimension == "phases" ? "phase" : "label",
                  as_code(symbol.dimension));
  for (const syntax::LabelDecl* label :
       labels_of(analysis, analysis.root().file, symbol.dimension)) {
    if (label->label.text != symbol.name) continue;
    if (label->title) out += fmt::format(": “{}”", printable(label->title->text));
    if (label->color) out += fmt::format(", colour {}", as_code(label->color->text));
    paragraph(out, label->doc);
    break;
  }
  return out;
}

std::string given_by(const Analysis& analysis, const Symbol& symbol) {
  if (!analysis.loaded()) return "";
  std::set<std::string> places;
  for (const sema::Rule& rule : analysis.program().rules) {
    const std::string dimension =
        rule.dimension.valid() ? analysis.program().dimensions.get(rule.dimension).name : "phases";
    if (rule.label == symbol.name && dimension == symbol.dimension) {
      places.insert(as_code(analysis.sources().place(rule.label_span)));
    }
  }
  if (places.empty()) return "No rule gives it.";
  constexpr size_t most = 8;
  std::string out = "Given by ";
  size_t written = 0;
  for (const std::string& place : places) {
    if (written == most) return out + fmt::format(" and {} more", places.size() - most);
    out += (written++ > 0 ? ", " : "") + place;
  }
  return out;
}

/// What an expression of an order rule can take: a label or text of it for each part that must
/// match. Empty: it only says what does not.
std::string example(const sema::Program& program, sema::ExprId id) {
  const sema::Expr& expr = program.exprs.get(id);
  switch (expr.op) {
    case sema::ExprOp::atom:
      return program.atoms.get(expr.atom).source;
    case sema::ExprOp::operation:
      return fmt::format("@{}", to_string(expr.operation));
    case sema::ExprOp::label:
      return program.words.get(expr.word).label;
    case sema::ExprOp::own:
      return example(program, expr.operands.front());
    case sema::ExprOp::within:
    case sema::ExprOp::within_op:
    case sema::ExprOp::op:
    case sema::ExprOp::phase:
    case sema::ExprOp::negation:
      return "";
    case sema::ExprOp::conjunction: {
      std::string all;
      for (const sema::ExprId operand : expr.operands) {
        const std::string one = example(program, operand);
        if (!one.empty()) all += (all.empty() ? "" : " & ") + one;
      }
      return all;
    }
    case sema::ExprOp::disjunction:
      return example(program, expr.operands.front());
  }
  return "";
}

/// A shortest sequence that the chain matches, one operation for each step that is not optional.
std::string example(const sema::Program& program, const sema::Chain& chain) {
  std::string out;
  for (uint32_t i = 0; i < chain.steps.size(); ++i) {
    const sema::ChainStep& step = chain.steps[i];
    if (i == chain.first && !out.empty()) out += " > ";
    if (i == chain.first) out += "[";
    if (!step.optional) {
      if (!out.empty() && !out.ends_with("[") && !out.ends_with(" > ")) out += " > ";
      const std::string one = example(program, step.expr);
      out += one.empty() ? "…" : one;
    }
    if (i == chain.last) out += "]";
  }
  return out;
}

std::string about_rule(Analysis& analysis, const Symbol& symbol) {
  const syntax::Rule& rule = *symbol.rule;
  std::string out = about_label(analysis, symbol);
  paragraph(out, rule.doc);
  if (rule.kind == syntax::RuleKind::refine || rule.kind == syntax::RuleKind::image) {
    paragraph(out, about_word(rule.kind == syntax::RuleKind::refine ? "refine" : "from"));
    return out;
  }
  if (!rule.chain.empty()) {
    paragraph(out, "This rule matches operations that follow each other on a stream:\n" +
                       describe(analysis.tree(), rule.chain));
    const auto id = analysis.loaded() ? analysis.rule_at(rule.span) : std::nullopt;
    if (id && analysis.program().rules.get(*id).chain) {
      paragraph(out,
                "Shortest match: " +
                    as_code(example(analysis.program(), *analysis.program().rules.get(*id).chain)));
    }
    return out;
  }
  const std::string words = describe(analysis.tree(), rule.expr);
  if (!words.empty()) paragraph(out, "This rule matches a name " + words);
  if (!analysis.loaded() || symbol.dimension == "phases") return out;
  if (const auto id = analysis.rule_at(rule.span);
      id && !analysis.program().rules.get(*id).otherwise) {
    const std::string reach = Reach(analysis, *id).text();
    if (!reach.empty()) paragraph(out, "Shortest names that reach this rule:\n" + reach);
  }
  return out;
}

template <class Declaration>
const Declaration* declared_at(const std::vector<Declaration>& all, source::Span span) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Declaration& one) { return one.name.span == span; });
  return found == all.end() ? nullptr : &*found;
}

std::string about_pattern(Analysis& analysis, const Symbol& symbol, source::Span declared) {
  const syntax::File& tree = analysis.scope().tree(declared.file);
  const syntax::Pattern* pattern = declared_at(tree.patterns, declared);
  if (pattern == nullptr) return "";
  std::string out =
      fmt::format("**pattern {}**", symbol.path != nullptr ? symbol.path->text() : symbol.name);
  paragraph(out, pattern->doc);
  paragraph(out, (pattern->over ? "Matches an operation " : "Matches a name ") +
                     describe(tree, pattern->expr));
  // A name alone has no label.
  if (!analysis.loaded() || pattern->over) return out;
  // The Program contains a pattern's expression once; it is found by its span.
  const source::Span span =
      pattern->expr.valid() ? tree.exprs.get(pattern->expr).span : source::Span{};
  uint32_t index = 0;
  for (const sema::Expr& expr : analysis.program().exprs) {
    const sema::ExprId id{index++};
    if (expr.span != span) continue;
    prove::Prover& prover = analysis.prover();
    const auto finding = prover.find(prover.formulas().of(analysis.program(), id));
    if (finding.found())
      paragraph(out, "Shortest name: " + as_code(prove::to_string(finding.witness)));
    if (finding.none()) paragraph(out, "No name matches it.");
    break;
  }
  return out;
}

std::string titled(std::string_view what, const Symbol& symbol,
                   const std::optional<syntax::Word>& title, const std::string& doc) {
  std::string out = fmt::format("**{} {}**", what, symbol.name);
  if (title) out += fmt::format(": “{}”", printable(title->text));
  paragraph(out, doc);
  return out;
}

using MetadataLists = std::initializer_list<const std::vector<syntax::Metadata>*>;

/// Author, date and links, of the nearest that says them.
void metadata_paragraph(std::string& out, MetadataLists lists) {
  std::string text;
  const auto line = [&](std::string_view head, syntax::MetadataKind kind, bool links) {
    const std::vector<std::string_view> texts = syntax::metadata_of(kind, lists);
    if (texts.empty()) return;
    if (!text.empty()) text += "  \n";  // a line break of Markdown
    text += head;
    for (size_t i = 0; i < texts.size(); ++i) {
      const bool link = links && texts[i].starts_with("http") &&
                        texts[i].find_first_of("<> \t\n") == texts[i].npos;
      const std::string shown = link ? fmt::format("<{}>", printable(texts[i])) : as_code(texts[i]);
      text += (i > 0 ? ", " : " ") + shown;
    }
  };
  line("Author:", syntax::MetadataKind::author, false);
  line("Since:", syntax::MetadataKind::since, false);
  line("Link:", syntax::MetadataKind::link, true);
  paragraph(out, text);
}

std::string about_module(const Symbol& symbol, const syntax::File& tree) {
  std::string out = titled("module", symbol, {}, tree.doc);
  const std::string version = syntax::required_version(tree);
  if (!version.empty()) paragraph(out, fmt::format("Requires kr {} or later.", version));
  metadata_paragraph(out, {&tree.metadata});
  return out;
}

std::string about_declaration(Analysis& analysis, const Symbol& symbol, source::Span declared) {
  const syntax::File& tree = analysis.scope().tree(declared.file);
  switch (symbol.kind) {
    case SymbolKind::module:
      return about_module(symbol, tree);
    case SymbolKind::pattern:
      return about_pattern(analysis, symbol, declared);
    case SymbolKind::table:
      if (const auto* table = declared_at(tree.tables, declared)) {
        std::string out = titled("table", symbol, {}, table->doc);
        paragraph(out, fmt::format("{} for {}", plural(table->rules.size(), "rule"),
                                   as_code(table->dimension.text)));
        metadata_paragraph(out, {&table->metadata, &tree.metadata});
        return out;
      }
      break;
    case SymbolKind::dimension:
      for (const syntax::Labels& labels : tree.labels) {
        if (labels.dimension.span != declared) continue;
        std::string out = titled("dimension", symbol, {}, labels.doc);
        paragraph(out, fmt::format("{} declared in {}", plural(labels.labels.size(), "label"),
                                   as_code(analysis.sources().place(declared))));
        return out;
      }
      break;
    case SymbolKind::engine:
      if (const auto* engine = declared_at(tree.engines, declared)) {
        std::string out = titled("engine", symbol, engine->title, engine->doc);
        metadata_paragraph(out, {&engine->body.metadata, &tree.metadata});
        return out;
      }
      break;
    case SymbolKind::model:
      for (const syntax::Engine& engine : tree.engines) {
        if (const auto* model = declared_at(engine.models, declared)) {
          std::string out = titled("model", symbol, model->title, model->doc);
          metadata_paragraph(out, {&model->body.metadata, &engine.body.metadata, &tree.metadata});
          return out;
        }
      }
      break;
    case SymbolKind::label:
      break;
  }
  return "";
}

std::optional<Hover> about_symbol(Analysis& analysis, size_t offset) {
  const source::FileId file = analysis.root().file;
  const Symbol* symbol = symbol_at(analysis, file, offset);
  if (symbol == nullptr) return std::nullopt;
  if (symbol->kind == SymbolKind::label) {
    if (symbol->rule != nullptr) return Hover{symbol->span, about_rule(analysis, *symbol)};
    std::string out = about_label(analysis, *symbol);
    paragraph(out, given_by(analysis, *symbol));
    return Hover{symbol->span, std::move(out)};
  }
  const auto declared = declaration(analysis, file, *symbol);
  if (!declared) return std::nullopt;
  std::string out = about_declaration(analysis, *symbol, *declared);
  if (out.empty()) return std::nullopt;
  return Hover{symbol->span, std::move(out)};
}

/// Which rule labels the name of a test, by dimension.
std::string labels_of_test(Analysis& analysis, const sema::Test& test, sema::ModelId id) {
  const sema::Program& program = analysis.program();
  prove::Prover& prover = analysis.prover();
  prove::Witness subject;
  subject.name = test.name;
  subject.kind = test.kind.value_or(operation_kind_of(test.name));
  subject.within = test.within;
  std::string out = fmt::format("In {}:", as_code(program.title(id)));
  for (const sema::Table& table : program.models.get(id).tables) {
    std::optional<sema::RuleId> by;
    for (const sema::RuleId rule : table.rules) {
      if (!prover.holds(prover.formulas().of(program, program.rules.get(rule).expr), subject))
        continue;
      by = rule;
      break;
    }
    if (!by) by = table.otherwise;
    const std::string& dimension = program.dimensions.get(table.dimension).name;
    if (!by) {
      out += fmt::format("\n- {} `unclassified`: no rule matches", dimension);
      continue;
    }
    const sema::Rule& rule = program.rules.get(*by);
    std::string text(analysis.sources().text(rule.span));
    std::ranges::replace(text, '\n', ' ');
    constexpr size_t shown = 80;
    out +=
        fmt::format("\n- {} {}: by {} ({})", dimension, as_code(rule.keep ? test.name : rule.label),
                    as_code(excerpt(text, shown)), analysis.sources().place(rule.span));
  }
  return out;
}

std::optional<Hover> about_test(Analysis& analysis, size_t offset) {
  if (!analysis.loaded()) return std::nullopt;
  const syntax::TestCase* found = nullptr;
  for (const syntax::Test& test : analysis.tree().tests) {
    for (const syntax::TestCase& one : test.cases) {
      syntax::each_operation(one, [&](const syntax::TestCase& operation) {
        const source::Span span = operation.name.span;
        if (offset >= span.begin && offset <= span.end) found = &operation;
      });
    }
  }
  if (found == nullptr) return std::nullopt;
  constexpr size_t max_models = 4;
  for (const sema::Test& test : analysis.program().tests) {
    std::optional<Hover> hover;
    sema::each_operation(test, [&](const sema::Test& operation) {
      if (operation.call || operation.span.file != found->name.span.file ||
          found->name.span.begin < operation.span.begin ||
          found->name.span.end > operation.span.end || operation.name != found->name.text) {
        return;
      }
      std::string out;
      for (size_t i = 0; i < std::min(test.models.size(), max_models); ++i) {
        paragraph(out, labels_of_test(analysis, operation, test.models[i]));
      }
      if (test.models.size() > max_models) {
        paragraph(out, fmt::format("and in {} more models", test.models.size() - max_models));
      }
      hover = Hover{found->name.span, std::move(out)};
    });
    if (hover) return hover;
  }
  return std::nullopt;
}

/// The text or regular expression at the offset, in words.
std::optional<Hover> about_atom(const Analysis& analysis, size_t offset) {
  const syntax::File& tree = analysis.tree();
  uint32_t index = 0;
  for (const syntax::Expr& expr : tree.exprs) {
    const syntax::ExprId id{index++};
    const bool atom = expr.kind == syntax::ExprKind::text || expr.kind == syntax::ExprKind::regex;
    if (!atom || offset < expr.span.begin || offset >= expr.span.end) continue;
    return Hover{expr.span, "Matches a name " + describe(tree, id)};
  }
  return std::nullopt;
}

std::optional<Hover> about_words(const Analysis& analysis, size_t offset) {
  const std::string_view text = analysis.text();
  size_t begin = std::min(offset, text.size());
  while (begin > 0 && syntax::is_word_byte(text[begin - 1])) --begin;
  if (begin > 0 && text[begin - 1] == '@') --begin;
  size_t end = std::min(offset, text.size());
  if (end < text.size() && text[end] == '@') ++end;
  while (end < text.size() && syntax::is_word_byte(text[end])) ++end;
  const std::string_view about = about_word(text.substr(begin, end - begin));
  if (about.empty()) return std::nullopt;
  return Hover{{analysis.root().file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
               std::string(about)};
}

std::optional<Hover> about_comment(const Analysis& analysis, size_t offset) {
  const source::FileId file = analysis.root().file;
  for (const syntax::Comment& comment : analysis.tree().comments) {
    if (offset < comment.span.begin || offset > comment.span.end) continue;
    const std::string_view line = analysis.sources().text(comment.span);
    const auto word = code_in_allow(line, offset - comment.span.begin);
    if (!word || word->first == word->second) return Hover{};
    const diag::CodeInfo* info =
        diag::find_code(line.substr(word->first, word->second - word->first));
    if (info == nullptr) return Hover{};
    const auto at = [&](size_t i) { return comment.span.begin + static_cast<uint32_t>(i); };
    return Hover{{file, at(word->first), at(word->second)}, about_code(*info)};
  }
  return std::nullopt;
}

}  // namespace

std::string about_code(const diag::CodeInfo& info) {
  const std::string_view page = explain::page_of(info);
  if (!page.empty()) return std::string(page);
  return fmt::format("**{} {}** ({})\n\n{}", info.id, info.name, diag::to_string(info.severity),
                     diag::description(info));
}

void write_hover(Question question, Writer& out) {
  Analysis& analysis = analysis_of(question);
  std::optional<Hover> hover = about_comment(analysis, question.offset);
  if (!hover) hover = about_symbol(analysis, question.offset);
  if (!hover) hover = about_test(analysis, question.offset);
  if (!hover) hover = about_atom(analysis, question.offset);
  if (!hover) hover = about_words(analysis, question.offset);
  if (!hover || hover->text.empty()) return out.null();
  out.open('{');
  out.key("contents").markdown(hover->text);
  out.key("range").range(analysis.range(hover->span, question.encoding));
  out.close('}');
}

}  // namespace kr::lsp

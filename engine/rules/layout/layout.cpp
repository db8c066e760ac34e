#include "layout/layout.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "layout/items.hpp"
#include "syntax/each_declaration.hpp"
#include "syntax/parse.hpp"

namespace kr::layout {
namespace {

/// A parsed text with its own SourceMap.
struct Parsed {
  explicit Parsed(std::string text) : file(sources.add("", std::move(text))) {
    tree = syntax::parse(sources, file, sink);
  }
  std::string_view text() const { return sources.text(file); }

  source::SourceMap sources;
  source::FileId file;
  diag::Sink sink;
  syntax::File tree;
};

/// The layout of a text without mistakes.
std::string text_of(std::string_view text, const syntax::File& tree) {
  std::vector<Token> tokens = tokens_of(text, tree.comments);
  return text_of(tokens, items_of(tokens));
}

/// Compares two parsed files: equal except for spans, with declarations in their order and
/// expressions with their parentheses.
class Same {
 public:
  Same(const syntax::File& a, const syntax::File& b) : a_(a), b_(b) {}

  bool files() const {
    return a_.doc == b_.doc && all(a_.requirements, b_.requirements) &&
           all(a_.metadata, b_.metadata) && all(a_.uses, b_.uses) &&
           all(a_.patterns, b_.patterns) && all(a_.labels, b_.labels) &&
           all(a_.tables, b_.tables) && all(a_.costs, b_.costs) && all(a_.engines, b_.engines) &&
           all(a_.tests, b_.tests);
  }

 private:
  template <class T>
  bool all(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::ranges::equal(a, b, [this](const T& x, const T& y) { return is(x, y); });
  }
  template <class T>
  bool is(const std::optional<T>& a, const std::optional<T>& b) const {
    return a.has_value() == b.has_value() && (!a || is(*a, *b));
  }
  bool is(const syntax::Word& a, const syntax::Word& b) const {
    return a.text == b.text && a.quoted == b.quoted;
  }
  bool is(const syntax::Path& a, const syntax::Path& b) const { return all(a.parts, b.parts); }
  bool is(syntax::ExprId a, syntax::ExprId b) const {
    if (a.valid() != b.valid()) return false;
    if (!a.valid()) return true;
    const syntax::Expr& x = a_.exprs.get(a);
    const syntax::Expr& y = b_.exprs.get(b);
    return x.kind == y.kind && x.text == y.text && x.ignore_case == y.ignore_case &&
           x.at_begin == y.at_begin && x.at_end == y.at_end && x.grouped == y.grouped &&
           x.operation == y.operation && is(x.name, y.name) && all(x.operands, y.operands);
  }
  bool is(const syntax::Rule& a, const syntax::Rule& b) const {
    return a.kind == b.kind && is(a.label, b.label) && is(a.expr, b.expr) &&
           all(a.chain, b.chain) && is(a.table, b.table) && a.doc == b.doc;
  }
  bool is(const syntax::ChainStep& a, const syntax::ChainStep& b) const {
    return is(a.expr, b.expr) && a.quantifier == b.quantifier && a.open.valid() == b.open.valid() &&
           a.close.valid() == b.close.valid();
  }
  bool is(const syntax::Block& a, const syntax::Block& b) const {
    return is(a.dimension, b.dimension) && is(a.over, b.over) && all(a.rules, b.rules) &&
           a.doc == b.doc;
  }
  bool is(const syntax::Requirement& a, const syntax::Requirement& b) const {
    return a.version == b.version;
  }
  bool is(const syntax::Metadata& a, const syntax::Metadata& b) const {
    return a.kind == b.kind && is(a.text, b.text);
  }
  bool is(const syntax::Use& a, const syntax::Use& b) const {
    return is(a.module, b.module) && is(a.file, b.file) && is(a.alias, b.alias);
  }
  bool is(const syntax::Pattern& a, const syntax::Pattern& b) const {
    return is(a.name, b.name) && is(a.over, b.over) && is(a.expr, b.expr) && a.doc == b.doc;
  }
  bool is(const syntax::LabelDecl& a, const syntax::LabelDecl& b) const {
    return is(a.label, b.label) && is(a.title, b.title) && is(a.color, b.color) && a.doc == b.doc;
  }
  bool is(const syntax::Labels& a, const syntax::Labels& b) const {
    return is(a.dimension, b.dimension) && is(a.extends, b.extends) && all(a.labels, b.labels) &&
           a.doc == b.doc;
  }
  bool is(const syntax::Table& a, const syntax::Table& b) const {
    return is(a.name, b.name) && is(a.dimension, b.dimension) && is(a.over, b.over) &&
           all(a.rules, b.rules) && all(a.metadata, b.metadata) && a.doc == b.doc;
  }
  bool is(const syntax::Fold& a, const syntax::Fold& b) const { return is(a.expr, b.expr); }
  bool is(const syntax::Abbreviation& a, const syntax::Abbreviation& b) const {
    return is(a.from, b.from) && is(a.to, b.to);
  }
  bool is(int64_t a, int64_t b) const { return a == b; }
  bool is(syntax::FormulaId a, syntax::FormulaId b) const {
    if (a.valid() != b.valid()) return false;
    if (!a.valid()) return true;
    // Both stores have the nodes in the order of the text.
    const syntax::Formula& x = a_.formulas.get(a);
    const syntax::Formula& y = b_.formulas.get(b);
    return x.kind == y.kind && x.name == y.name && x.value == y.value &&
           all(x.operands, y.operands);
  }
  bool is(const syntax::ShapeDimension& a, const syntax::ShapeDimension& b) const {
    return a.kind == b.kind && a.rest == b.rest && a.value == b.value && is(a.name, b.name);
  }
  bool is(const syntax::CostArgument& a, const syntax::CostArgument& b) const {
    return a.kind == b.kind && all(a.dimensions, b.dimensions) && is(a.type, b.type) &&
           a.values == b.values && is(a.word, b.word);
  }
  bool is(const syntax::CostValue& a, const syntax::CostValue& b) const {
    return is(a.name, b.name) && is(a.formula, b.formula);
  }
  bool is(const syntax::CostAmount& a, const syntax::CostAmount& b) const {
    return a.unknown == b.unknown && is(a.formula, b.formula);
  }
  bool is(const syntax::CostClause& a, const syntax::CostClause& b) const {
    return a.include == b.include && is(a.table, b.table) && is(a.name, b.name) &&
           all(a.arguments, b.arguments) && all(a.values, b.values) && is(a.flops, b.flops) &&
           is(a.bytes, b.bytes) && is(a.type, b.type) && a.doc == b.doc;
  }
  bool is(const syntax::CostBlock& a, const syntax::CostBlock& b) const {
    return is(a.name, b.name) && all(a.clauses, b.clauses) && a.doc == b.doc;
  }
  bool is(const syntax::Detect& a, const syntax::Detect& b) const { return is(a.expr, b.expr); }
  bool is(const syntax::Body& a, const syntax::Body& b) const {
    return all(a.dimensions, b.dimensions) && all(a.phases, b.phases) && all(a.folds, b.folds) &&
           all(a.abbreviations, b.abbreviations) && all(a.detects, b.detects) &&
           all(a.costs, b.costs) && all(a.metadata, b.metadata);
  }
  bool is(const syntax::Model& a, const syntax::Model& b) const {
    return is(a.name, b.name) && is(a.title, b.title) && is(a.extends, b.extends) &&
           is(a.body, b.body) && a.doc == b.doc;
  }
  bool is(const syntax::Engine& a, const syntax::Engine& b) const {
    return is(a.name, b.name) && is(a.title, b.title) && is(a.body, b.body) &&
           all(a.models, b.models) && a.doc == b.doc;
  }
  bool is(const syntax::Expectation& a, const syntax::Expectation& b) const {
    return is(a.dimension, b.dimension) && is(a.label, b.label);
  }
  bool is(const syntax::TestCase::Call& a, const syntax::TestCase::Call& b) const {
    return all(a.arguments, b.arguments) && is(a.type, b.type) && all(a.values, b.values);
  }
  bool is(const syntax::TestCase& a, const syntax::TestCase& b) const {
    return a.kind == b.kind && is(a.name, b.name) && all(a.within, b.within) &&
           all(a.expected, b.expected) && is(a.call, b.call) && all(a.later, b.later);
  }
  bool is(const syntax::Test& a, const syntax::Test& b) const {
    return is(a.engine, b.engine) && is(a.model, b.model) && all(a.cases, b.cases);
  }

  const syntax::File& a_;
  const syntax::File& b_;
};

/// The same, and with the same comments.
bool same(const source::SourceMap& a_sources, const syntax::File& a,
          const source::SourceMap& b_sources, const syntax::File& b) {
  std::vector<std::string_view> a_comments;
  std::vector<std::string_view> b_comments;
  for (const syntax::Comment& comment : a.comments)
    a_comments.push_back(a_sources.text(comment.span));
  for (const syntax::Comment& comment : b.comments)
    b_comments.push_back(b_sources.text(comment.span));
  return a_comments == b_comments && Same(a, b).files();
}

bool same_mistakes(const diag::Sink& a, const diag::Sink& b) {
  return std::ranges::equal(a.all(), b.all(),
                            [](const diag::Diagnostic& x, const diag::Diagnostic& y) {
                              return x.code == y.code && x.message == y.message;
                            });
}

/// Declarations without reported mistakes, in the order of the text.
std::vector<source::Span> without_mistakes(const syntax::File& tree, const diag::Sink& sink) {
  std::vector<source::Span> spans;
  const auto take = [&](const auto& declaration) {
    const source::Span span = declaration.span;
    const auto touches = [&](source::Span other) {
      return other.begin <= span.end && span.begin <= other.end;
    };
    if (std::ranges::none_of(sink.all(),
                             [&](const diag::Diagnostic& one) { return touches(one.span); })) {
      spans.push_back(span);
    }
  };
  std::ranges::for_each(tree.requirements, take);
  std::ranges::for_each(tree.metadata, take);
  syntax::each_declaration(tree, take);
  std::ranges::sort(spans, [](source::Span a, source::Span b) { return a.begin < b.begin; });
  return spans;
}

/// Lays out a file with mistakes: each declaration as a separate file. If the result would parse
/// differently, the text stays as written.
std::string partly_laid_out(const source::SourceMap& sources, source::FileId id,
                            const syntax::File& tree, const diag::Sink& sink) {
  const std::string_view text = sources.text(id);
  const syntax::Lookahead look(text);
  std::string out;
  size_t at = 0;
  for (const source::Span span : without_mistakes(tree, sink)) {
    if (span.begin < at || !look.first_on_line(span.begin)) continue;
    const Parsed part{std::string(sources.text(span))};
    if (!part.sink.all().empty()) continue;
    std::string lines = text_of(part.text(), part.tree);
    while (lines.ends_with('\n')) lines.pop_back();
    size_t begin = span.begin;
    while (begin > at && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
    out += text.substr(at, begin - at);
    out += lines;
    at = span.end;
  }
  out += text.substr(at);
  const Parsed after(out);
  if (!same(sources, tree, after.sources, after.tree)) return std::string(text);
  if (!same_mistakes(sink, after.sink)) return std::string(text);
  return out;
}

}  // namespace

Layout lay_out(const source::SourceMap& sources, source::FileId file) {
  Layout layout;
  const syntax::File tree = syntax::parse(sources, file, layout.sink);
  if (!layout.sink.all().empty()) {
    layout.text = partly_laid_out(sources, file, tree, layout.sink);
    return layout;
  }
  layout.text = text_of(sources.text(file), tree);
  const Parsed after(layout.text);
  KR_CHECK(after.sink.all().empty());
  KR_CHECK(same(sources, tree, after.sources, after.tree));
  return layout;
}

std::string laid_out(std::string text) {
  source::SourceMap sources;
  const source::FileId file = sources.add("rules.kr", std::move(text));
  Layout layout = lay_out(sources, file);
  KR_CHECK(!layout.sink.has_errors());
  return std::move(layout.text);
}

}  // namespace kr::layout

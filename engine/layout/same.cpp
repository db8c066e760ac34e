#include "layout/same.hpp"

#include <algorithm>

namespace kr::layout {
namespace {

using namespace syntax;

class Same {
 public:
  Same(const File& a, const File& b) : a_(a), b_(b) {}

  bool files() const {
    return a_.doc == b_.doc && all(a_.uses, b_.uses) && all(a_.patterns, b_.patterns) &&
           all(a_.labels, b_.labels) && all(a_.tables, b_.tables) && all(a_.engines, b_.engines) &&
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
  bool is(const Word& a, const Word& b) const { return a.text == b.text && a.quoted == b.quoted; }
  bool is(const Path& a, const Path& b) const { return all(a.parts, b.parts); }
  bool is(ExprId a, ExprId b) const {
    if (a.valid() != b.valid()) return false;
    if (!a.valid()) return true;
    const Expr& x = a_.exprs.get(a);
    const Expr& y = b_.exprs.get(b);
    return x.kind == y.kind && x.text == y.text && x.ignore_case == y.ignore_case &&
           x.at_begin == y.at_begin && x.at_end == y.at_end && x.grouped == y.grouped &&
           x.operation == y.operation && is(x.name, y.name) && all(x.operands, y.operands);
  }
  bool is(const Rule& a, const Rule& b) const {
    return a.kind == b.kind && is(a.label, b.label) && is(a.expr, b.expr) && is(a.table, b.table) &&
           a.doc == b.doc;
  }
  bool is(const Block& a, const Block& b) const {
    return is(a.dimension, b.dimension) && all(a.rules, b.rules) && a.doc == b.doc;
  }
  bool is(const Use& a, const Use& b) const {
    return is(a.module, b.module) && is(a.file, b.file) && is(a.alias, b.alias);
  }
  bool is(const Pattern& a, const Pattern& b) const {
    return is(a.name, b.name) && is(a.expr, b.expr) && a.doc == b.doc;
  }
  bool is(const LabelDecl& a, const LabelDecl& b) const {
    return is(a.label, b.label) && is(a.title, b.title) && is(a.color, b.color) && a.doc == b.doc;
  }
  bool is(const Labels& a, const Labels& b) const {
    return is(a.dimension, b.dimension) && is(a.extends, b.extends) && all(a.labels, b.labels) &&
           a.doc == b.doc;
  }
  bool is(const Table& a, const Table& b) const {
    return is(a.name, b.name) && is(a.dimension, b.dimension) && all(a.rules, b.rules) &&
           a.doc == b.doc;
  }
  bool is(const Fold& a, const Fold& b) const { return is(a.expr, b.expr); }
  bool is(const Abbreviation& a, const Abbreviation& b) const {
    return is(a.from, b.from) && is(a.to, b.to);
  }
  bool is(const Detect& a, const Detect& b) const { return is(a.expr, b.expr); }
  bool is(const Body& a, const Body& b) const {
    return all(a.dimensions, b.dimensions) && all(a.phases, b.phases) && all(a.folds, b.folds) &&
           all(a.abbreviations, b.abbreviations) && all(a.detects, b.detects);
  }
  bool is(const Model& a, const Model& b) const {
    return is(a.name, b.name) && is(a.title, b.title) && is(a.extends, b.extends) &&
           is(a.body, b.body) && a.doc == b.doc;
  }
  bool is(const Engine& a, const Engine& b) const {
    return is(a.name, b.name) && is(a.title, b.title) && is(a.body, b.body) &&
           all(a.models, b.models) && a.doc == b.doc;
  }
  bool is(const Expectation& a, const Expectation& b) const {
    return is(a.dimension, b.dimension) && is(a.label, b.label);
  }
  bool is(const TestCase& a, const TestCase& b) const {
    return a.kind == b.kind && is(a.name, b.name) && all(a.within, b.within) &&
           all(a.expected, b.expected);
  }
  bool is(const Test& a, const Test& b) const {
    return is(a.engine, b.engine) && is(a.model, b.model) && all(a.cases, b.cases);
  }

  const File& a_;
  const File& b_;
};

}  // namespace

bool same(const source::SourceMap& a_sources, const File& a, const source::SourceMap& b_sources,
          const File& b) {
  std::vector<std::string_view> a_comments;
  std::vector<std::string_view> b_comments;
  for (const syntax::Comment& comment : a.comments)
    a_comments.push_back(a_sources.text(comment.span));
  for (const syntax::Comment& comment : b.comments)
    b_comments.push_back(b_sources.text(comment.span));
  return a_comments == b_comments && Same(a, b).files();
}

}  // namespace kr::layout

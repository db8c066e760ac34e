// The parts of a file that an editor can fold: blocks, comments, and the list of `use`.
#include <algorithm>
#include <vector>

#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

struct Folds {
  const Analysis& analysis;
  Encoding encoding;
  Writer& out;

  void add(source::Span span, std::string_view kind = {}) const {
    if (!span.valid()) return;
    const Range range = analysis.range(span, encoding);
    if (range.end.line <= range.begin.line) return;
    out.open('{');
    out.key("startLine").number(range.begin.line);
    out.key("endLine").number(range.end.line);
    if (!kind.empty()) out.key("kind").text(kind);
    out.close('}');
  }

  void body(const syntax::Body& body) const {
    for (const auto* blocks : {&body.phases, &body.dimensions}) {
      for (const syntax::Block& block : *blocks) add(block.span);
    }
    for (const syntax::CostBlock& block : body.costs) add(block.span);
  }
};

}  // namespace

void write_folding(Question question, Writer& out) {
  const Analysis& analysis = analysis_of(question);
  const syntax::File& tree = analysis.tree();
  const Folds folds{analysis, question.encoding, out};
  out.open('[');
  for (const syntax::Labels& one : tree.labels) folds.add(one.span);
  for (const syntax::Table& one : tree.tables) folds.add(one.span);
  for (const syntax::CostBlock& one : tree.costs) folds.add(one.span);
  for (const syntax::Engine& engine : tree.engines) {
    folds.add(engine.span);
    folds.body(engine.body);
    for (const syntax::Model& model : engine.models) {
      folds.add(model.span);
      folds.body(model.body);
    }
  }
  for (const syntax::Test& one : tree.tests) folds.add(one.span);
  if (!tree.uses.empty())
    folds.add(source::join(tree.uses.front().span, tree.uses.back().span), "imports");
  // Comments on consecutive lines, each alone on its line.
  const std::string_view text = analysis.text();
  const auto is_alone = [&](const syntax::Comment& one) {
    const size_t begin = text.substr(0, one.span.begin).rfind('\n') + 1;  // npos + 1 is 0
    return text.substr(begin, one.span.begin - begin).find_first_not_of(" \t") == text.npos;
  };
  const auto line_of = [&](source::Span span) {
    return analysis.range(span, question.encoding).begin.line;
  };
  source::Span run;
  for (const syntax::Comment& one : tree.comments) {
    if (!is_alone(one)) continue;
    if (run.valid() && line_of(one.span) == analysis.range(run, question.encoding).end.line + 1) {
      run = source::join(run, one.span);
      continue;
    }
    folds.add(run, "comment");
    run = one.span;
  }
  folds.add(run, "comment");
  out.close(']');
}

}  // namespace kr::lsp

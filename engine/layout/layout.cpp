#include "layout/layout.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "layout/same.hpp"
#include "layout/writer.hpp"
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
  std::vector<layout::Token> tokens = layout::tokens_of(text, tree.comments);
  const std::vector<layout::Item> items = layout::items_of(tokens);
  return layout::Writer(tokens).write(items);
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
  const auto take = [&](const auto& declarations) {
    for (const auto& declaration : declarations) {
      const source::Span span = declaration.span;
      const auto touches = [&](source::Span other) {
        return other.begin <= span.end && span.begin <= other.end;
      };
      if (std::ranges::none_of(sink.all(),
                               [&](const diag::Diagnostic& one) { return touches(one.span); })) {
        spans.push_back(span);
      }
    }
  };
  take(tree.uses);
  take(tree.patterns);
  take(tree.labels);
  take(tree.tables);
  take(tree.engines);
  take(tree.tests);
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
  if (!layout::same(sources, tree, after.sources, after.tree)) return std::string(text);
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
  KR_CHECK(layout::same(sources, tree, after.sources, after.tree));
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

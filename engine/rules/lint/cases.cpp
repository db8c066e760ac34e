// KR404: texts that differ only in case.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/ascii.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

/// The number of texts that `i` matches; capped.
uint64_t variants_of(const std::string& text) {
  const auto letters = std::ranges::count_if(text, is_lower);
  return letters > 40 ? uint64_t{1} << 40 : uint64_t{1} << letters;
}

/// The edits that replace the first of some operands by `text` and remove the others; none if
/// something other than blanks and `|` is before one of them.
std::optional<std::vector<diag::Edit>> join_operands(const Context& context,
                                                     const syntax::File& tree,
                                                     const syntax::Expr& whole,
                                                     const std::vector<size_t>& places,
                                                     std::string text) {
  std::vector<diag::Edit> edits;
  edits.push_back({tree.exprs.get(whole.operands[places.front()]).span, std::move(text)});
  for (size_t i = 1; i < places.size(); ++i) {
    const source::Span before = tree.exprs.get(whole.operands[places[i] - 1]).span;
    const source::Span own = tree.exprs.get(whole.operands[places[i]]).span;
    const std::string_view between = context.sources().text({own.file, before.end, own.begin});
    if (between.find_first_not_of(" \t\r\n|") != between.npos) return std::nullopt;
    edits.push_back({{own.file, before.end, own.end}, ""});
  }
  return edits;
}

void check(const Context& context, const syntax::File& tree, const syntax::Expr& whole,
           diag::Sink& sink) {
  struct Group {
    std::vector<size_t> places;  // operands
    std::set<std::string> texts;
  };
  std::map<std::tuple<std::string, bool, bool>, Group> groups;
  for (size_t i = 0; i < whole.operands.size(); ++i) {
    const syntax::Expr& one = tree.exprs.get(whole.operands[i]);
    if (one.kind != syntax::ExprKind::text || one.ignore_case || one.grouped) continue;
    Group& group = groups[{lowered(one.text), one.at_begin, one.at_end}];
    group.places.push_back(i);
    group.texts.insert(one.text);
  }
  for (const auto& [key, group] : groups) {
    if (group.texts.size() < 2) continue;
    const auto& [text, at_begin, at_end] = key;
    const std::string instead = written_text(text, true, at_begin, at_end);
    const syntax::Expr& first = tree.exprs.get(whole.operands[group.places.front()]);
    const syntax::Expr& second = tree.exprs.get(whole.operands[group.places[1]]);
    const bool all = group.texts.size() == variants_of(text);
    diag::Diagnostic& added =
        sink.add(diag::code::case_variants, second.span, context.sources().text(second.span),
                 context.sources().text(first.span));
    added.related(first.span, "the first one");
    if (all) {
      added.help("{} matches the same", instead);
    } else {
      added.help("{} matches them all, and others", instead);
    }
    if (auto edits = join_operands(context, tree, whole, group.places, instead)) {
      added.fix = diag::Fix{all, std::move(*edits)};
    }
  }
}

}  // namespace

void check_cases(const Context& context, diag::Sink& sink) {
  for (const sema::LoadedFile* file : context.roots) {
    for (const syntax::Expr& expr : file->tree.exprs) {
      if (expr.kind == syntax::ExprKind::disjunction) check(context, file->tree, expr, sink);
    }
  }
}

}  // namespace kr::lint

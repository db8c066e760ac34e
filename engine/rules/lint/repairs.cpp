#include <fmt/format.h>

#include <algorithm>

#include "lint/checks.hpp"
#include "syntax/words.hpp"

namespace kr::lint {
namespace {

size_t line_begin(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] != '\n') --at;
  return at;
}

/// The end of a line with its line break.
size_t line_end(std::string_view text, size_t at) {
  const size_t found = text.find('\n', at);
  return found == text.npos ? text.size() : found + 1;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// The lines of a rule if they contain only the rule and a trailing comment; otherwise an invalid
/// span.
source::Span own_lines(const source::SourceMap& sources, source::Span rule) {
  const std::string_view text = sources.text(rule.file);
  const size_t begin = line_begin(text, rule.begin);
  const size_t end = line_end(text, rule.end);
  const std::string_view behind = text.substr(rule.end, end - rule.end);
  const size_t first = behind.find_first_not_of(" \t\r\n");
  const bool ends = first == behind.npos || behind[first] == '#';
  if (!ends || !blank(text.substr(begin, rule.begin - begin)) || text[end - 1] != '\n') return {};
  return {rule.file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

/// Whether a comment is on the line above.
bool has_comment_above(std::string_view text, size_t begin) {
  if (begin == 0) return false;
  const size_t above = line_begin(text, begin - 1);
  const std::string_view line = text.substr(above, begin - above);
  const size_t first = line.find_first_not_of(" \t");
  return first != line.npos && line[first] == '#';
}

/// Moves the `otherwise` of a block to its end, if it and the last rule have their own lines and no
/// comment is directly above it.
std::optional<diag::Fix> move_last(const source::SourceMap& sources,
                                   const std::vector<syntax::Rule>& rules, source::Span otherwise) {
  if (rules.empty() || rules.back().span == otherwise) return std::nullopt;
  const source::Span from = own_lines(sources, otherwise);
  const source::Span last = own_lines(sources, rules.back().span);
  if (!from.valid() || !last.valid()) return std::nullopt;
  if (has_comment_above(sources.text(from.file), from.begin)) return std::nullopt;
  diag::Fix fix{true, {}};
  fix.edits.push_back({from, ""});
  fix.edits.push_back({{last.file, last.end, last.end}, std::string(sources.text(from))});
  return fix;
}

/// The rules of the table or block that contains a rule.
const std::vector<syntax::Rule>* list_with(const syntax::File& tree, source::Span rule) {
  const std::vector<syntax::Rule>* found = nullptr;
  each_rule_list(tree, [&](const std::vector<syntax::Rule>& rules) {
    if (std::ranges::find(rules, rule, &syntax::Rule::span) != rules.end()) found = &rules;
  });
  return found;
}

}  // namespace

std::string written_text(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end) {
  return fmt::format("{}{}{}{}", at_begin ? "^" : "", syntax::quoted_text(bytes),
                     ignore_case ? "i" : "", at_end ? "$" : "");
}

std::optional<diag::Fix> move_above(const source::SourceMap& sources, const syntax::File& tree,
                                    source::Span rule, source::Span target) {
  const auto* rules = list_with(tree, rule);
  if (rules == nullptr || rules != list_with(tree, target)) return std::nullopt;
  const source::Span from = own_lines(sources, rule);
  const source::Span to = own_lines(sources, target);
  if (!from.valid() || !to.valid()) return std::nullopt;
  const std::string_view text = sources.text(from.file);
  if (has_comment_above(text, from.begin) || has_comment_above(text, to.begin)) return std::nullopt;
  diag::Fix fix{false, {}};
  fix.edits.push_back({{to.file, to.begin, to.begin}, std::string(sources.text(from))});
  fix.edits.push_back({from, ""});
  return fix;
}

diag::Edit removal(const source::SourceMap& sources, source::Span span) {
  const std::string_view text = sources.text(span.file);
  const size_t begin = line_begin(text, span.begin);
  const size_t end = line_end(text, span.end);
  const bool first = blank(text.substr(begin, span.begin - begin));
  if (first && blank(text.substr(span.end, end - span.end))) {
    return {{span.file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, ""};
  }
  // A remaining comment moves to the start of the line; no blanks remain at the end of the line.
  while (first && (text[span.end] == ' ' || text[span.end] == '\t')) ++span.end;
  while (!first && blank(text.substr(span.end, end - span.end)) &&
         (text[span.begin - 1] == ' ' || text[span.begin - 1] == '\t')) {
    --span.begin;
  }
  return {span, ""};
}

void add_repairs(const Context& context, std::vector<diag::Diagnostic>& findings) {
  for (diag::Diagnostic& finding : findings) {
    if (finding.code != diag::code::otherwise_not_last.info() || finding.fix) continue;
    const syntax::File& tree = context.rules().files[finding.span.file.index].tree;
    if (const auto* rules = list_with(tree, finding.span)) {
      finding.fix = move_last(context.sources(), *rules, finding.span);
    }
  }
}

}  // namespace kr::lint

#include "lint/repairs.hpp"

#include <fmt/format.h>

#include "syntax/words.hpp"

namespace kr::lint {
namespace {

size_t line_begin(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] != '\n') --at;
  return at;
}

/// The end of a line, its break included.
size_t line_end(std::string_view text, size_t at) {
  const size_t found = text.find('\n', at);
  return found == text.npos ? text.size() : found + 1;
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// Where a rule is all of its lines but for a comment behind it: those lines; else nothing.
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

/// Moves the `otherwise` of a block to its end, where it and the last rule have lines of their own
/// and no comment stands right above it.
std::optional<diag::Fix> move_last(const source::SourceMap& sources,
                                   const std::vector<syntax::Rule>& rules, source::Span otherwise) {
  if (rules.empty() || rules.back().span == otherwise) return std::nullopt;
  const source::Span from = own_lines(sources, otherwise);
  const source::Span last = own_lines(sources, rules.back().span);
  if (!from.valid() || !last.valid()) return std::nullopt;
  const std::string_view text = sources.text(from.file);
  if (from.begin > 0) {
    const size_t above = line_begin(text, from.begin - 1);
    const std::string_view line = text.substr(above, from.begin - above);
    const size_t first = line.find_first_not_of(" \t");
    if (first != line.npos && line[first] == '#') return std::nullopt;
  }
  diag::Fix fix{true, {}};
  fix.edits.push_back({from, ""});
  fix.edits.push_back({{last.file, last.end, last.end}, std::string(sources.text(from))});
  return fix;
}

const std::vector<syntax::Rule>* block_with(const syntax::Body& body, source::Span rule) {
  for (const auto* blocks : {&body.dimensions, &body.phases}) {
    for (const syntax::Block& block : *blocks) {
      for (const syntax::Rule& one : block.rules) {
        if (one.span == rule) return &block.rules;
      }
    }
  }
  return nullptr;
}

const std::vector<syntax::Rule>* block_with(const syntax::File& tree, source::Span rule) {
  for (const syntax::Table& table : tree.tables) {
    for (const syntax::Rule& one : table.rules) {
      if (one.span == rule) return &table.rules;
    }
  }
  for (const syntax::Engine& engine : tree.engines) {
    if (const auto* found = block_with(engine.body, rule)) return found;
    for (const syntax::Model& model : engine.models) {
      if (const auto* found = block_with(model.body, rule)) return found;
    }
  }
  return nullptr;
}

}  // namespace

std::string written_text(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end) {
  return fmt::format("{}{}{}{}", at_begin ? "^" : "", syntax::quoted_text(bytes),
                     ignore_case ? "i" : "", at_end ? "$" : "");
}

diag::Edit removal(const source::SourceMap& sources, source::Span span) {
  const std::string_view text = sources.text(span.file);
  const size_t begin = line_begin(text, span.begin);
  const size_t end = line_end(text, span.end);
  const bool first = blank(text.substr(begin, span.begin - begin));
  if (first && blank(text.substr(span.end, end - span.end))) {
    return {{span.file, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, ""};
  }
  // What stays takes the place on its line: a comment goes to the begin, one that goes leaves no
  // blanks at the end.
  while (first && (text[span.end] == ' ' || text[span.end] == '\t')) ++span.end;
  while (!first && blank(text.substr(span.end, end - span.end)) &&
         (text[span.begin - 1] == ' ' || text[span.begin - 1] == '\t')) {
    --span.begin;
  }
  return {span, ""};
}

void add_repairs(const Context& context, std::vector<diag::Diagnostic>& findings) {
  for (diag::Diagnostic& finding : findings) {
    if (finding.code != diag::code::otherwise_not_last.info || finding.fix) continue;
    const syntax::File& tree = context.rules().files[finding.span.file.index].tree;
    if (const auto* rules = block_with(tree, finding.span)) {
      finding.fix = move_last(context.sources(), *rules, finding.span);
    }
  }
}

}  // namespace kr::lint

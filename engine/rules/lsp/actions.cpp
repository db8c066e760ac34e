// Quick fixes: the edits that findings carry, and a comment that allows a finding.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

std::string title_of(const diag::Diagnostic& finding) {
  if (!finding.help_.empty()) return "Fix: " + finding.help_;
  return fmt::format("Fix {}", finding.code->name);
}

/// Nothing if one of the edits is in a file without a URI.
void write_action(const Question& question, const diag::Diagnostic& finding,
                  const std::string& title, const std::vector<diag::Edit>& edits, bool preferred,
                  Writer& out) {
  const Analysis& analysis = *question.document.analysis;
  std::map<std::string, std::vector<const diag::Edit*>> changes;  // by URI
  for (const diag::Edit& edit : edits) changes[analysis.uri(edit.span.file)].push_back(&edit);
  if (changes.contains("")) return;
  out.open('{');
  out.key("title").text(title);
  out.key("kind").text("quickfix");
  out.key("isPreferred").boolean(preferred);
  out.key("diagnostics").open('[');
  write_diagnostic(question.document, finding, question.encoding, out);
  out.close(']');
  out.key("edit").open('{');
  out.key("changes").open('{');
  for (const auto& [uri, of_file] : changes) {
    out.key(uri).open('[');
    for (const diag::Edit* edit : of_file) {
      out.edit(analysis.range(edit->span, question.encoding), edit->text);
    }
    out.close(']');
  }
  out.close('}');
  out.close('}');
  out.close('}');
}

void write_fix(const Question& question, const diag::Diagnostic& finding, Writer& out) {
  // Of several remedies none is the usual one.
  for (const diag::Fix& one : finding.choices) {
    write_action(question, finding, "Fix: " + one.title, one.edits, false, out);
  }
  if (!finding.choices.empty() || !finding.fix || finding.fix->edits.empty()) return;
  const bool safe = finding.fix->safe;
  const bool error = finding.severity == diag::Severity::error;
  write_action(question, finding,
               title_of(finding) + (safe || error ? "" : " (changes the meaning)"),
               finding.fix->edits, safe || error, out);
}

/// Errors of loading cannot be allowed.
void write_allow(const Question& question, const diag::Diagnostic& finding, Writer& out) {
  const Analysis& analysis = *question.document.analysis;
  if (!analysis.loaded()) return;
  // Only a line feed ends a line of a rules file. After a lone carriage return, the comment would
  // include the rest of the line.
  const std::string_view text = analysis.text();
  const size_t begin = text.substr(0, finding.span.begin).rfind('\n') + 1;  // npos + 1 is 0
  size_t end = std::min(text.find('\n', finding.span.begin), text.size());
  while (end > begin && text[end - 1] == '\r') --end;
  // A second comment on the line would be part of the first.
  for (const syntax::Comment& comment : analysis.tree().comments) {
    if (comment.span.begin >= begin && comment.span.begin < end) return;
  }
  const auto at = static_cast<uint32_t>(end);
  write_action(question, finding, fmt::format("Allow {} here, with a reason", finding.code->name),
               {{{analysis.root().file, at, at},
                 fmt::format("  # kr: allow({}) say why", finding.code->name)}},
               false, out);
}

}  // namespace

void write_code_actions(Question question, size_t end, Writer& out) {
  const Analysis& analysis = analysis_of(question);
  out.open('[');
  for (const diag::Diagnostic& finding : question.document.findings) {
    if (finding.span.file != analysis.root().file) continue;
    if (finding.span.begin > end || finding.span.end < question.offset) continue;
    write_fix(question, finding, out);
    write_allow(question, finding, out);
  }
  out.close(']');
}

}  // namespace kr::lsp

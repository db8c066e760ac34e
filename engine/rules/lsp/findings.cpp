// Findings in the form of the protocol.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "explain/explain.hpp"
#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

/// Rules and declarations without effect: editors show them faded.
bool is_unnecessary(const diag::CodeInfo& code) {
  static constexpr std::array<std::string_view, 6> names{"unreachable-rule",
                                                         "unreachable-alternative",
                                                         "redundant-alternative",
                                                         "unused-pattern",
                                                         "unused-use",
                                                         "unused-table"};
  return std::find(names.begin(), names.end(), code.name) != names.end();
}

int severity_number(diag::Severity severity) {
  if (severity == diag::Severity::error) return 1;
  // Editors do not list hints among the problems.
  return severity == diag::Severity::warning ? 2 : 4;
}

std::string message_of(const diag::Diagnostic& diagnostic) {
  std::string text = diagnostic.message;
  if (diagnostic.witness) text += fmt::format("\nexample: {}", *diagnostic.witness);
  if (!diagnostic.help_.empty()) text += "\n" + diagnostic.help_;
  return text;
}

void write_related(const Analysis& analysis, const std::vector<diag::Related>& all,
                   Encoding encoding, Writer& out) {
  out.key("relatedInformation").open('[');
  for (const diag::Related& one : all) {
    if (!one.span.valid() || analysis.uri(one.span.file).empty()) continue;
    out.open('{');
    out.key("location").location(analysis.uri(one.span.file), analysis.range(one.span, encoding));
    out.key("message").text(one.message);
    out.close('}');
  }
  out.close(']');
}

void write_plain(Range range, std::string_view message, Writer& out) {
  out.open('{');
  out.key("range").range(range);
  out.key("severity").number(1);
  out.key("source").text("kr");
  out.key("message").text(message);
}

/// The `use` of the root file that leads to a file; the first byte if none is known.
source::Span use_of(const Analysis& analysis, source::FileId file) {
  const sema::LoadedFile& root = analysis.root();
  for (const syntax::Use& use : root.tree.uses) {
    for (const sema::LoadedFile::Used& used : root.uses) {
      if (used.name != sema::use_text(use)) continue;
      const auto reached = files_by_distance(analysis, used.file);
      if (std::find(reached.begin(), reached.end(), file) != reached.end()) return use.span;
    }
  }
  return {root.file, 0, 0};
}

/// The file is not checked if a file that it uses has errors. The first error of each is shown at
/// the `use`.
void write_errors_of_used_files(const OpenDocument& document, Encoding encoding, Writer& out) {
  const Analysis& analysis = *document.analysis;
  std::vector<source::FileId> shown;
  for (const diag::Diagnostic& one : document.findings) {
    if (one.severity != diag::Severity::error || one.span.file == analysis.root().file) continue;
    if (std::find(shown.begin(), shown.end(), one.span.file) != shown.end()) continue;
    shown.push_back(one.span.file);
    write_plain(analysis.range(use_of(analysis, one.span.file), encoding),
                fmt::format("{} has errors: {}", analysis.sources().place(one.span), one.message),
                out);
    write_related(analysis, {{one.span, one.message}}, encoding, out);
    out.close('}');
  }
}

}  // namespace

void write_diagnostic(const OpenDocument& document, const diag::Diagnostic& diagnostic,
                      Encoding encoding, Writer& out) {
  const Analysis& analysis = *document.analysis;
  out.open('{');
  out.key("range").range(analysis.range(diagnostic.span, encoding));
  out.key("severity").number(severity_number(diagnostic.severity));
  out.key("code").text(diagnostic.code->id);
  out.key("source").text("kr");
  out.key("message").text(message_of(diagnostic));
  if (is_unnecessary(*diagnostic.code)) {
    out.key("tags").open('[');
    out.number(1);
    out.close(']');
  }
  if (!diagnostic.related_.empty()) write_related(analysis, diagnostic.related_, encoding, out);
  out.key("data").open('{');
  out.key("name").text(diagnostic.code->name);
  out.key("page").text(explain::page_file(*diagnostic.code));
  out.close('}');
  out.close('}');
}

void write_diagnostics(const OpenDocument& document, Encoding encoding, Writer& out) {
  out.open('{');
  out.key("uri").text(document.document.uri);
  out.key("version").number(document.document.version);
  out.key("diagnostics").open('[');
  if (document.analysis) {
    for (const diag::Diagnostic& one : document.findings) {
      if (one.span.file != document.analysis->root().file) continue;
      write_diagnostic(document, one, encoding, out);
    }
    write_errors_of_used_files(document, encoding, out);
  } else {
    write_plain({}, document.trouble, out);
    out.close('}');
  }
  out.close(']');
  out.close('}');
}

}  // namespace kr::lsp

#include "kr/lint.hpp"

#include "api/rules.hpp"
#include "lint/lint_files.hpp"

namespace kr {

std::vector<Finding> lint_text(std::string_view text, const LintTextOptions& options) {
  const source::Library library = library_of(options.load, false);
  lint::LintFilesOptions how;
  how.lint.infos = options.infos;
  how.dry = true;
  how.overlay = [&](const std::filesystem::path& path) {
    return path == options.path ? std::optional(std::string(text)) : std::nullopt;
  };
  // As for the command: that not all was checked is said unasked.
  how.should_report = [&](const diag::Diagnostic& one) {
    return options.infos || one.severity != diag::Severity::info ||
           one.code == diag::code::proof_budget_used_up.info;
  };
  if (options.load.use_cache) how.cache = match::Database::Cache::of_process(library.install());
  const lint::LintedFiles linted = lint::lint_files({options.path}, library, how);
  if (!linted.unreadable.empty()) throw Error(linted.unreadable.front());
  std::vector<Finding> findings;
  findings.reserve(linted.findings.size());
  for (const diag::Diagnostic& one : linted.findings) {
    Finding& finding = findings.emplace_back();
    finding.code = one.code->id;
    finding.name = one.code->name;
    finding.severity = diag::to_string(one.severity);
    finding.message = one.message;
    finding.help = one.help_;
    finding.example = one.witness.value_or("");
    if (!one.span.valid()) continue;
    const source::Position begin = linted.sources.begin(one.span);
    const source::Position end = linted.sources.end(one.span);
    finding.path = linted.sources.path(one.span.file);
    finding.line = begin.line;
    finding.column = begin.column;
    finding.end_line = end.line;
    finding.end_column = end.column;
  }
  return findings;
}

}  // namespace kr

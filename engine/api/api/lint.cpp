#include "kr/lint.hpp"

#include "api/rules.hpp"
#include "lint/lint_files.hpp"
#include "sema/load.hpp"
#include "testing/results.hpp"
#include "testing/testing.hpp"

namespace kr {
namespace {

/// The name of the text as that of a file: any other is that of a shipped ruleset.
std::string path_of(const LintTextOptions& options) {
  const bool is_path = options.path.find('/') != std::string::npos || options.path.ends_with(".kr");
  return is_path || options.path.starts_with('<') ? options.path : "./" + options.path;
}

sema::Overlay overlay_of(std::string_view text, const LintTextOptions& options) {
  return [text = std::string(text), own = path_of(options)](const std::filesystem::path& path) {
    return path == own ? std::optional(text) : std::nullopt;
  };
}

Finding finding_of(const diag::Diagnostic& one, const source::SourceMap& sources) {
  Finding finding;
  finding.code = one.code->id;
  finding.name = one.code->name;
  finding.severity = diag::to_string(one.severity);
  finding.message = one.message;
  finding.help = one.help_;
  finding.example = one.witness.value_or("");
  if (!one.span.valid()) return finding;
  const source::Position begin = sources.begin(one.span);
  const source::Position end = sources.end(one.span);
  finding.path = sources.path(one.span.file);
  finding.line = begin.line;
  finding.column = begin.column;
  finding.end_line = end.line;
  finding.end_column = end.column;
  return finding;
}

}  // namespace

std::vector<Finding> lint_text(std::string_view text, const LintTextOptions& options) {
  const source::Library library = library_of(options.load, false);
  lint::LintFilesOptions how;
  how.lint.infos = options.infos;
  how.dry = true;
  how.overlay = overlay_of(text, options);
  // As for the command: that not all was checked is always reported.
  how.should_report = [&](const diag::Diagnostic& one) {
    return options.infos || one.severity != diag::Severity::info ||
           one.code == diag::code::proof_budget_used_up.info();
  };
  if (options.load.use_cache) how.cache = match::Database::Cache::of_process(library.install());
  const lint::LintedFiles linted = lint::lint_files({path_of(options)}, library, how);
  if (!linted.unreadable.empty()) throw Error(linted.unreadable.front());
  std::vector<Finding> findings;
  findings.reserve(linted.findings.size());
  for (const diag::Diagnostic& one : linted.findings) {
    findings.push_back(finding_of(one, linted.sources));
  }
  return findings;
}

TextTests test_text(std::string_view text, const LintTextOptions& options) {
  const source::Library library = library_of(options.load, false);
  diag::Sink sink;
  testing::TestedFile file;
  file.rules.rules = sema::load_rules({path_of(options)}, library, sink, overlay_of(text, options));
  TextTests result;
  if (!sink.has_errors()) {
    file.rules.database = match::Database::of_automata(file.rules.program());
    file.rules.named = true;
    file.outcomes = testing::run_tests(file.rules);
    const testing::TestCounts counts = testing::count(std::span(&file, 1));
    result.tests = counts.tests;
    result.failed = counts.failed;
    sink = {};
    testing::report_failures(file.rules, file.outcomes, sink);
  }
  for (const diag::Diagnostic& one : sink.sorted()) {
    result.findings.push_back(finding_of(one, file.rules.sources()));
  }
  return result;
}

}  // namespace kr

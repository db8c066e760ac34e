// Lints files: loads each separately with the files that it uses, in parallel; compares them;
// applies fixes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lint/lint.hpp"

namespace kr::lint {

struct LintFilesOptions {
  /// For infos, the names in the tests of shipped rulesets are known too.
  LintOptions lint;
  enum class Fixes : uint8_t { none, safe, all };
  Fixes fixes = Fixes::none;
  /// Which findings to report, and which to fix; empty: all. Errors that prevent loading are always
  /// reported.
  std::function<bool(const diag::Diagnostic&)> should_report;
  std::function<bool(const diag::Diagnostic&)> should_fix;
  /// Computes fixes but writes no file.
  bool dry = false;
  /// Texts that replace files. Requires `dry`: fixes must not change these files.
  sema::Overlay overlay;
  std::optional<match::Database::Cache> cache;
};

/// A file that fixes changed.
struct FixedFile {
  std::filesystem::path path;
  std::string shown;
  std::string before;
  std::string after;
};

struct LintedFiles {
  source::SourceMap sources;
  /// The remaining findings: by file in the order given, then by place.
  std::vector<diag::Diagnostic> findings;
  /// A file did not load: its errors are in `findings` or `unreadable`.
  bool failed = false;
  /// Files that could not be read, in the order given. The others are linted anyway.
  std::vector<Error> unreadable;
  /// The number of files whose findings an earlier run kept.
  size_t recalled = 0;
  size_t fixes = 0;  // number of applied fixes
  std::vector<FixedFile> fixed;
  /// Undone fixes, with the reason.
  std::vector<std::string> notes;
};

/// `names` are paths or names of shipped rulesets, as for load_rules, each file once. Throws Error
/// if a file cannot be written.
LintedFiles lint_files(const std::vector<std::string>& names, const source::Library& library,
                       const LintFilesOptions& options);

}  // namespace kr::lint

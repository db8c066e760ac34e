// `kr lint` of files: each loaded by itself with what it uses, several at a time; what only several
// together show; fixes.
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
  bool infos = true;  // see LintOptions
  /// Names of real kernels beside those in the tests of shipped rulesets.
  std::vector<std::string> known_names;
  enum class Fixes : uint8_t { none, safe, all };
  Fixes fixes = Fixes::none;
  /// Which findings are told, and which are fixed; empty: all. What keeps a file from loading is
  /// always told.
  std::function<bool(const diag::Diagnostic&)> told;
  std::function<bool(const diag::Diagnostic&)> mended;
  /// Fixes are worked out, and no file is written.
  bool dry = false;
  /// Texts that stand for files, which fixes then must leave alone: `dry`.
  sema::Overlay overlay;
  std::optional<match::Database::Cache> cache;
  size_t effort = 1;  // see LintOptions
};

/// A file as fixes change it.
struct FixedFile {
  std::filesystem::path path;
  std::string shown;
  std::string before;
  std::string after;
};

struct LintedFiles {
  source::SourceMap sources;
  /// What is left of what was asked for: by file in the order given, then by place.
  std::vector<diag::Diagnostic> findings;
  /// Some file did not load: `findings` has its errors, or `unreadable`.
  bool failed = false;
  /// Files that could not be read, in the order given. The others are linted all the same.
  std::vector<Error> unreadable;
  size_t fixes = 0;  // that were made
  std::vector<FixedFile> fixed;
  /// For a person: fixes that were taken back, and why.
  std::vector<std::string> notes;
};

/// `names` are paths or names of shipped rulesets, as load_rules takes them, each file once. Throws
/// Error where a file cannot be written.
LintedFiles lint_files(const std::vector<std::string>& names, const source::Library& library,
                       const LintFilesOptions& options);

}  // namespace kr::lint

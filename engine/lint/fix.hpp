// Fixes made to a file in memory, round by round, until there are none left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lint/lint.hpp"

namespace kr::lint {

struct FixResult {
  size_t count = 0;                // of fixes that were made
  std::string before;              // the text as it was, where there are any
  std::vector<std::string> notes;  // fixes that were taken back, and why
};

struct FixOptions {
  LintOptions lint;
  bool unsafe = false;
  /// Which findings to fix; empty: all.
  std::function<bool(const diag::Diagnostic&)> wanted;
  Names names = Names::few;
  std::optional<match::Database::Cache> cache;
};

/// Makes the fixes of `findings` in the first file of `rules`, which becomes what the changed text
/// loads as; `findings` become what is left. After safe fixes the rules must mean the same; those
/// that break this or do not load are taken back.
FixResult fix(match::CompiledRules& rules, std::vector<diag::Diagnostic>& findings,
              const FixOptions& options);

/// The same rules with another text of one file, from memory.
std::unique_ptr<sema::LoadedRules> reload(const sema::LoadedRules& rules, source::FileId file,
                                          const std::string& text, diag::Sink& sink);

}  // namespace kr::lint

// Applies fixes to a file in memory, in rounds, until there are none left.
#pragma once

#include <string>
#include <vector>

#include "lint/lint_files.hpp"

namespace kr::lint {

struct FixResult {
  size_t count = 0;                // of applied fixes
  std::string before;              // the original text, if there are any
  std::vector<std::string> notes;  // undone fixes, with the reason
};

/// Applies the fixes of `findings` to the first file of `rules`, which then has the rules of the
/// changed text; `findings` becomes the remaining findings. Safe fixes must keep the meaning of the
/// rules; fixes that change it or do not load are undone.
FixResult fix(match::CompiledRules& rules, std::vector<diag::Diagnostic>& findings,
              const LintFilesOptions& options);

/// The fixes of findings in one file that can be applied together: in the order of the findings,
/// each complete, without overlap; unsafe fixes only if requested.
std::vector<diag::Fix> compatible_fixes(const std::vector<diag::Diagnostic>& findings,
                                        source::FileId file, bool unsafe);

/// Applies the edits of fixes that do not overlap.
std::string apply(std::string_view text, const std::vector<diag::Fix>& fixes);

/// Whether two Programs have the same meaning for users, which every safe fix must keep: the
/// patterns and tables of root files, all tables of all models, phases, folds, abbreviations,
/// detection. True only if it is proven within the allowance.
bool same_meaning(const sema::Program& before, const sema::Program& after,
                  prove::Allowance& allowance);

}  // namespace kr::lint

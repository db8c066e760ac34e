// The findings of `kr lint` in rules that load: proven facts (KR3xx) and likely problems (KR4xx).
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "lint/usage.hpp"
#include "match/compiled_rules.hpp"
#include "prove/prover.hpp"

namespace kr::lint {

/// Labels that all rules have to keep to, by dimension: the vocabulary of a project.
using AgreedLabels = std::map<std::string, std::vector<std::string>>;

/// Those that the files declare, the used ones too. `kind`, whose labels are fixed, is left out.
AgreedLabels agreed_labels(const sema::LoadedRules& rules);

struct LintOptions {
  /// Whether to search for likely problems too: some take long to find.
  bool infos = true;
  /// Names of real kernels besides those in the files' own tests, to find names that short texts
  /// match by accident.
  std::vector<std::string> known_names;
  /// Declarations of the root files that other files use. Sorted.
  std::vector<Used> used_elsewhere;
  /// KR204 for labels of these dimensions that are not among them. Empty: any label.
  AgreedLabels vocabulary = {};
  /// Earlier proofs, for callers that check repeatedly; for one thread at a time.
  prove::ProofMemo* proofs = nullptr;
  /// Proofs may take this many times the default steps.
  size_t effort = 1;
  /// After any thread sets it, lint_rules throws prove::Stopped; may be null.
  const std::atomic<bool>* stop = nullptr;
};

/// The findings in the root files, including infos, sorted by place, without those that `# kr:
/// allow` allows. `loaded` has the warnings of loading and the caller's findings from comparing
/// files; they are handled like the rest. The rules must have loaded without errors.
std::vector<diag::Diagnostic> lint_rules(const match::CompiledRules& rules,
                                         const LintOptions& options, const diag::Sink& loaded);

/// Rules from memory with a database, or without one if loading found errors. For infos many names
/// are matched, by Hyperscan. The names in a file's own tests are few: if there is no cached
/// database, automata match them, which are ready at once.
match::CompiledRules compile_for_lint(std::unique_ptr<sema::LoadedRules> rules, bool infos,
                                      const std::optional<match::Database::Cache>& cache,
                                      const diag::Sink& loaded);

}  // namespace kr::lint

// What `kr lint` finds in rules that load: facts it proves (KR3xx) and things it thinks likely
// (KR4xx).
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "lint/usage.hpp"
#include "match/compiled_rules.hpp"
#include "prove/prover.hpp"

namespace kr::lint {

struct LintOptions {
  /// Whether what is only likely is of interest: some of it takes long to find.
  bool infos = true;
  /// Names of real kernels beside those in the files' own tests, to see what short texts take by
  /// accident.
  std::vector<std::string> known_names;
  /// Declarations of the root files that other files use, which makes them used. Sorted.
  std::vector<Used> used_elsewhere;
  /// What was proven before, for callers that check again and again; not for two threads at once.
  prove::ProofMemo* proofs = nullptr;
  /// The steps that proofs may take are as many times the default.
  size_t effort = 1;
  /// Once set, by any thread, lint_rules throws prove::Stopped; null: never.
  const std::atomic<bool>* stop = nullptr;
};

/// What is found in the root files' own text, infos included, sorted by place; what `# kr: allow`
/// speaks for is left out. `loaded` is what loading said (warnings) and what the caller found by
/// comparing files; it is treated like the rest. The rules must have been loaded without errors.
std::vector<diag::Diagnostic> lint_rules(const match::CompiledRules& rules,
                                         const LintOptions& options, const diag::Sink& loaded);

/// How many names lint will match.
enum class Names : uint8_t {
  few,   // those in a file's own tests: by automata, which are ready at once
  many,  // of real kernels: by Hyperscan
};

/// Rules from memory with a database; without one where loading found errors. What lies ready in
/// the cache is taken for any number of names.
match::CompiledRules compile_for_lint(std::unique_ptr<sema::LoadedRules> rules, Names names,
                                      const std::optional<match::Database::Cache>& cache,
                                      const diag::Sink& loaded);

}  // namespace kr::lint

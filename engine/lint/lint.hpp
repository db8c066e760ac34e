// What `kr lint` finds in rules that load: facts it proves (KR3xx) and things it thinks likely
// (KR4xx).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.hpp"
#include "match/compiled_rules.hpp"

namespace kr {

struct LintOptions {
  /// Names of real kernels, to see what short texts take by accident.
  std::vector<std::string> known_names;
};

/// Adds what is found in the root files of `rules` to `sink`; suppressed findings are left out.
void lint(const CompiledRules& rules, const LintOptions& options, Sink& sink);

}  // namespace kr

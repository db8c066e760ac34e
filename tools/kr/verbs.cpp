#include <array>

#include "verb.hpp"

namespace kr::cli {

extern const Verb report_verb;
extern const Verb classify_verb;
extern const Verb tree_verb;
extern const Verb analyze_verb;
extern const Verb coverage_verb;
extern const Verb why_verb;
extern const Verb sql_verb;
extern const Verb fmt_verb;
extern const Verb explain_verb;
extern const Verb list_verb;
extern const Verb lint_verb;
extern const Verb test_verb;
extern const Verb diff_verb;
extern const Verb init_verb;
extern const Verb import_verb;
extern const Verb export_verb;
extern const Verb compile_verb;
extern const Verb lsp_verb;
extern const Verb completions_verb;
extern const Verb man_verb;

std::span<const Verb* const> verbs() {
  static constexpr auto all = std::to_array<const Verb*>({
      &report_verb,   &analyze_verb, &sql_verb,  &tree_verb,        &classify_verb,
      &coverage_verb, &diff_verb,    &why_verb,  &lint_verb,        &test_verb,
      &explain_verb,  &fmt_verb,     &list_verb, &init_verb,        &import_verb,
      &export_verb,   &compile_verb, &lsp_verb,  &completions_verb, &man_verb,
  });
  return all;
}

}  // namespace kr::cli

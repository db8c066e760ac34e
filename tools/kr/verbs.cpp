#include <array>

#include "verb.hpp"

namespace kr::cli {

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

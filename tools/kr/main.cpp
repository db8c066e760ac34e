// kr: its verbs.
#include <array>

#include "verb.hpp"

namespace kr::cli {

const Program& program() {
  static constexpr auto verbs = std::to_array<const Verb*>({
      &report_verb,  &analyze_verb, &sql_verb,   &tree_verb,        &classify_verb, &coverage_verb,
      &diff_verb,    &cut_verb,     &merge_verb, &why_verb,         &lint_verb,     &test_verb,
      &explain_verb, &fmt_verb,     &list_verb,  &init_verb,        &import_verb,   &export_verb,
      &compile_verb, &lsp_verb,     &mcp_verb,   &completions_verb, &man_verb,
  });
  static constexpr Program kr{
      .name = "kr",
      .description =
          "Labels every GPU operation of a trace by rules and shows where the time goes.",
      .example = "kr report trace.csv --out-dir results",
      .verbs = verbs};
  return kr;
}

}  // namespace kr::cli

int main(int argc, char** argv) {
  return kr::cli::run_command(argc, argv);
}

#include "lint/lint.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "lint/checks.hpp"
#include "lint/repairs.hpp"
#include "lint/suppress.hpp"

namespace kr {
namespace {

void collect_lone_folds(const syntax::Body& body, std::unordered_set<uint32_t>& lone) {
  for (const syntax::Fold& fold : body.folds) {
    if (fold.expr.valid()) lone.insert(fold.expr.index);
  }
}

std::vector<lint::WrittenAtom> atoms_of(const syntax::File& tree) {
  std::unordered_set<uint32_t> lone;
  for (const syntax::Engine& engine : tree.engines) {
    collect_lone_folds(engine.body, lone);
    for (const syntax::Model& model : engine.models) collect_lone_folds(model.body, lone);
  }
  std::vector<lint::WrittenAtom> atoms;
  uint32_t index = 0;
  for (const syntax::Expr& expr : tree.exprs) {
    const bool lone_fold = lone.contains(index++);
    if (expr.kind == syntax::ExprKind::text) {
      atoms.push_back({&tree, &expr,
                       regex::literal(expr.text, expr.ignore_case, expr.at_begin, expr.at_end),
                       lone_fold});
    } else if (expr.kind == syntax::ExprKind::regex) {
      Sink said_before;
      auto regex =
          regex::parse(expr.text, expr.text_span, {.ignore_case = expr.ignore_case}, said_before);
      if (regex) atoms.push_back({&tree, &expr, std::move(*regex), lone_fold});
    }
  }
  return atoms;
}

}  // namespace

namespace lint {

std::span<const Check> all_checks() {
  static constexpr std::array<Check, 16> checks{
      check_reachability,  check_overlaps,    check_otherwise, check_regexes,
      check_phase_numbers, check_unused,      check_labels,    check_tests,
      check_folds,         check_short_texts, check_detection, check_abbreviations,
      check_colors,        check_cases,       check_dialects,  check_names,
  };
  return checks;
}

}  // namespace lint

std::vector<Diagnostic> lint_rules(const CompiledRules& rules, const LintOptions& options,
                                   const Sink& loaded) {
  const lint::Modules modules(*rules.rules);
  lint::Context context{rules, options, modules, {}, {}};
  for (const LoadedFile& file : rules.rules->files) {
    if (!file.root) continue;
    context.roots.push_back(&file);
    std::vector<lint::WrittenAtom> atoms = atoms_of(file.tree);
    std::move(atoms.begin(), atoms.end(), std::back_inserter(context.atoms));
  }
  Sink sink;
  for (const Diagnostic& diagnostic : loaded.all()) {
    sink.add(*diagnostic.code, diagnostic.span, diagnostic.message) = diagnostic;
  }
  for (const lint::Check check : lint::all_checks()) check(context, sink);
  std::vector<Diagnostic> found = sink.sorted();
  std::erase_if(found, [&](const Diagnostic& one) { return !context.is_root(one.span.file); });
  lint::add_repairs(context, found);
  for (const LoadedFile* file : context.roots) {
    lint::Suppressions(rules.sources(), file->tree).apply(found, options.infos);
  }
  return found;
}

CompiledRules compile_for_lint(std::unique_ptr<Rules> rules,
                               const std::optional<Database::Cache>& cache, const Sink& loaded) {
  CompiledRules compiled;
  compiled.rules = std::move(rules);
  compiled.named = true;
  if (!loaded.has_errors()) {
    compiled.database = Database::compile(compiled.program(), cache);
  }
  return compiled;
}

}  // namespace kr

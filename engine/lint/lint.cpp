#include "lint/lint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "base/plural.hpp"
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

/// In place of every rule that was not proven for want of steps, one finding for the file.
void say_once(const lint::Context& context, std::vector<Diagnostic>& found) {
  const size_t rules =
      std::erase_if(found, [](const Diagnostic& one) { return one.code == code::not_proven.info; });
  Sink sink;
  const LoadedFile& file = *context.roots.front();
  const auto& engines = file.tree.engines;
  const Span place = engines.empty() ? Span{file.file, 0, 0} : engines.front().name.span;
  sink.add(code::proof_budget_used_up, place)
      .help(
          "findings may be missing: in {}, rules may be never reached; check with `kr lint "
          "--effort {}`, or write simpler expressions",
          rules == 0 ? "this file" : plural(rules, "rule"), 10 * context.options.effort);
  const auto at = std::find_if(found.begin(), found.end(), [&](const Diagnostic& one) {
    return one.span.file == place.file && one.span.begin > place.begin;
  });
  found.insert(at, sink.all().front());
}

}  // namespace

namespace lint {

prove::Allowance allowance_for(const LintOptions& options, size_t share) {
  const size_t steps = share * prove::Allowance::default_steps;
  const size_t most = std::numeric_limits<size_t>::max() / steps;
  return prove::Allowance(steps * std::clamp<size_t>(options.effort, 1, most), options.stop);
}

std::span<const Check> all_checks() {
  static constexpr std::array<Check, 17> checks{
      check_reachability, check_overlaps,      check_otherwise, check_regexes, check_phase_numbers,
      check_unused,       check_labels,        check_tests,     check_folds,   check_short_texts,
      check_detection,    check_abbreviations, check_colors,    check_cases,   check_dialects,
      check_names,        check_regex_texts,
  };
  return checks;
}

}  // namespace lint

std::vector<Diagnostic> lint_rules(const CompiledRules& rules, const LintOptions& options,
                                   const Sink& loaded) {
  const lint::Modules modules(*rules.rules);
  prove::Allowance allowance = lint::allowance_for(options);
  lint::Context context{
      rules, options, modules, {}, {}, allowance, test_subjects(rules, options.stop)};
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
  for (const lint::Check check : lint::all_checks()) {
    if (options.stop != nullptr && *options.stop) throw prove::Stopped();
    check(context, sink);
  }
  std::vector<Diagnostic> found = sink.sorted();
  if (allowance.ran_out()) say_once(context, found);
  std::erase_if(found, [&](const Diagnostic& one) { return !context.is_root(one.span.file); });
  lint::add_repairs(context, found);
  for (const LoadedFile* file : context.roots) {
    lint::Suppressions(rules.sources(), file->tree).apply(found, options.infos);
  }
  return found;
}

CompiledRules compile_for_lint(std::unique_ptr<LoadedRules> rules, Names names,
                               const std::optional<Database::Cache>& cache, const Sink& loaded) {
  CompiledRules compiled;
  compiled.rules = std::move(rules);
  compiled.named = true;
  if (loaded.has_errors()) return compiled;
  const Program& program = compiled.program();
  if (names == Names::many) {
    compiled.database = Database::compile(program, cache);
  } else {
    if (cache) compiled.database = Database::find(program, *cache);
    if (!compiled.database) compiled.database = Database::of_automata(program);
  }
  return compiled;
}

}  // namespace kr

#include "lint/lint.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_set>

#include "base/plural.hpp"
#include "lint/checks.hpp"
#include "lint/suppress.hpp"

namespace kr::lint {
namespace {

std::vector<WrittenAtom> atoms_of(const syntax::File& tree) {
  std::unordered_set<uint32_t> lone;
  each_body(tree, [&](const syntax::Body& body) {
    for (const syntax::Fold& fold : body.folds) lone.insert(fold.expr.index);
  });
  std::vector<WrittenAtom> atoms;
  uint32_t index = 0;
  for (const syntax::Expr& expr : tree.exprs) {
    const bool lone_fold = lone.contains(index++);
    if (expr.kind == syntax::ExprKind::text || expr.kind == syntax::ExprKind::regex) {
      atoms.push_back({&expr, lone_fold});
    }
  }
  return atoms;
}

/// In the order of execution.
constexpr std::array all_checks{
    check_reachability, check_overlaps,      check_otherwise, check_regexes, check_phase_numbers,
    check_unused,       check_labels,        check_tests,     check_folds,   check_broad_texts,
    check_detection,    check_abbreviations, check_colors,    check_cases,   check_dialects,
    check_names,        check_regex_texts,   check_costs,     check_agreed,  check_metadata,
    check_chains,       check_phases,
};

/// Replaces the findings for rules that were not proven within the allowance by one for the file.
void summarize_not_proven(const Context& context, std::vector<diag::Diagnostic>& found) {
  const size_t rules = std::erase_if(
      found, [](const diag::Diagnostic& one) { return one.code == diag::code::not_proven.info(); });
  diag::Sink sink;
  const sema::LoadedFile& file = *context.roots.front();
  const auto& engines = file.tree.engines;
  const source::Span place =
      engines.empty() ? source::Span{file.file, 0, 0} : engines.front().name.span;
  sink.add(diag::code::proof_budget_used_up, place)
      .help(
          "findings may be missing: in {}, rules may be never reached; check with `kr lint "
          "--effort {}`, or write simpler expressions",
          rules == 0 ? "this file" : plural(rules, "rule"), 10 * context.options.effort);
  const auto at = std::ranges::find_if(found, [&](const diag::Diagnostic& one) {
    return one.span.file == place.file && one.span.begin > place.begin;
  });
  found.insert(at, sink.all().front());
}

}  // namespace

std::optional<regex::Regex> WrittenAtom::regex() const {
  if (!is_regex()) {
    return regex::literal(expr->text, expr->ignore_case, expr->at_begin, expr->at_end);
  }
  diag::Sink reported_before;
  return regex::parse(expr->text, expr->text_span, {.ignore_case = expr->ignore_case},
                      reported_before);
}

prove::Allowance allowance_for(const LintOptions& options, size_t share) {
  const size_t steps = share * prove::Allowance::default_steps;
  const size_t most = std::numeric_limits<size_t>::max() / steps;
  return prove::Allowance(steps * std::clamp<size_t>(options.effort, 1, most), options.stop);
}

std::vector<diag::Diagnostic> lint_rules(const match::CompiledRules& rules,
                                         const LintOptions& options, const diag::Sink& loaded) {
  prove::Allowance allowance = allowance_for(options);
  Context context{rules, options, {}, {}, allowance, testing::test_subjects(rules, options.stop)};
  for (const sema::LoadedFile& file : rules.rules->files) {
    if (!file.root) continue;
    context.roots.push_back(&file);
    std::vector<WrittenAtom> atoms = atoms_of(file.tree);
    std::move(atoms.begin(), atoms.end(), std::back_inserter(context.atoms));
  }
  diag::Sink sink;
  for (const diag::Diagnostic& diagnostic : loaded.all()) {
    sink.add(*diagnostic.code, diagnostic.span, diagnostic.message) = diagnostic;
  }
  for (const auto check : all_checks) {
    if (options.stop != nullptr && *options.stop) throw prove::Stopped();
    check(context, sink);
  }
  std::vector<diag::Diagnostic> found = sink.sorted();
  if (allowance.ran_out()) summarize_not_proven(context, found);
  std::erase_if(found,
                [&](const diag::Diagnostic& one) { return !context.is_root(one.span.file); });
  add_repairs(context, found);
  for (const sema::LoadedFile* file : context.roots) {
    Suppressions(rules.sources(), file->tree).apply(found, options.infos);
  }
  return found;
}

match::CompiledRules compile_for_lint(std::unique_ptr<sema::LoadedRules> rules, bool infos,
                                      const std::optional<match::Database::Cache>& cache,
                                      const diag::Sink& loaded) {
  match::CompiledRules compiled;
  compiled.rules = std::move(rules);
  compiled.named = true;
  if (loaded.has_errors()) return compiled;
  const sema::Program& program = compiled.program();
  if (infos) {
    compiled.database = match::Database::compile(program, cache);
  } else {
    if (cache) compiled.database = match::Database::find(program, *cache);
    if (!compiled.database) compiled.database = match::Database::of_automata(program);
  }
  return compiled;
}

}  // namespace kr::lint

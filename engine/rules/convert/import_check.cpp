#include <utility>

#include "base/check.hpp"
#include "base/error.hpp"
#include "compare/compare.hpp"
#include "convert/from_python.hpp"
#include "convert/import.hpp"
#include "sema/load.hpp"

namespace kr::convert {
namespace {

/// The tables one to one: nothing joined, shared or simplified.
std::string direct_text(std::vector<EngineText> engines) {
  for (EngineText& engine : engines) {
    for (ModelText& model : engine.models) {
      for (BlockText& block : model.blocks) {
        for (RuleText& rule : block.rules) {
          const PortedPattern ported = from_python(rule.atoms[0]);
          rule.atoms[0] = fmt::format("/{}/{}", ported.text.empty() ? ".*" : ported.text,
                                      ported.ignore_case ? "i" : "");
        }
      }
    }
  }
  return to_text({"", {}, std::move(engines)});
}

std::unique_ptr<sema::LoadedRules> load(const std::string& text) {
  diag::Sink sink;
  std::vector<sema::SourceFile> files;
  files.push_back({"import.kr", text, true, {}});
  auto rules = sema::load_rules(std::move(files), sink);
  for (const diag::Diagnostic& diagnostic : sink.all()) {
    if (diagnostic.severity != diag::Severity::error) continue;
    const auto at = rules->sources.begin(diagnostic.span);
    throw Error(
        "",
        fmt::format("the rules made from it do not load: line {}: {}", at.line, diagnostic.message),
        "report this with the file, or import fewer engines at a time with --engine");
  }
  return rules;
}

using prove::FormulaId;

/// The labels of a table in order, with the condition of each; neighbours with one label are
/// joined.
std::vector<std::pair<std::string, FormulaId>> outline(prove::Formulas& formulas,
                                                       compare::TableOf of) {
  std::vector<std::pair<std::string, FormulaId>> steps;
  const auto add = [&](const std::string& label, FormulaId formula) {
    if (steps.empty() || steps.back().first != label) {
      steps.emplace_back(label, formula);
    } else {
      steps.back().second = formulas.any({steps.back().second, formula});
    }
  };
  for (const sema::RuleId id : of.table->rules) {
    const sema::Rule& rule = of.program->rules.get(id);
    add(rule.label, formulas.of(*of.program, rule.expr));
  }
  if (of.table->otherwise) {
    add(of.program->rules.get(*of.table->otherwise).label, formulas.always());
  }
  return steps;
}

/// Whether the tables are the same step by step. That suffices, and needs only one or two proofs
/// per rule; compare_tables needs one for every pair of rules.
bool are_same_steps(prove::Prover& prover, compare::TableOf a, compare::TableOf b) {
  const auto ours = outline(prover.formulas(), a);
  const auto theirs = outline(prover.formulas(), b);
  if (ours.size() != theirs.size()) return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    const auto& [label, formula] = ours[i];
    const auto& [other_label, other] = theirs[i];
    if (label != other_label) return false;
    if (formula == other) continue;
    if (!prover.find(formula, std::span(&other, 1)).none()) return false;
    if (!prover.find(other, std::span(&formula, 1)).none()) return false;
  }
  return true;
}

compare::TableOf table_of(const sema::Program& program, const EngineText& engine,
                          const ModelText& model, const std::string& dimension) {
  const auto engine_id = program.engine(engine.name);
  KR_CHECK(engine_id.has_value());
  const auto model_id = program.model(*engine_id, model.name);
  KR_CHECK(model_id.has_value());
  const auto dimension_id = program.dimension(dimension);
  return {&program, dimension_id ? program.models.get(*model_id).table(*dimension_id) : nullptr};
}

}  // namespace

bool check_import(const std::string& text, const std::vector<EngineText>& engines) {
  const auto written = load(text);
  const auto direct = load(direct_text(engines));
  prove::Formulas formulas;
  prove::Prover prover(formulas);
  bool proven = true;
  for (const EngineText& engine : engines) {
    for (const ModelText& model : engine.models) {
      for (const BlockText& table : model.blocks) {
        const compare::TableOf ours = table_of(written->program, engine, model, table.dimension);
        const compare::TableOf theirs = table_of(direct->program, engine, model, table.dimension);
        if (ours.table == nullptr && theirs.table == nullptr) continue;
        if (ours.table != nullptr && theirs.table != nullptr &&
            are_same_steps(prover, ours, theirs)) {
          continue;
        }
        const compare::TableComparison comparison = compare::compare_tables(prover, theirs, ours);
        proven &= comparison.proven;
        if (comparison.moves.empty()) continue;
        const compare::Move& move = comparison.moves.front();
        throw Error("",
                    fmt::format("{}/{}: the rules made from it give {} the label `{}`, the table "
                                "`{}`",
                                engine.name, model.name, prove::to_string(move.witness), move.to,
                                move.from),
                    "nothing was written; this is a bug in kr: report it with the file");
      }
    }
  }
  return proven;
}

}  // namespace kr::convert

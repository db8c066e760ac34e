#include "lint/same_meaning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "prove/prover.hpp"

namespace kr::lint {
namespace {

/// Two Programs, rule by rule.
class Meanings {
 public:
  Meanings(const Program& before, const Program& after) : before_(before), after_(after) {}

  bool same() {
    if (before_.models.size() != after_.models.size()) return false;
    for (uint32_t m = 0; m < before_.models.size(); ++m) {
      if (!same_model(before_.models.get({m}), after_.models.get({m}))) return false;
    }
    for (uint32_t e = 0; e < before_.engines.size(); ++e) {
      if (!same_expr(before_.engines.get({e}).detect, after_.engines.get({e}).detect)) return false;
    }
    return true;
  }

 private:
  bool same_expr(ExprId a, ExprId b) {
    const prove::FormulaId one = formulas_.of(before_, a);
    const prove::FormulaId other = formulas_.of(after_, b);
    if (one == other) return true;
    const prove::FormulaId ones[] = {one};
    const prove::FormulaId others[] = {other};
    return prover_.find(one, others).none() && prover_.find(other, ones).none();
  }

  /// What the named groups of a rule of `phases` may hold is part of its meaning.
  static std::string groups(const Program& program, ExprId expr) {
    std::string all;
    std::vector<ExprId> rest{expr};
    while (!rest.empty()) {
      const ExprId id = rest.back();
      rest.pop_back();
      if (!id.valid()) continue;
      const Expr& one = program.exprs.get(id);
      if (one.op == ExprOp::atom) {
        const regex::Regex& regex = program.atoms.get(one.atom).regex;
        if (!regex::group_names(regex).empty()) all += regex::to_re2(regex) + '\n';
      }
      rest.insert(rest.end(), one.operands.rbegin(), one.operands.rend());
    }
    return all;
  }

  bool same_rule(RuleId a, RuleId b) {
    const Rule& one = before_.rules.get(a);
    const Rule& other = after_.rules.get(b);
    return one.label == other.label && one.otherwise == other.otherwise && one.keep == other.keep &&
           same_expr(one.expr, other.expr) &&
           groups(before_, one.expr) == groups(after_, other.expr);
  }

  bool same_rules(const std::vector<RuleId>& a, const std::vector<RuleId>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](RuleId one, RuleId other) { return same_rule(one, other); });
  }

  bool same_table(const Table& a, const Table& b) {
    if (before_.dimensions.get(a.dimension).name != after_.dimensions.get(b.dimension).name) {
      return false;
    }
    const auto same_label = [](const Label& one, const Label& other) {
      return one.name == other.name && one.title == other.title && one.color == other.color;
    };
    if (a.closed != b.closed || !std::equal(a.vocabulary.begin(), a.vocabulary.end(),
                                            b.vocabulary.begin(), b.vocabulary.end(), same_label)) {
      return false;
    }
    if (a.otherwise.has_value() != b.otherwise.has_value()) return false;
    return same_rules(a.rules, b.rules) && (!a.otherwise || same_rule(*a.otherwise, *b.otherwise));
  }

  bool same_model(const Model& a, const Model& b) {
    const auto same_fold = [this](const Fold& one, const Fold& other) {
      return same_expr(one.expr, other.expr);
    };
    const auto same_abbreviation = [](const Abbreviation& one, const Abbreviation& other) {
      return one.from == other.from && one.to == other.to;
    };
    const auto tables = [this](const Table& one, const Table& other) {
      return same_table(one, other);
    };
    return a.name == b.name && a.title == b.title && same_expr(a.detect, b.detect) &&
           same_rules(a.phases, b.phases) &&
           std::equal(a.folds.begin(), a.folds.end(), b.folds.begin(), b.folds.end(), same_fold) &&
           std::equal(a.abbreviations.begin(), a.abbreviations.end(), b.abbreviations.begin(),
                      b.abbreviations.end(), same_abbreviation) &&
           std::equal(a.tables.begin(), a.tables.end(), b.tables.begin(), b.tables.end(), tables);
  }

  const Program& before_;
  const Program& after_;
  prove::Formulas formulas_;
  prove::Prover prover_{formulas_};
};

/// A file with an engine that asks for every pattern and includes every table of another, so that
/// what modules export has a meaning that can be compared.
std::string probe_text(const syntax::File& tree) {
  std::string text = "use \"./probed.kr\" as probed\nengine probe {\n";
  for (size_t i = 0; i < tree.patterns.size(); ++i) {
    text += fmt::format("  pattern-{} {{ holds: probed.{} }}\n", i, tree.patterns[i].name.text);
  }
  for (size_t i = 0; i < tree.tables.size(); ++i) {
    const syntax::Table& table = tree.tables[i];
    text += fmt::format("  model table-{} {{ {} {{ include probed.{} }} }}\n", i,
                        table.dimension.text, table.name.text);
  }
  return text + "}\n";
}

std::unique_ptr<Rules> probe(const Rules& rules, Sink& sink) {
  std::vector<SourceFile> files;
  for (const LoadedFile& one : rules.files) {
    SourceFile made{
        rules.sources.path(one.file), std::string(rules.sources.text(one.file)), false, {}};
    for (const LoadedFile::Used& used : one.uses)
      made.uses.emplace_back(used.name, used.file.index);
    files.push_back(std::move(made));
  }
  const auto root = std::find_if(rules.files.begin(), rules.files.end(),
                                 [](const LoadedFile& file) { return file.root; });
  files.push_back({"probe.kr", probe_text(root->tree), true, {{"./probed.kr", root->file.index}}});
  return load_rules(std::move(files), sink);
}

}  // namespace

bool same_meaning(const Rules& before, const Rules& after) {
  if (!Meanings(before.program, after.program).same()) return false;
  Sink sink;
  const auto one = probe(before, sink);
  const auto other = probe(after, sink);
  return !sink.has_errors() && Meanings(one->program, other->program).same();
}

}  // namespace kr::lint

// Names that were seen, and how two rulesets label them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.hpp"
#include "match/evaluate.hpp"
#include "match/scanner.hpp"
#include "source/library.hpp"

namespace kr::compare {

/// Where a name was seen. An earlier one makes the better example.
enum class SeenIn : uint8_t { run, list, test, shipped };

/// `run`, `list`, `test`, `shipped`.
std::string_view to_string(SeenIn place) noexcept;

struct SeenName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t total_ns = 0;  // 0 if only the name is known
  /// The engine and model to count it for; empty: all.
  std::string engine = {};
  std::string model = {};
  std::vector<std::string> within = {};  // enclosing names, outermost first
  SeenIn seen_in = SeenIn::list;

  bool is_of(const std::string& one_engine, const std::string& one_model) const {
    return (engine.empty() || engine == one_engine) && (model.empty() || model == one_model);
  }
  /// In a run or list of the caller, not only in tests or the names that kr ships.
  bool is_callers() const noexcept { return seen_in <= SeenIn::list; }
};

/// The names in the tests of a Program.
std::vector<SeenName> names_in_tests(const sema::Program& program);
/// The names in the tests of all shipped rulesets and in the lists that ship with them.
std::vector<SeenName> shipped_names(const source::Library& library);

/// A Program with its database. Without one, kr's own automata match its atoms: for some thousand
/// names this takes less time than compiling.
struct ScannedProgram {
  const sema::Program* program = nullptr;
  std::shared_ptr<const match::Database> database;
};

/// The rule that labels a subject; none: unclassified.
using Decision = std::optional<sema::RuleId>;

/// Labels subjects by one Program. Scans only when needed.
class Labeller {
 public:
  /// The Program must outlive it. `names`: about how many will be scanned; for very many, a
  /// database is compiled.
  explicit Labeller(ScannedProgram rules, size_t names = 0)
      : rules_(std::move(rules)), names_(names), is_fast_(rules_.database != nullptr) {}

  /// Whether scanning is fast from the first name on.
  bool is_fast() const noexcept { return is_fast_; }

  struct Scanned {
    match::AtomSet name;
    OperationKind kind;
    std::vector<match::AtomSet> within;
    match::Subject subject() const { return {.name = &name, .kind = kind, .within = within}; }
  };
  Scanned scan(const std::string& name, OperationKind kind, const std::vector<std::string>& within);

  /// `table` may be null: all subjects are unclassified.
  Decision decide(const sema::Table* table, const Scanned& scanned);
  /// `unclassified`, `(its own name)` or a label.
  std::string_view label(Decision decision) const;
  /// Whether a rule's expression matches; not for `otherwise`.
  bool holds(sema::RuleId rule, const Scanned& scanned) const;
  /// Whether the rule that decides has an expression: it is there and not `otherwise`.
  bool has_expression(Decision decision) const;

 private:
  ScannedProgram rules_;
  size_t names_;
  bool is_fast_;
  std::optional<match::Scanner> scanner_;
  std::map<const sema::Table*, match::TableMatcher> matchers_;
};

/// A name that two tables label differently, and the rules that decide.
struct SeenMove {
  uint32_t name;  // place in SeenNames::names
  Decision before;
  Decision after;
};

/// How two Programs label the same names. Few names reach rules that differ, so only those are
/// scanned with all rules.
class SeenNames {
 public:
  SeenNames(const ScannedProgram& before, const ScannedProgram& after, std::vector<SeenName> names);

  const std::vector<SeenName>& names() const noexcept { return names_; }
  Labeller& before() noexcept { return before_; }
  Labeller& after() noexcept { return after_; }

  /// The names that two tables label differently, the best example first. Computed once per pair of
  /// tables; the list stays where it is.
  const std::vector<SeenMove>& moves(TableOf before, TableOf after);
  /// Up to `most` names of a kind, without enclosing names, that a table of the first Program gives
  /// a label: short ones, but long enough to look like names of kernels. Not all names are tried.
  std::vector<std::string> short_names(TableOf before, std::string_view label, OperationKind kind,
                                       size_t most);

 private:
  /// The scanned names of one side, when scanned.
  using ScannedNames = std::vector<std::optional<Labeller::Scanned>>;
  const Labeller::Scanned& scanned(Labeller& side, ScannedNames& names, uint32_t name);
  const std::vector<char>& matching(prove::FormulaId formula);
  bool is_better_example(uint32_t one, uint32_t other) const;

  std::vector<SeenName> names_;
  Labeller before_;
  Labeller after_;
  prove::Formulas formulas_;  // of both
  prove::Prover prover_{formulas_};
  ScannedNames scanned_before_;
  ScannedNames scanned_after_;
  std::vector<uint32_t> by_length_;                         // names, the shortest first
  std::map<prove::FormulaId, std::vector<char>> matching_;  // by name
  std::map<std::pair<RulesOf, RulesOf>, std::vector<SeenMove>> moves_;
};

}  // namespace kr::compare

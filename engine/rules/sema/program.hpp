// The meaning of a set of rules files: names and inheritance are resolved, and every dimension of
// every model is an ordered table. Immutable after sema; all later phases read it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/id.hpp"
#include "base/operation_kind.hpp"
#include "regex/regex.hpp"
#include "sema/cost.hpp"
#include "source/source_map.hpp"

namespace kr::sema {

struct AtomTag;
struct ExprTag;
struct WordTag;
struct OrderScopeTag;
struct RuleTag;
struct DimensionTag;
struct EngineTag;
struct ModelTag;
using AtomId = Id<AtomTag>;
using ExprId = Id<ExprTag>;
using WordId = Id<WordTag>;
using OrderScopeId = Id<OrderScopeTag>;
using RuleId = Id<RuleTag>;
using DimensionId = Id<DimensionTag>;
using EngineId = Id<EngineTag>;
using ModelId = Id<ModelTag>;

/// Reserved labels, which no rule may give.
namespace reserved {
inline constexpr std::string_view unclassified = "unclassified";
inline constexpr std::string_view others = "others";
inline constexpr std::string_view self = "(self)";
inline constexpr std::string_view non_gpu = "CPU(non-GPU)";
}  // namespace reserved

/// The dimensions that all shipped rulesets have, besides `kind`.
inline constexpr std::array<std::string_view, 2> usual_dimensions{"stage", "substage"};

/// What a dimension about some operations calls all others: `collective` those that do not
/// communicate. A run has such a dimension only if one of its operations has another label.
inline constexpr std::string_view none_label = "none";

/// The dimension that says which way tokens go between devices (std.exchange).
inline constexpr std::string_view exchange_dimension = "exchange";

/// Order dimensions that are catalogues (std.fusion, std.overlap): what an engine could do better,
/// and not what its operations are.
inline constexpr std::array<std::string_view, 2> candidate_dimensions{"fusion", "overlap"};

/// A text or regular expression to search for in names. Expressions with the same `hyperscan`, the
/// same named groups and the same `own` are one atom.
struct Atom {
  regex::Regex regex;
  std::string hyperscan;  // to_hyperscan(regex)
  std::string source;     // as first written: `"gemm"i`, `/a.b/`
  source::Span span;      // of its first occurrence
  bool own = false;       // it has to match in the function's own name (base/own_name.hpp)
};

/// The maximum depth of an expression, with the patterns in it: recursion over expressions is safe.
inline constexpr uint32_t max_expr_depth = 2000;

enum class ExprOp : uint8_t {
  atom,
  operation,    // @kernel, @memcpy, @memset
  within,       // one operand: matches the name of at least one enclosing node or range
  within_op,    // one operand: matches at least one enclosing framework op
  op,           // one operand: matches the innermost one, whose arguments fit if it says which
  phase,        // the phase of the operation's step
  own,          // one operand, whose atoms are `own`
  label,        // of order rules: a label of the dimension that they look at, or `start`, `end`
  negation,     // one operand
  conjunction,  // two or more
  disjunction,  // two or more
};

/// The expression of a named pattern exists once and is shared by all its uses.
struct Expr {
  ExprOp op = ExprOp::atom;
  AtomId atom = {};  // of `within_op`, `op` and `phase`: the mark of what it looks at
  OperationKind operation = OperationKind::kernel;
  WordId word = {};  // of `label`
  std::vector<ExprId> operands = {};
  /// The place of each operand in this expression: for a named pattern, the place of its use, not
  /// of its declaration. Empty for a generated expression (`detect` of an engine's models).
  std::vector<source::Span> places = {};
  source::Span span = {};
};

/// A label in the expressions of order rules.
struct Word {
  std::string dimension;  // empty: `start` or `end`
  std::string label;
};
/// The places before the first and after the last operation of a sequence.
inline constexpr WordId start_word{0};
inline constexpr WordId end_word{1};

struct ChainStep {
  ExprId expr;  // invalid only after an error
  bool optional = false;
  bool repeated = false;
  source::Span span;
};

/// `left > [target] > right`: labels the operations in brackets by their neighbours.
struct Chain {
  static constexpr size_t max_steps = 64;
  std::vector<ChainStep> steps;
  uint32_t first = 0;  // the steps in brackets, inclusive
  uint32_t last = 0;
};

/// What the chains of one block or table do not see. Invalid: nothing.
struct OrderScope {
  ExprId ignore;
  ExprId continues;  // takes the label of the operation before it
  source::Span span;
};

/// One rule as written. The tables that inherit or include it share it.
struct Rule {
  DimensionId dimension;     // invalid for a rule of `phases`
  std::string label;         // empty with `keep`; also of an image that has no label: unclassified
  std::string refines = {};  // the label that this rule of a `refine` splits; empty: of none
  RuleId image_of = {};      // of `D from E`: the rule of E whose label it translates
  ExprId expr;               // invalid for `otherwise` and for chains, which have none
  std::optional<Chain> chain = {};
  OrderScopeId scope = {};  // of a rule of an order dimension; invalid: its chains see everything
  bool otherwise = false;
  bool keep = false;  // otherwise keep: other names keep their own name as the label
  source::Span span;
  source::Span label_span;
  std::string doc;
};

struct Label {
  std::string name;
  std::string title;  // may be empty
  std::string color;  // `#rrggbb`, or empty
  std::string doc;
  source::Span span;
};

struct Dimension {
  std::string name;
};

struct Program;

/// The effective rules of one dimension for one model, in the order of evaluation.
struct Table {
  /// A rule of a `refine`.
  struct Refined {
    RuleId rule;
    ExprId where;  // where the rules below and other refinements give the label that it splits
    ExprId expr;   // that, and what the rule says
  };
  DimensionId dimension;
  std::vector<RuleId> rules;          // without `otherwise`
  std::optional<RuleId> otherwise;    // evaluated last
  DimensionId from = {};              // `D from E`: E, whose rules these are with other labels
  std::vector<Refined> refined = {};  // the first rules: those of `refine`, and of E
  uint32_t refinements = 0;           // how many of these are its own
  /// The labels that rules may give, in the order declared, nearest declaration first; empty: any.
  std::vector<Label> vocabulary = {};
  bool closed = false;  // has a vocabulary

  /// Null if the vocabulary does not contain the label.
  const Label* find(std::string_view label) const;
  /// What the subject of a rule has to match, by its place in `rules`.
  ExprId expr(const Program& program, size_t place) const;
};

/// The effective rules of an order dimension: labels from neighbours in the order of execution.
/// They see the labels of the dimension `over`.
struct OrderTable : Table {
  DimensionId over;
  std::vector<OrderScopeId> scopes;  // whose `continue` applies, the nearest first
};

struct Fold {
  ExprId expr;
  source::Span span;
};

struct Abbreviation {
  std::string from;
  std::string to;
  source::Span span;
};

struct Model {
  EngineId engine;
  std::string name;  // `default`: only the engine's own blocks
  std::string title;
  std::string doc;
  std::optional<ModelId> base;  // none also if the file of the base is only used
  std::vector<Table> tables;    // in the order of Program::dimensions, without missing ones
  std::vector<OrderTable> order_tables;  // each after the one it looks at
  std::vector<RuleId> phases;            // an `otherwise` is last
  std::vector<Fold> folds;
  std::vector<Abbreviation> abbreviations;
  std::vector<CostId> costs;  // in the order tried: its own, those of its bases, engines and files
  ExprId detect;              // invalid: never detected
  source::Span span;          // invalid for `default`

  /// Null if the model does not have the dimension.
  const Table* table(DimensionId dimension) const;
  const OrderTable* order_table(DimensionId dimension) const;
  /// Either; null if the model does not have the dimension.
  const Table* any_table(DimensionId dimension) const;
};

struct Engine {
  std::string name;
  std::string title;
  std::string doc;
  std::vector<ModelId> models;  // `default` first
  ExprId detect;                // its own; invalid: none
  source::Span span;
};

/// A named pattern of a root file, used or not, for checks of the rules.
struct NamedPattern {
  std::string name;
  ExprId expr;        // invalid if it could not be resolved
  source::Span span;  // of its name
};

/// A `table` of a root file with its includes, for checks of the rules.
struct SharedTable {
  std::string name;
  std::string dimension;
  std::vector<RuleId> rules;  // without `otherwise`
  std::optional<RuleId> otherwise;
  source::Span span;  // of its name
};

/// The same of an order dimension.
struct SharedOrderTable : OrderTable {
  std::string name;
  source::Span span;  // of its name
};

struct Expectation {
  DimensionId dimension;
  std::string label;
  source::Span span;
};

struct Test {
  std::vector<ModelId> models;  // if none is named, all of the engine
  std::optional<OperationKind> kind;
  std::string name;
  std::vector<std::string> within;
  std::string phase = {};  // of its step; empty: not known
  std::string op = {};     // the innermost around it; empty: none
  OpArguments op_arguments = {};
  std::vector<Expectation> expected;
  source::Span span;
  /// Of a test of a cost.
  struct Call {
    OpArguments arguments;
    std::vector<std::pair<std::string, int64_t>> numbers;  // of the phase
    struct Expected {
      bool bytes = false;
      std::optional<int64_t> value;  // none: unknown
      source::Span span;
    };
    std::vector<Expected> expected;
  };
  std::optional<Call> call = {};
  std::vector<Test> later = {};  // the operations after it on its stream; without `models`
};

/// Calls `visit(operation)` for each operation of a test.
template <class Visit>
void each_operation(const Test& test, const Visit& visit) {
  visit(test);
  for (const Test& later : test.later) visit(later);
}

/// What an operation has around it beside nodes and ranges is a set of atoms, as an enclosing name
/// is: the atoms of an op's name, and marks. A mark is an atom whose text no name contains.
/// Invalid: no expression needs it.
struct ContextMarks {
  AtomId beside;     // of all of them: this is no node or range
  AtomId op;         // of an enclosing op
  AtomId innermost;  // of the innermost of them, once more
  struct Arguments {
    CostClause fits;  // only its arguments
    AtomId mark;      // of an innermost op whose arguments they are
  };
  std::vector<Arguments> arguments;
  std::vector<std::pair<std::string, AtomId>> phases;  // by label
};

struct Program {
  Store<Atom, AtomTag> atoms;
  ContextMarks marks;
  Store<Expr, ExprTag> exprs;
  Store<Rule, RuleTag> rules;
  Store<Word, WordTag> words;  // the first two are `start_word` and `end_word`
  Store<OrderScope, OrderScopeTag> order_scopes;
  /// stage and substage first, then others by name, `kind` last.
  Store<Dimension, DimensionTag> dimensions;
  Store<Engine, EngineTag> engines;
  Store<Model, ModelTag> models;
  Store<CostClause, CostTag> costs;
  std::vector<CostId> root_costs;  // written in root files, used by a model or not
  std::vector<Test> tests;
  std::vector<NamedPattern> patterns;
  std::vector<SharedTable> shared_tables;
  std::vector<SharedOrderTable> shared_order_tables;

  std::optional<DimensionId> dimension(std::string_view name) const;
  std::optional<EngineId> engine(std::string_view name) const;
  std::optional<ModelId> model(EngineId engine, std::string_view name) const;
  /// `kind`, which every model has.
  DimensionId kind() const;
  /// `vllm/llama`.
  std::string title(ModelId model) const;
};

/// The expressions of order rules, with `ignore` and `continue`; some of them several times.
std::vector<ExprId> expressions_of(const Program& program, const OrderTable& table);

/// Calls `visit(expr)` for expressions and their parts, in the order written; once for parts that
/// patterns share. It returns whether to visit the operands.
template <class Visit>
void each_part(const Program& program, std::vector<ExprId> rest, const Visit& visit) {
  std::unordered_set<ExprId> seen;
  while (!rest.empty()) {
    const ExprId id = rest.back();
    rest.pop_back();
    if (!id.valid() || !seen.insert(id).second) continue;
    const Expr& expr = program.exprs.get(id);
    if (visit(expr)) rest.insert(rest.end(), expr.operands.rbegin(), expr.operands.rend());
  }
}

/// Whether an expression is of order rules: it names labels, `start` or `end`.
bool has_labels(const Program& program, ExprId expr);

}  // namespace kr::sema

// A rules file as written: declarations with their spans, and comments. Names are not resolved
// here; sema/ does that.
//
// Expressions are nodes in one arena, linked by id.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/operation_kind.hpp"
#include "base/version.hpp"
#include "source/source_map.hpp"

namespace kr::syntax {

/// A bare word or a quoted string, unescaped. A quoted text may contain any bytes.
struct Word {
  std::string text;
  source::Span span;  // with its quotes
  bool quoted = false;
};

/// `a.b.c`.
struct Path {
  std::vector<Word> parts;
  source::Span span;
  std::string text() const;  // joined by dots
};

/// One dimension of a shape.
struct ShapeDimension {
  enum class Kind : uint8_t { any, number, name };
  Kind kind = Kind::any;
  bool rest = false;  // `..`: the product of all leading dimensions; only the first can be this
  int64_t value = 0;  // number
  Word name = {};     // name
  source::Span span = {};
};

/// One argument of an op: in a clause, what fits it; in a test, what it is.
struct CostArgument {
  enum class Kind : uint8_t {
    any,     // _
    tensor,  // [M, K], in a test perhaps with its type
    number,  // 3
    word,    // true, false
    list,    // (1, 1)
  };
  Kind kind = Kind::any;
  std::vector<ShapeDimension> dimensions = {};  // tensor
  std::optional<Word> type = {};                // tensor
  std::vector<int64_t> values = {};             // number, list
  Word word = {};                               // word
  source::Span span = {};
};

struct ExprTag;
using ExprId = Id<ExprTag>;

enum class ExprKind : uint8_t {
  text,       // "…", with i, ^, $
  regex,      // /…/ and /…/i
  pattern,    // a name: grouped, c.collective
  operation,  // @kernel, @memcpy, @memset
  within,     // one operand
  within_op,  // one operand: only framework ops
  own,        // one operand: over the function's own name
  op,         // one operand: the innermost framework op, with `arguments`
  phase,      // labels: of phases
  otherwise,
  negation,     // one operand
  conjunction,  // two or more operands
  disjunction,  // two or more operands
};

struct Expr {
  ExprKind kind = ExprKind::otherwise;
  source::Span span = {};
  // text: the unescaped bytes. regex: the characters between the slashes, as written.
  std::string text = {};
  source::Span text_span = {};  // between the quotes or slashes
  bool ignore_case = false;
  bool at_begin = false;  // ^"…"
  bool at_end = false;    // "…"$
  bool word = false;      // word "…": bounded on both sides
  bool grouped = false;   // written in parentheses
  OperationKind operation = OperationKind::kernel;
  Path name = {};                            // pattern
  std::vector<CostArgument> arguments = {};  // op
  bool called = false;                       // op: it has a list of arguments
  std::vector<Word> labels = {};             // phase
  std::vector<ExprId> operands = {};
};

struct FormulaTag;
using FormulaId = Id<FormulaTag>;

enum class FormulaKind : uint8_t {
  number,  // value
  name,    // a dimension, a value of `with`, a number of a phase, `size`
  call,    // size(2), min(a, b), arg(3)
  index,   // arg(3)[0]: one operand, value
  add,     // two operands each
  subtract,
  multiply,
  divide,
};

/// A part of a formula of a cost.
struct Formula {
  FormulaKind kind = FormulaKind::number;
  source::Span span = {};
  std::string name = {};  // name, call
  int64_t value = 0;      // number, index
  std::vector<FormulaId> operands = {};
};

/// `requires kr >= 0.2`.
struct Requirement {
  source::Span span;
  Version version{};          // the least version of kr that reads the file
  source::Span version_span;  // without `>=`
};

enum class MetadataKind : uint8_t { author, since, link };

/// `author "…"`, `since "2026-11"`, `link "https://…"`: for readers; rules do not depend on it.
struct Metadata {
  MetadataKind kind = MetadataKind::author;
  Word text;
  source::Span span;
};

/// The lines of a `##` block, without the marks, joined by newlines.
using Doc = std::string;

/// One step of the chain of an order rule.
struct ChainStep {
  ExprId expr;
  source::Span span;       // with its brackets and quantifier
  char quantifier = '\0';  // `?`, `*`, `+`, or none
  source::Span quantifier_span;
  source::Span open;   // `[` before it, if there is one
  source::Span close;  // `]` after it
};

enum class RuleKind : uint8_t {
  rule,            // label: expr, or label: chain
  image,           // label: labels of another dimension
  refine,          // refine label { … }
  include,         // include a.table
  ignore,          // ignore expr: chains pass over it
  continues,       // continue expr: it takes the label of the operation before it
  otherwise_keep,  // otherwise keep
};

struct Rule {
  RuleKind kind = RuleKind::rule;
  source::Span span;
  Word label;  // rule, image, refine
  /// rule, ignore, continues; `otherwise` is an expression of kind otherwise. Invalid if there is a
  /// chain.
  ExprId expr;
  std::vector<ChainStep> chain;  // of an order rule
  Path table;                    // include
  std::vector<Word> images;      // image
  std::vector<Rule> refined;     // refine
  Doc doc;
};

/// A dimension block or `phases`.
struct Block {
  Word dimension;  // `phases` for a phases block
  std::optional<Word> over;
  std::optional<Word> from;
  std::vector<Rule> rules;
  source::Span span;
  Doc doc;
};

/// `topk = 4`.
struct CostValue {
  Word name;
  FormulaId formula;
};

struct CostAmount {
  bool unknown = false;  // `flops unknown`
  FormulaId formula;
};

/// A line of a `cost` block: a clause, or an `include`.
struct CostClause {
  source::Span span;
  bool include = false;
  Path table;           // include
  ExprId name;          // a lone text is anchored at both ends
  bool lone = false;    // the name is a lone text
  bool called = false;  // it has a list of arguments
  std::vector<CostArgument> arguments;
  std::vector<CostValue> values;
  std::optional<CostAmount> flops;
  std::optional<CostAmount> bytes;
  std::optional<Word> type;  // after `as`
  Doc doc;
};

struct CostBlock {
  source::Span span;
  std::optional<Word> name;  // exported by the module under this name
  source::Span keyword;      // `cost`
  std::vector<CostClause> clauses;
  Doc doc;
};

struct Use {
  source::Span span;
  Path module;               // use std.gemm; empty for a file
  std::optional<Word> file;  // use "./common.kr"
  std::optional<Word> alias;
};

struct Pattern {
  source::Span span;
  Word name;
  std::optional<Word> over;
  ExprId expr;
  Doc doc;
};

struct LabelDecl {
  source::Span span;
  Word label;
  std::optional<Word> title;
  std::optional<Word> color;
  Doc doc;
};

struct Labels {
  source::Span span;
  Word dimension;
  std::optional<Path> extends;
  std::vector<LabelDecl> labels;
  Doc doc;
};

struct Table {
  source::Span span;
  Word name;
  Word dimension;
  std::optional<Word> over;
  std::optional<Word> from;
  std::vector<Rule> rules;
  std::vector<Metadata> metadata;
  Doc doc;
};

/// A single word or string is a whole node name: `expr` is then its text anchored at both ends.
struct Fold {
  source::Span span;
  ExprId expr;
};

struct Abbreviation {
  source::Span span;
  Word from;
  Word to;
};

struct Detect {
  source::Span span;
  ExprId expr;
};

/// The items that engines and models share.
struct Body {
  std::vector<Block> dimensions;
  std::vector<Block> phases;
  std::vector<Fold> folds;
  std::vector<Abbreviation> abbreviations;
  std::vector<Detect> detects;
  std::vector<CostBlock> costs;
  std::vector<Metadata> metadata;
};

struct Model {
  source::Span span;
  Word name;
  std::optional<Word> title;
  std::optional<Path> extends;
  Body body;
  Doc doc;
};

struct Engine {
  source::Span span;
  Word name;
  std::optional<Word> title;
  Body body;
  std::vector<Model> models;
  Doc doc;
};

struct Expectation {
  Word dimension;
  Word label;
};

struct TestCase {
  source::Span span;
  std::optional<OperationKind> kind;
  Word name;
  std::vector<Word> within;
  std::optional<Word> phase;
  std::optional<Word> op;  // the innermost around it
  std::vector<CostArgument> op_arguments;
  std::vector<Expectation> expected;
  /// Of a test of a cost.
  struct Call {
    std::vector<CostArgument> arguments;
    std::optional<Word> type;  // of all tensors without their own
    std::vector<CostValue> values;
  };
  std::optional<Call> call;
  std::vector<TestCase> later;  // the operations after it, of a test of order rules
};

struct Test {
  source::Span span;
  Word engine;
  std::optional<Word> model;  // none: every model of the engine
  std::vector<TestCase> cases;
};

struct Comment {
  source::Span span;  // from the `#` to the end of its line
  bool doc = false;   // `##`
};

struct File {
  source::FileId file;
  Doc doc;
  /// It requires a later kr, which was reported; nothing else of it was read.
  bool too_new = false;
  /// Where text was skipped after a mistake: names that occur there may have been declared there.
  std::vector<source::Span> skipped;
  /// A declaration lacks its name, so any unknown name may be meant for it.
  bool nameless = false;
  std::vector<Requirement> requirements;
  std::vector<Metadata> metadata;
  std::vector<Use> uses;
  std::vector<Pattern> patterns;
  std::vector<Labels> labels;
  std::vector<Table> tables;
  std::vector<CostBlock> costs;
  std::vector<Engine> engines;
  std::vector<Test> tests;
  Store<Expr, ExprTag> exprs;
  Store<Formula, FormulaTag> formulas;
  std::vector<Comment> comments;  // in the order of the text
};

/// Calls `visit(operation)` for a line of a test, of each of its operations.
template <class Visit>
void each_operation(const TestCase& line, const Visit& visit) {
  visit(line);
  for (const TestCase& later : line.later) visit(later);
}

/// Calls `visit(body)` for every engine and model.
template <class Visit>
void each_body(const File& file, Visit visit) {
  for (const Engine& engine : file.engines) {
    visit(engine.body);
    for (const Model& model : engine.models) visit(model.body);
  }
}

/// Calls `visit(rules)` for the rules of every table, block and `refine`.
template <class Visit>
void each_rule_list(const File& file, Visit visit) {
  const auto visit_all = [&visit](const std::vector<Rule>& rules) {
    visit(rules);
    for (const Rule& rule : rules) {
      if (rule.kind == RuleKind::refine) visit(rule.refined);
    }
  };
  for (const Table& table : file.tables) visit_all(table.rules);
  each_body(file, [&](const Body& body) {
    for (const Block& block : body.dimensions) visit_all(block.rules);
    for (const Block& block : body.phases) visit_all(block.rules);
  });
}

/// Calls `visit(block)` for every `cost` block.
template <class Visit>
void each_cost_block(const File& file, Visit visit) {
  for (const CostBlock& block : file.costs) visit(block);
  each_body(file, [&](const Body& body) {
    for (const CostBlock& block : body.costs) visit(block);
  });
}

}  // namespace kr::syntax

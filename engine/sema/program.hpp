// What a set of rules files means: names settled, inheritance done, every dimension of every
// model an ordered table. Immutable after sema; everything later reads it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/operation_kind.hpp"
#include "regex/regex.hpp"
#include "source/source_map.hpp"

namespace kr::sema {

struct AtomTag;
struct ExprTag;
struct RuleTag;
struct DimensionTag;
struct EngineTag;
struct ModelTag;
using AtomId = Id<AtomTag>;
using ExprId = Id<ExprTag>;
using RuleId = Id<RuleTag>;
using DimensionId = Id<DimensionTag>;
using EngineId = Id<EngineTag>;
using ModelId = Id<ModelTag>;

/// Reserved labels: no rule may give them.
namespace reserved {
inline constexpr std::string_view unclassified = "unclassified";
inline constexpr std::string_view others = "others";
inline constexpr std::string_view self = "(self)";
inline constexpr std::string_view non_gpu = "CPU(non-GPU)";
}  // namespace reserved

/// The dimensions that all shipped rulesets have, beside `kind`.
inline constexpr std::array<std::string_view, 2> usual_dimensions{"stage", "substage"};

/// A text or regular expression looked for in names. Equal ones are one atom: those with the same
/// `hyperscan` and the same named groups.
struct Atom {
  regex::Regex regex;
  std::string hyperscan;  // to_hyperscan(regex)
  std::string source;     // as first written: `"gemm"i`, `/a.b/`
  source::Span span;      // of the first place
};

/// No expression is nested deeper, however long the chain of patterns it is made of: whoever walks
/// one may recurse.
inline constexpr uint32_t max_expr_depth = 2000;

enum class ExprOp : uint8_t {
  atom,
  operation,    // @kernel, @memcpy, @memset
  within,       // one operand: holds for the name of at least one enclosing node or range
  negation,     // one operand
  conjunction,  // two or more
  disjunction,  // two or more
};

/// A named pattern's expression stands once and is shared by all that use it.
struct Expr {
  ExprOp op = ExprOp::atom;
  AtomId atom;
  OperationKind operation = OperationKind::kernel;
  std::vector<ExprId> operands;
  /// Where each operand stands in this expression: that of a named pattern where it is named, not
  /// where it is declared. Empty where nobody wrote it down (`detect` of an engine's models).
  std::vector<source::Span> places;
  source::Span span;
};

/// One rule as written. Rules are shared by the tables they are inherited or included into.
struct Rule {
  DimensionId dimension;  // invalid for a rule of `phases`
  std::string label;      // empty where `keep`
  ExprId expr;            // invalid for `otherwise`, which has none
  bool otherwise = false;
  bool keep = false;  // otherwise keep: what is left keeps its own name
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

/// The effective rules of one dimension for one model, in the order they are tried.
struct Table {
  DimensionId dimension;
  std::vector<RuleId> rules;        // without `otherwise`
  std::optional<RuleId> otherwise;  // tried last
  /// The labels rules may give, in the order declared, nearest declaration first; empty: open.
  std::vector<Label> vocabulary;
  bool closed = false;  // there is a vocabulary

  /// Null where the vocabulary does not have it.
  const Label* find(std::string_view label) const;
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
  std::string name;  // `default`: the engine's own blocks alone
  std::string title;
  std::string doc;
  std::optional<ModelId> base;  // none, too, where the base's file is only used
  std::vector<Table> tables;    // in the order of Program::dimensions; absent ones left out
  std::vector<RuleId> phases;   // an `otherwise`, if there is one, stands last
  std::vector<Fold> folds;
  std::vector<Abbreviation> abbreviations;
  ExprId detect;      // invalid: never detected
  source::Span span;  // invalid for `default`

  /// Null where the dimension is absent.
  const Table* table(DimensionId dimension) const;
};

struct Engine {
  std::string name;
  std::string title;
  std::string doc;
  std::vector<ModelId> models;  // `default` first
  ExprId detect;                // its own; invalid where it has none
  source::Span span;
};

/// A named pattern of a root file, used or not. Here for those who check the rules.
struct NamedPattern {
  std::string name;
  ExprId expr;        // invalid where it could not be resolved
  source::Span span;  // of its name
};

/// A `table` of a root file, what it includes put in. Here for those who check the rules.
struct SharedTable {
  std::string name;
  std::string dimension;
  std::vector<RuleId> rules;  // without `otherwise`
  std::optional<RuleId> otherwise;
  source::Span span;  // of its name
};

struct Expectation {
  DimensionId dimension;
  std::string label;
  source::Span span;
};

struct Test {
  std::vector<ModelId> models;  // all of the engine's where none is named
  std::optional<OperationKind> kind;
  std::string name;
  std::vector<std::string> within;
  std::vector<Expectation> expected;
  source::Span span;
};

struct Program {
  Store<Atom, AtomTag> atoms;
  Store<Expr, ExprTag> exprs;
  Store<Rule, RuleTag> rules;
  /// stage and substage first, then others by name, `kind` last.
  Store<Dimension, DimensionTag> dimensions;
  Store<Engine, EngineTag> engines;
  Store<Model, ModelTag> models;
  std::vector<Test> tests;
  std::vector<NamedPattern> patterns;
  std::vector<SharedTable> shared_tables;

  std::optional<DimensionId> dimension(std::string_view name) const;
  std::optional<EngineId> engine(std::string_view name) const;
  std::optional<ModelId> model(EngineId engine, std::string_view name) const;
  /// `kind`, which every model has.
  DimensionId kind() const;
  /// `vllm/llama`.
  std::string title(ModelId model) const;
};

}  // namespace kr::sema

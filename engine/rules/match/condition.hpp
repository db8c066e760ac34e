// An expression over matched atoms, prepared for evaluation on many subjects.
//
// Values are those of Kleene's logic: true, false, and unknown if the value depends on a kind or
// context that is not known. A part that patterns share exists once, so evaluation is linear in the
// size of the written rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/scanner.hpp"

namespace kr::match {

/// An operation as rules see it, after scanning.
struct Subject {
  const AtomSet* name = nullptr;
  OperationKind kind = OperationKind::kernel;
  /// The names of the enclosing nodes and ranges, each scanned separately, and what else is around
  /// it (sema::ContextMarks).
  std::span<const AtomSet> within = {};
  /// Of order rules: its label in the dimension that they look at, if they name it; or a place
  /// before or after all operations, which no other expression matches.
  sema::WordId word = {};
};

/// A subject with unknown properties.
struct OpenSubject {
  const AtomSet* name = nullptr;
  std::optional<OperationKind> kind;
  /// None: any context is possible. Empty: no context.
  std::optional<std::span<const AtomSet>> within;
  /// Each name of `within` is only possible, not certain.
  bool perhaps_within = false;
  /// None: not known.
  std::optional<sema::WordId> word = sema::WordId{};

  bool is_edge() const { return word == sema::start_word || word == sema::end_word; }
};

enum class Truth : uint8_t { no, unknown, yes };

class Condition {
 public:
  Condition(const sema::Program& program, sema::ExprId expr);

  /// An enclosing node is not an operation, and its own context is not known: inside `within`,
  /// `@kernel` and the other types, and a further `within`, are false.
  Truth evaluate(const OpenSubject& subject) const;
  bool holds(const Subject& subject) const;
  bool uses_within() const noexcept { return !enclosing_.empty(); }
  /// The atoms if the expression is only atoms joined by `|`; otherwise none.
  std::optional<std::vector<sema::AtomId>> plain_atoms() const;

 private:
  enum class Place : uint8_t { subject, enclosing };
  struct Step {
    sema::ExprOp op = sema::ExprOp::atom;
    OperationKind operation = OperationKind::kernel;
    uint32_t what = 0;  // atom or label: its index; within, op, phase: index into enclosing_
    uint32_t begin = 0;
    uint32_t end = 0;  // operands are operands_[begin, end)
    uint32_t atoms_begin = 0;
    uint32_t atoms_end = 0;  // atoms of a disjunction: masks_[atoms_begin, atoms_end)
  };
  /// Atoms of one word of an AtomSet, which are tested at once.
  struct Mask {
    uint32_t word;
    uint64_t atoms;
  };
  class Builder;
  explicit Condition(Place place) : place_(place) {}

  void run(const OpenSubject& subject, std::span<Truth> values) const;
  Truth value(const Step& step, const OpenSubject& subject, std::span<const Truth> values) const;
  Truth within(uint32_t number, const OpenSubject& subject) const;

  Place place_ = Place::subject;
  std::vector<Step> steps_;  // operands before their users; the last is the whole expression
  std::vector<uint32_t> operands_;
  std::vector<Mask> masks_;
  std::vector<Condition> enclosing_;  // the operands of `within`, `op` and `phase`
  std::vector<sema::AtomId> marks_;   // beside enclosing_; invalid: of `within`
  sema::AtomId beside_;               // the mark of what is no node or range
};

}  // namespace kr::match

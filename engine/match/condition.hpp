// An expression over matched atoms, made ready to be asked of many subjects.
//
// Values are those of Kleene's logic: true, false, and unknown for what depends on a kind or a
// context that is not given. A part that patterns share stands once, so that asking takes time in
// the size of what was written, however often it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/scanner.hpp"

namespace kr::match {

/// What rules look at, after scanning.
struct Subject {
  const AtomSet* name = nullptr;
  OperationKind kind = OperationKind::kernel;
  /// The names of the enclosing nodes and ranges, each scanned for itself.
  std::span<const AtomSet> within = {};
};

/// A subject of which not all is known.
struct OpenSubject {
  const AtomSet* name = nullptr;
  std::optional<OperationKind> kind;
  /// None: any context is possible. Empty: there is none.
  std::optional<std::span<const AtomSet>> within;
  /// Of `within`, each may be there or not.
  bool perhaps_within = false;
};

enum class Truth : uint8_t { no, unknown, yes };

class Condition {
 public:
  Condition(const sema::Program& program, sema::ExprId expr);

  /// An enclosing node is no operation and has nothing round it: inside `within`, `@kernel` and its
  /// like and a further `within` do not hold.
  Truth ask(const OpenSubject& subject) const;
  bool holds(const Subject& subject) const;
  bool looks_within() const noexcept { return !enclosing_.empty(); }
  /// The atoms, where it is nothing but atoms joined by `|`; else none.
  std::optional<std::vector<sema::AtomId>> plain_atoms() const;

 private:
  enum class Place : uint8_t { subject, enclosing };
  struct Step {
    sema::ExprOp op = sema::ExprOp::atom;
    OperationKind operation = OperationKind::kernel;
    uint32_t what = 0;  // atom: its index; within: index into enclosing_
    uint32_t begin = 0;
    uint32_t end = 0;  // operands are operands_[begin, end)
    uint32_t atoms_begin = 0;
    uint32_t atoms_end = 0;  // atoms of a disjunction: masks_[atoms_begin, atoms_end)
  };
  /// Atoms of one word of an AtomSet: looked for all at once.
  struct Mask {
    uint32_t word;
    uint64_t atoms;
  };
  class Builder;
  explicit Condition(Place place) : place_(place) {}

  void run(const OpenSubject& subject, std::span<Truth> values) const;
  Truth value(const Step& step, const OpenSubject& subject, std::span<const Truth> values) const;
  Truth within(const Condition& condition, const OpenSubject& subject) const;

  Place place_ = Place::subject;
  std::vector<Step> steps_;  // operands before what uses them; the last is the whole
  std::vector<uint32_t> operands_;
  std::vector<Mask> masks_;
  std::vector<Condition> enclosing_;  // the operands of `within`
};

}  // namespace kr::match

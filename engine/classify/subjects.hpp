// The distinct subjects of a trace: its names, each as often as something else is round it, as far
// as the rules that may be asked look at that. Every name is scanned once, whoever asks afterwards
// (detection, then every dimension of the chosen model).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "classify/enclosing_context.hpp"
#include "classify/matched_names.hpp"
#include "match/condition.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

struct ChooseOptions {
  std::string engine;  // empty: detect
  std::string model;   // empty: detect
  /// The user named rules: their only engine is taken where none is detected, before `generic`.
  bool rules_given = false;
};

/// What detects the engine and model of a run; nothing where both are named.
std::vector<sema::ExprId> detection(const sema::Program& program, const ChooseOptions& options);
/// That, and the rules of every model that may be chosen.
std::vector<sema::ExprId> possible_expressions(const sema::Program& program,
                                               const ChooseOptions& options);

/// For the rules of one run. Memory: where they look within, 4 bytes an operation, and while it is
/// made 8 more; 4 bytes a subject.
class TraceSubjects {
 public:
  /// What is round operations is known where the trace has a host side. All that is given has to
  /// outlive it.
  TraceSubjects(const sema::Program& program,
                const std::shared_ptr<const match::Database>& database, const trace::Trace& trace,
                const ChooseOptions& options);

  const trace::Trace& trace() const noexcept { return *trace_; }
  const sema::Program& program() const noexcept { return *program_; }

  size_t size() const noexcept { return placed() ? pairs_.size() : trace_->names.size(); }
  trace::NameId name(uint32_t subject) const {
    return placed() ? pairs_[subject].name : trace::NameId{subject};
  }
  /// By operation; empty: every name is one subject, its NameId.
  const std::vector<uint32_t>& of_operation() const noexcept { return of_operation_; }
  uint32_t of(size_t operation) const {
    return of_operation_.empty() ? trace_->operations[operation].name.index
                                 : of_operation_[operation];
  }

  /// Subjects that no rule can tell apart are alike: few, however many names there are.
  size_t alike() const noexcept { return first_alike_.size(); }
  uint32_t alike(uint32_t subject) const { return alike_[subject]; }

  /// Calls `tell(alike, subject)` with one of each.
  template <class Tell>
  void each_alike(const Tell& tell) const {
    match::AtomSet name(program_->atoms.size());
    std::vector<match::AtomSet> within;
    for (uint32_t i = 0; i < alike(); ++i) {
      const uint32_t first = first_alike_[i];
      const trace::NameId id = this->name(first);
      matched_.fill(id, name);
      if (placed()) contexts_.fill(pairs_[first].around, within);
      tell(i, match::Subject{.name = &name, .kind = trace_->names.get(id).kind, .within = within});
    }
  }

 private:
  bool placed() const noexcept { return !of_operation_.empty(); }
  void place(const std::shared_ptr<const match::Database>& database);
  void find_alike();

  const sema::Program* program_;
  const trace::Trace* trace_;
  MatchedNames matched_;
  EnclosingContexts contexts_;
  PlacedNames pairs_;
  std::vector<uint32_t> of_operation_;
  std::vector<uint32_t> alike_;        // by subject
  std::vector<uint32_t> first_alike_;  // the first subject of each
};

}  // namespace kr::classify

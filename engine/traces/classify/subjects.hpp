// The distinct subjects of a trace: pairs of a name and an enclosing context, as the rules
// distinguish contexts. Every name is scanned once, for detection and for all dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "classify/enclosing_context.hpp"
#include "match/condition.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

struct ChooseOptions {
  std::string engine;  // empty: detect
  std::string model;   // empty: detect
  /// The user gave rules: if no engine is detected, their only engine is used, before `generic`.
  bool rules_given = false;
};

/// The `detect` of an engine and of its models, of those that have one.
std::vector<sema::ExprId> detects_of(const sema::Program& program, const sema::Engine& engine);
/// The expressions that detect the engine and model of a run; none if both are named.
std::vector<sema::ExprId> detection(const sema::Program& program, const ChooseOptions& options);
/// Whether names of modules may decide which model a run has: it is not named, and an engine that
/// may be chosen has a model with a `detect`.
bool modules_may_name_model(const sema::Program& program, const ChooseOptions& options);
/// These, and the rules of every model that may be chosen.
std::vector<sema::ExprId> possible_expressions(const sema::Program& program,
                                               const ChooseOptions& options);

/// For the rules of one run. Memory: 4 bytes per subject; if rules use `within` and operations
/// differ in what encloses them, also 4 bytes per operation, and 8 more during construction.
class TraceSubjects {
 public:
  /// Contexts are known if the trace has a host trace; phases in them if `options` name the engine
  /// and the model. All arguments must outlive this.
  TraceSubjects(const sema::Program& program,
                const std::shared_ptr<const match::Database>& database, const trace::Trace& trace,
                const ChooseOptions& options);

  const trace::Trace& trace() const noexcept { return *trace_; }
  const sema::Program& program() const noexcept { return *program_; }

  size_t size() const noexcept { return has_contexts() ? pairs_.size() : trace_->names.size(); }
  trace::NameId name(uint32_t subject) const {
    return has_contexts() ? pairs_[subject].name : trace::NameId{subject};
  }
  /// By operation; empty: every name is one subject, with the number of its NameId.
  const std::vector<uint32_t>& of_operation() const noexcept { return of_operation_; }
  uint32_t of(size_t operation) const {
    return of_operation_.empty() ? trace_->operations[operation].name.index
                                 : of_operation_[operation];
  }

  /// Subjects that no rule can distinguish are one class. Classes are few, even for many names.
  size_t classes() const noexcept { return first_of_class_.size(); }
  uint32_t class_of(uint32_t subject) const { return class_of_[subject]; }

  /// Calls `call(class, subject)` with one subject of each class.
  template <class Call>
  void each_class(const Call& call) const {
    std::vector<match::AtomSet> within;
    for (uint32_t i = 0; i < classes(); ++i) {
      const uint32_t first = first_of_class_[i];
      const trace::NameId id = this->name(first);
      contexts_.fill(context_of(first), within);
      call(i,
           match::Subject{
               .name = &matched_.atoms(id), .kind = trace_->names.get(id).kind, .within = within});
    }
  }

 private:
  bool has_contexts() const noexcept { return !of_operation_.empty(); }
  uint32_t context_of(uint32_t subject) const {
    return has_contexts() ? pairs_[subject].context : context_of_all_;
  }
  void find_contexts(const std::shared_ptr<const match::Database>& database,
                     const ChooseOptions& options);
  void find_classes();

  const sema::Program* program_;
  const trace::Trace* trace_;
  MatchedNames matched_;
  EnclosingContexts contexts_;
  NamesInContext pairs_;
  uint32_t context_of_all_ = EnclosingContexts::none;  // unless operations differ
  std::vector<uint32_t> of_operation_;
  std::vector<uint32_t> class_of_;        // by subject
  std::vector<uint32_t> first_of_class_;  // the first subject of each class
};

}  // namespace kr::classify

// Labels of the nodes of module trees. The nodes above a node are its enclosing context (`within`).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// The paths of a ModuleTrace, with the atoms that match their names or classes. Refers to the
/// Program and the trace.
class MatchedPaths {
 public:
  MatchedPaths(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
               const trace::ModuleTrace& trace);

  /// The engine and model that `options` name, or those detected by the names of leaves, their
  /// contexts, and the model text. `leaf_ns` is the time of leaves by path.
  classify::Choice choose(const std::shared_ptr<const match::Database>& database,
                          const std::vector<int64_t>& leaf_ns,
                          const classify::ChooseOptions& options) const;
  /// The label of each path in a dimension.
  std::vector<classify::LabelResult> labels(const sema::Table& table) const;
  /// By path: whether any of the folds matches, or the name is one of `names`, with `stems` also
  /// without its number.
  std::vector<bool> folded(const std::vector<sema::Fold>& folds,
                           const std::vector<std::string>& names, bool stems) const;

  const trace::ModuleTrace& trace() const noexcept { return *trace_; }

 private:
  /// The name and context of each path, as rules distinguish them.
  struct Subjects {
    classify::EnclosingContexts contexts;
    classify::NamesInContext pairs;
    std::vector<uint32_t> of_path;
  };
  /// As `exprs` distinguish them.
  Subjects subjects(const std::vector<sema::ExprId>& exprs) const;
  /// Calls `call(number, subject)` for each, in ascending order.
  template <class Call>
  void each(const Subjects& subjects, const Call& call) const;

  const sema::Program* program_;
  const trace::ModuleTrace* trace_;
  /// Its atoms, in `sets_`.
  uint32_t set_of(trace::PathId path) const {
    return set_of_path_.empty() ? trace_->paths.name(path).index : set_of_path_[path.index];
  }
  trace::NameId name_of(uint32_t set) const {
    const size_t names = trace_->names.size();
    return set < names ? trace::NameId{set} : names_[set - names];
  }

  std::vector<match::AtomSet> sets_;   // by name, then of names with classes
  std::vector<trace::NameId> names_;   // of the sets behind those of names alone
  std::vector<uint32_t> set_of_path_;  // empty: no path has a class
};

/// A module trace with the labels of its steps by the model's `phases`.
struct LabelledModules {
  trace::ModuleTrace trace;
  classify::Choice choice;
  /// By step. If no rule matches, the label is the step's key without its number, owned by `trace`;
  /// of a key that is a path (`step_1 > replay`), without those of all parts.
  std::vector<classify::Phase> phases;
  std::deque<std::string> path_phases;  // owns those labels
  /// By step, of trees made from operations: its number among all steps of the run, with those
  /// inside others. Empty: they are in order.
  std::vector<size_t> step_ids;
  /// By step, of trees made from operations: its wall time (classify/step_order.hpp), nothing of
  /// the last step. Empty: a profile without times of its own.
  std::vector<std::optional<int64_t>> wall_ns;
  /// Of trees made from operations: how the time of all operations was attributed.
  std::optional<classify::AttributionSums> attribution;
  std::vector<classify::LayerEvidence> layer_evidence;  // of the same
  /// Of trees made from operations: their labels are those of this dimension (see modules_of).
  std::optional<sema::DimensionId> order_dimension;

  size_t step_id(size_t step) const noexcept { return step_ids.empty() ? step : step_ids[step]; }
};

/// Labels from neighbours, for trees of the operations that have them.
struct OperationLabels {
  std::string_view dimension = {};               // its name
  const classify::Labelled* labelled = nullptr;  // null: none
  const classify::DimensionLabels* of = nullptr;
};

/// Matches the names, chooses the model, reads the phases. Throws Error.
std::unique_ptr<LabelledModules> label_modules(const match::CompiledRules& rules,
                                               const classify::RunSpec& spec,
                                               trace::ModuleTrace trace);

/// The operations of a trace as module trees: one forest per step that is in no other one, with
/// kernels below the modules that enclose their launches. A step's key is its annotation.
/// Operations outside steps come last, as `(outside steps)`; without any steps, the whole trace is
/// one step `trace`. Operations of one name under one module are one leaf, with its instances as
/// invocations. The invocations of a module are its calls that launched something. If the kernels
/// of a graph launch repeat, they are in nodes `layer 0`, `layer 1`, …. Operations without a known
/// launch are roots.
///
/// With `labels`, operations of one name under one module may have different labels. There is one
/// more node above them, for each label: `part/o_proj`, with its operations as invocations.
trace::ModuleTrace modules_of(const trace::Trace& trace, const classify::Attribution& attribution,
                              const OperationLabels& labels = {});

/// The label of an operation in such a tree; empty: it has no node of its label above it.
/// `dimension`: its name.
std::string_view label_of_operation(const trace::ModuleTrace& trace, trace::PathId operation,
                                    std::string_view dimension);

}  // namespace kr::trees

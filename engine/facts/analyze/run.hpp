// From a run's file to its labels and sums: open, match, choose, label, sum.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "align/replays.hpp"
#include "analyze/summary.hpp"
#include "classify/attribution.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "trace/open.hpp"
#include "trees/view.hpp"

namespace kr::analyze {

/// A trace with its labels, for outputs that list operations.
struct LabelledTrace {
  trace::Trace trace;
  classify::Choice choice;
  classify::Labelled labelled;                // refers to `trace`
  std::vector<align::GraphAlignment> graphs;  // of LabelWants::references

  /// The steps, modules and layers of operations. The first call computes it, of any thread.
  const classify::Attribution& attribution(const match::CompiledRules& rules) const;

 private:
  struct Attributed {
    std::once_flag once;
    classify::Attribution attribution;
  };
  std::unique_ptr<Attributed> attributed_ = std::make_unique<Attributed>();
};

/// The labels of a trace's operations by row (see Labelled), and the rules that gave them. Refers
/// to the rules and the labels.
class TraceLabels {
 public:
  TraceLabels(const match::CompiledRules& rules, const classify::Labelled& labelled);

  /// Those of the model, in the Program's order.
  const std::vector<std::pair<std::string, const classify::DimensionLabels*>>& dimensions() const {
    return dimensions_;
  }
  /// Null if the model does not have the dimension.
  const classify::LabelResult* find(std::string_view dimension, uint32_t row) const;
  /// `file:line`, or `built-in`; empty: unclassified.
  std::string rule(const classify::LabelResult& result) const;

 private:
  const match::CompiledRules& rules_;
  std::vector<std::pair<std::string, const classify::DimensionLabels*>> dimensions_;
};

/// One of the two, depending on the file.
struct LabelledOrModules {
  std::vector<std::unique_ptr<LabelledTrace>> labelled;  // one per process of a merged trace
  std::optional<trace::ModuleTrace> modules;
};

/// Why a run has no launches, calls and idle causes.
inline constexpr std::string_view no_launches =
    "no trace contains the calls that launched its operations";

/// What of a run is wanted beside what trace::OpenOptions say.
struct LabelWants {
  bool or_modules = false;  // module trees, if the file contains them
  /// Without a host trace, at least Trace::range_names, which are kept.
  bool range_names = false;
  /// What kernels of graphs are compared with; null: nothing. The host trace is read for it.
  align::References* references = nullptr;
  /// Labels from neighbours, of runs of at most so many operations; others have a note.
  bool ordered = false;
  size_t max_ordered = SIZE_MAX;
};

/// Opens, matches, chooses, labels; module trees are only opened. If possible rules use `within`,
/// the names of ranges are read with the operations. Only if such a name may change the result, the
/// trace is read a second time, with its host trace, which is kept if `options` want it: of others
/// the names of its ranges are, if they are wanted. The result is the same as with the host trace.
/// With OpenOptions::window, runs are reduced to what is inside, and a note of each says what that
/// is: everything that follows is as if the file contained only that. Throws Error.
LabelledOrModules label_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                            trace::OpenOptions options, const LabelWants& wants);

/// Whether the name of a range, in the host trace or in Trace::range_names, is of a phase of the
/// model: the run may have annotated steps.
bool names_phases(const match::CompiledRules& rules, const LabelledTrace& run);

/// The module trees that enclose its operations (see modules_of), labelled. `order_dimension`: with
/// labels from neighbours of this dimension. Throws Error.
std::unique_ptr<trees::LabelledModules> modules_of_run(
    const match::CompiledRules& rules, const classify::RunSpec& spec, const LabelledTrace& run,
    std::optional<sema::DimensionId> order_dimension = {});

/// Sums the result of `label_run`. `index` is the run's place in the command, from 0; it makes ids
/// unique. Throws Error if a sum overflows.
RunSummary summarize_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                         size_t index, const LabelledTrace& run);

/// `MODEL_ENGINE_STEM_INDEX`: the id of a run in every output.
std::string run_id(const sema::Program& program, sema::ModelId model, const std::string& path,
                   size_t index);

}  // namespace kr::analyze

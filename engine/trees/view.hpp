// Module trees as they are shown: cut at a level, named, labelled, the largest kept and the rest
// put together, step by step. What text, tables, pictures and pages are all made from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "trees/level.hpp"

namespace kr::trees {

/// What a run is called, for outputs that name it.
struct TreeRun {
  std::string id;
  std::string engine;
  std::string model;
};

struct ViewOptions {
  Level level{};
  std::string dimension = "substage";  // labels are of it
  /// Entries are labels rather than nodes.
  bool by_label = false;
  std::vector<std::string> folds{};  // node names, beside the ruleset's folds
  bool ruleset_folds = true;
  std::string phase{};            // only steps of this phase; empty: all
  std::optional<int64_t> step{};  // only steps of this number
  uint64_t step_interval = 1;     // every so many steps of a phase, the last always among them
  uint64_t top_k = 0;             // so many entries, and `others`; 0: all
  bool unique_names = false;      // an entry a path, named by unique_names; else an entry a name
  bool abbreviate = false;        // by the ruleset's abbreviations
  size_t width = 0;               // of names, in characters; 0: no limit
  /// As vLLM's own plotting: its cut, and top_k - 1 entries a step, each step for itself.
  bool compat = false;
};

/// A module trace with what its engine and model say of it.
struct LabelledModules {
  trace::ModuleTrace trace;
  classify::Choice choice;
  std::vector<std::string> phases;  // by step; where no rule holds the key without its number
  std::vector<std::optional<int64_t>> step_numbers;
  std::vector<std::optional<int64_t>> layers;
  std::vector<std::optional<int64_t>> batches;  // requests
  std::vector<std::optional<int64_t>> tokens;
  /// Of trees made from operations: how the time of all of them was placed.
  std::optional<classify::AttributionSums> attribution;
  std::vector<classify::LayerEvidence> layer_evidence;  // of the same
};

/// What is shown under one name: a colour of a picture, a line of a legend.
struct ViewEntry {
  std::string name;       // as shown
  std::string label;      // of the dimension; empty: none, or nodes of several share the name
  int64_t total_ns = 0;   // in all steps shown
  uint64_t nodes = 0;     // shown nodes, over all steps
  bool is_label = false;  // the name is a label of the dimension, not a node's name
  bool others = false;    // what is no longer among the first top_k
};

struct ViewRow {
  uint32_t entry = 0;
  trace::PathId path;  // invalid: several nodes
  uint32_t node = 0;   // its place in the step's forest; of several nodes, the first
  uint64_t nodes = 1;  // put together
  int64_t invocations = 0;
  int64_t total_ns = 0;
};

struct ViewStep {
  size_t index = 0;  // into the trace's steps
  std::string key;
  std::string phase;
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> running_seqs;  // as the profile counts them
  std::optional<int64_t> batch;         // as the step's text tells them: requests and their tokens
  std::optional<int64_t> tokens;
  int64_t total_ns = 0;  // of the whole step, whatever is shown
};

class TreeView {
 public:
  /// `rules` and `modules` have to outlive it. Throws Error where there is no such dimension, phase
  /// or step.
  TreeView(const match::CompiledRules& rules, const LabelledModules& modules,
           const ViewOptions& options);
  ~TreeView();
  TreeView(TreeView&&) noexcept;

  const trace::ModuleTrace& trace() const noexcept;
  const LabelledModules& modules() const noexcept;
  const ViewOptions& options() const noexcept;
  const std::vector<ViewStep>& steps() const noexcept;
  /// By time falling, then by name; `others` last.
  const std::vector<ViewEntry>& entries() const noexcept;

  /// What is shown of a step, in the order of its forest, `others` last; with `by_label` a row an
  /// entry. Both are overwritten; `nodes` is the step's whole forest. The rows add up to the step's
  /// total, but for compat.
  void rows(size_t step, std::vector<trace::ModuleNode>& nodes, std::vector<ViewRow>& rows) const;
  /// The same with every node by itself, those that belong to `others` too.
  void rows_apart(size_t step, std::vector<trace::ModuleNode>& nodes,
                  std::vector<ViewRow>& rows) const;
  /// A node's label in the dimension; one that no rule labels keeps its name.
  std::string_view label(trace::PathId path) const;
  /// Whether a rule gave it: not its name for want of one.
  bool labelled(trace::PathId path) const;
  /// The number of the layer a row stands for or in: that of a numbered node at level `layer`, else
  /// the step's.
  std::optional<int64_t> layer(size_t step, const ViewRow& row) const;

  /// Over the steps shown: time that compat drops; 0 without it.
  int64_t lost_ns() const noexcept;
  /// Level `layer` was asked for and at least one step has no layers.
  bool without_layers() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How the time of kernels was placed. In trees made from operations: of all of them. Otherwise of
/// the steps shown, in modules or at the root.
classify::AttributionSums attribution_of(const TreeView& view);

/// Matches, chooses, reads the phases. Throws Error.
std::unique_ptr<LabelledModules> label_modules(const match::CompiledRules& rules,
                                               const classify::RunSpec& spec,
                                               trace::ModuleTrace trace);

}  // namespace kr::trees

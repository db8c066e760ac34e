// A view of module trees, for text, tables, pictures and pages: cut at a level, named, labelled,
// with the largest entries of each step and the rest together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trees/labels.hpp"
#include "trees/level.hpp"
#include "trees/merge.hpp"

namespace kr::trees {

/// The metrics of a node.
enum class Metric : uint8_t { cuda_time_ms, pct_cuda_time, invocations };

inline constexpr std::array<std::string_view, 3> metric_names{"cuda_time_ms", "pct_cuda_time",
                                                              "invocations"};

inline std::string_view to_string(Metric metric) {
  return metric_names[static_cast<size_t>(metric)];
}

/// The names of a run in outputs.
struct TreeRun {
  std::string id;
  std::string engine;
  std::string model;
};

struct ViewOptions {
  Level level{};
  std::string dimension = "substage";  // of the labels
  /// Entries are labels rather than nodes.
  bool by_label = false;
  std::vector<std::string> folds{};  // node names, in addition to the ruleset's folds
  bool ruleset_folds = true;
  std::string phase{};            // only steps of this phase; empty: all
  std::optional<int64_t> step{};  // only steps of this number
  uint64_t step_interval = 1;     // every n-th step of a phase, and always the last
  bool merge_siblings = false;    // siblings of one kind are one node (see TreeMerger)
  bool by_phase = false;          // one tree per phase, of all its steps, is shown
  uint64_t top_k = 0;             // the number of entries besides `others`; 0: all
  /// More than top_k entries, if otherwise `others` were more than a fifth of a tree and more than
  /// an entry of it.
  bool limit_others = false;
  bool unique_names = false;  // one entry per path (see unique_names), else per name
  bool abbreviate = false;    // by the ruleset's abbreviations
  bool short_names = false;   // as people read them, see table/names.hpp; not cut
  size_t width = 0;           // of names, in characters; 0: no limit
  /// As vLLM's own plotting: its cut, and top_k - 1 entries, chosen for each step separately.
  bool compat = false;
};

/// The nodes that are shown under one name: one colour in a picture, one line in a legend.
struct ViewEntry {
  std::string name;       // as shown
  std::string label;      // of the dimension; empty: none, or nodes with several labels
  int64_t total_ns = 0;   // in all trees shown
  uint64_t siblings = 1;  // the most that its node represents in a tree; of several nodes 1
  bool is_label = false;  // the name is a label of the dimension, not a node's name
  bool others = false;    // the entries after the first top_k
};

struct ViewRow {
  uint32_t entry = 0;
  trace::PathId path;  // invalid: several nodes
  uint32_t node = 0;   // its place in the tree; the first of several
  uint64_t nodes = 1;  // how many nodes of the trace it is
  int64_t invocations = 0;
  int64_t total_ns = 0;
};

/// A step, or several steps of a phase as one tree.
struct ViewStep {
  std::vector<size_t> of;  // indexes into the steps of the run's trace
  size_t tree = 0;         // index into the steps of TreeView::trace()
  std::string key;         // of several steps the phase
  std::string phase;
  // Of several steps, what is the same for all.
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> running_seqs;  // as the profile counts them
  std::optional<int64_t> batch;         // by the step's text: requests and their tokens
  std::optional<int64_t> tokens;
  int64_t total_ns = 0;  // of all these steps, whole
};

class TreeView {
 public:
  /// `rules` and `modules` must outlive it. Throws Error for an unknown dimension, phase or step.
  TreeView(const match::CompiledRules& rules, const LabelledModules& modules,
           const ViewOptions& options);

  const LabelledModules& modules() const noexcept { return *modules_; }
  /// The trees shown: names, paths and steps. With merged siblings or phases, it has nothing else
  /// of the run's trace.
  const trace::ModuleTrace& trace() const noexcept {
    return merger_ ? merger_->merged() : modules_->trace;
  }
  const ViewOptions& options() const noexcept { return options_; }
  /// All steps chosen, in the order of the trace.
  std::span<const ViewStep> steps() const noexcept { return std::span(steps_).first(single_); }
  /// What is shown: all steps, or one tree per phase in the order of their first steps. They are
  /// numbers for the functions below, as are those of `steps`.
  const std::vector<size_t>& shown() const noexcept { return shown_; }
  const ViewStep& step(size_t step) const { return steps_[step]; }
  /// By descending time, then by name; `others` last.
  const std::vector<ViewEntry>& entries() const noexcept { return entries_; }

  /// The rows of a tree, in the order of its nodes, `others` last; with `by_label` one row per
  /// entry. Both vectors are overwritten; `nodes` is the whole forest. The rows add up to the total
  /// of the step, except with compat.
  void rows(size_t step, std::vector<trace::ModuleNode>& nodes, std::vector<ViewRow>& rows) const;
  /// The same with one row per node, also for the nodes of `others`.
  void rows_apart(size_t step, std::vector<trace::ModuleNode>& nodes,
                  std::vector<ViewRow>& rows) const;
  /// How many nodes of the run's trace the nodes of a tree represent; empty: each for one.
  std::span<const uint32_t> counts(size_t step) const;
  /// By path of `trace`: the nodes of the run's trace. Empty if siblings are not merged.
  std::vector<Siblings> siblings(size_t step) const;
  /// The number of one of them (see TreeMerger::number_text).
  std::string number_text(trace::PathId of_run) const;
  /// The node of `trace` that a node of the run's trace is.
  trace::PathId merged_of(trace::PathId of_run) const {
    return merger_ ? merger_->merged_of(of_run) : of_run;
  }
  /// A node's label in the dimension; its name if no rule labels it.
  std::string_view label(trace::PathId path) const {
    return labelled(path) ? labels_[path.index].label : trace().name(path);
  }
  /// Whether a rule labels the node. The label of `otherwise` counts only for kernels: of a module
  /// it would say nothing. Of labels from neighbours: whether all operations below have the label.
  bool labelled(trace::PathId path) const { return labelled_[path.index]; }
  /// The number of the layer of a row: of a numbered node at level `layer`, else of the step.
  std::optional<int64_t> layer(size_t step, const ViewRow& row) const;

  /// The time in the steps shown that compat drops; 0 without it.
  int64_t lost_ns() const noexcept { return lost_ns_; }
  /// The level is `layer` and at least one step has no layers.
  bool without_layers() const noexcept { return without_layers_; }

 private:
  void find_labels(const match::CompiledRules& rules);
  void take_operation_labels(std::string_view dimension);
  void choose_steps();
  void merge();
  void add_phases();
  [[noreturn]] void refuse_selection() const;
  Cutter cutter() const { return {trace(), options_.level, folded_, several_}; }
  void cut(size_t step, std::vector<trace::ModuleNode>& nodes, std::vector<uint32_t>& places,
           Cutter& cutter, int64_t& lost) const;
  void collect();
  void make_entries(const std::vector<trace::PathId>& paths);
  void shorten();
  void rank();
  size_t enough_entries(const std::vector<uint32_t>& order) const;
  void keep_first_of_step(std::vector<ViewRow>& rows, ViewRow& rest) const;

  static constexpr uint32_t no_entry = UINT32_MAX;

  const LabelledModules* modules_;
  ViewOptions options_;
  const sema::Model* model_;
  std::optional<TreeMerger> merger_;
  // By path of the trees shown.
  std::vector<bool> folded_;
  std::vector<classify::LabelResult> labels_;
  std::vector<bool> labelled_;
  std::vector<bool> several_;    // see TreeMerger::several
  std::vector<ViewStep> steps_;  // the single steps, then those of phases
  size_t single_ = 0;
  std::vector<size_t> shown_;
  std::vector<ViewEntry> entries_;
  std::vector<uint32_t> entry_of_;  // by path; no_entry: never shown
  uint32_t others_ = no_entry;
  int64_t lost_ns_ = 0;
  bool without_layers_ = false;
};

/// How the time of kernels was attributed. In trees made from operations: of all operations.
/// Otherwise: of the steps shown, in modules or at the root.
classify::AttributionSums attribution_of(const TreeView& view);

}  // namespace kr::trees

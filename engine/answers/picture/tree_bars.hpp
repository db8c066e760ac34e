// What pictures and pages of module trees show: the steps of a TreeView as stacked bars, and the
// run as the context of its trace describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::picture {

struct BarPart {
  uint32_t entry = 0;  // of the view
  int64_t value = 0;   // ns; with `invocations` calls. Not 0
};

/// A tree of the view. Values of several steps are means per step.
struct TreeBar {
  size_t step = 0;             // of the view
  std::string label;           // the step's key, and `(N seqs)` if that is known
  std::vector<BarPart> parts;  // from the bottom up, by rank
  int64_t total = 0;           // of the parts
  int64_t whole = 0;           // of the step: the total, unless the view drops something
};

/// The bars of one picture.
struct TreeBars {
  std::string file_stem;  // prefill, decode_steps, other_steps
  std::string heading;    // for a person: `decode steps`
  std::vector<TreeBar> bars;
  size_t steps = 0;  // all; more than bars if these would be too many
};

/// The most bars of a picture. Of more steps it shows every k-th and the last.
inline constexpr size_t max_bars = 2500;

/// The trees shown of phases that begin with `prefill`, those that begin with `decode`, and all
/// others; a picture without bars is omitted.
std::vector<TreeBars> tree_bars(const trees::TreeView& view, trees::Metric metric);

/// The model as the context names it; else the source.
std::string tree_subject(const trace::ModuleTrace& trace);

/// `batch 32`, `prompt 512 tokens`, `output 128 tokens`, `4 GPUs`, `sparsity 2:4`, `run of 12
/// steps` or `8 requests done a step`: those known, in this order. Both forms of the context,
/// flat and with `engine_args`.
std::vector<std::string> tree_facts(const trace::ModuleTrace& trace);

}  // namespace kr::picture

// `kr tree`: the module trees of a run, step by step, and its steps compared.
#include "tables/tree.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"
#include "tables/attribution.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "trees/names.hpp"

namespace kr::tables {
namespace {

using classify::AttributionSums;
using classify::LayerEvidence;
using trees::TreeView;
using trees::ViewRow;
using trees::ViewStep;

/// A node of a tree of one or several steps.
struct TreeRow : Parts<Tree, ViewStep, ViewRow, trees::ViewEntry> {
  size_t node;
  std::optional<size_t> step_id;
  std::optional<int64_t> layer;
  std::optional<size_t> depth;
  std::string_view path;
  std::string_view module_class;
  std::string_view label;
  const trees::Siblings* merged;  // null: it is one node, or of different paths
  std::string min_number, max_number;
};

template <auto of>
Cell of_merged(const TreeRow& row) {
  return row.merged != nullptr ? Cell(row.merged->*of) : Cell();
}

void add_tree(const Source& source, Rows<TreeRow>& to) {
  const TreeView& view = *source.tree->view;
  const trace::ModuleTrace& trace = view.trace();
  // Made once: the same paths are in thousands of steps.
  std::vector<std::string> paths(trace.paths.size());
  std::vector<trace::ModuleNode> nodes;
  std::vector<ViewRow> rows;
  for (const size_t i : view.shown()) {
    const ViewStep& step = view.step(i);
    std::optional<size_t> step_id;
    if (step.of.size() == 1) step_id = view.modules().step_id(step.of[0]);
    const std::vector<trees::Siblings> siblings = view.siblings(i);
    view.rows(i, nodes, rows);
    for (size_t node = 0; node < rows.size(); ++node) {
      const ViewRow& row = rows[node];
      const trees::ViewEntry& entry = view.entries()[row.entry];
      TreeRow made{{*source.tree, step, row, entry},
                   node,
                   step_id,
                   view.layer(i, row),
                   {},
                   {},
                   {},
                   entry.label,
                   nullptr,
                   {},
                   {}};
      if (row.path.valid()) {
        std::string& path = paths[row.path.index];
        if (path.empty()) path = trees::path_text(trace, row.path);
        made.path = path;
        made.module_class = trace.class_of(row.path);
        made.depth = trace.paths.depth(row.path);
        made.label = view.label(row.path);
        if (row.nodes > 1 && !siblings.empty()) {
          made.merged = &siblings[row.path.index];
          made.min_number = view.number_text(made.merged->least);
          made.max_number = view.number_text(made.merged->most);
        }
      }
      to.add(made);
    }
  }
}

struct TreeStepRow : Parts<Tree, ViewStep> {
  size_t step_id;
};

void add_tree_steps(const Source& source, Rows<TreeStepRow>& rows) {
  for (const ViewStep& step : source.tree->view->steps()) {
    const size_t step_id = source.tree->view->modules().step_id(step.of[0]);
    rows.add({{*source.tree, step}, step_id});
  }
}

/// The numbers of steps relative to their mean; if one has no number, their order instead.
std::vector<double> centred_places(const TreeView& view, const std::vector<size_t>& steps) {
  const bool numbered = std::all_of(
      steps.begin(), steps.end(), [&](size_t step) { return view.steps()[step].step.has_value(); });
  std::vector<double> places;
  double sum = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    places.push_back(
        static_cast<double>(numbered ? *view.steps()[steps[k]].step : static_cast<int64_t>(k)));
    sum += places.back();
  }
  for (double& place : places) place -= sum / static_cast<double>(steps.size());
  return places;
}

/// The sums of an entry of a view in one phase.
struct Trend {
  int64_t total_ns = 0;  // over the phase's steps
  int64_t first_ns = 0;  // in its first and last step
  int64_t last_ns = 0;
  double slope_ns = 0;  // per step: the line of least squares, by step numbers if all have one
};

/// By entry.
std::vector<Trend> trends_of(const TreeView& view, const std::vector<size_t>& steps) {
  std::vector<Trend> trends(view.entries().size());
  std::vector<trace::ModuleNode> nodes;
  std::vector<ViewRow> rows;
  const std::vector<double> places = centred_places(view, steps);
  double spread = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    spread += places[k] * places[k];
    view.rows(steps[k], nodes, rows);
    std::vector<int64_t> step_ns(trends.size(), 0);
    for (const ViewRow& row : rows) step_ns[row.entry] += row.total_ns;
    for (size_t i = 0; i < trends.size(); ++i) {
      trends[i].total_ns += step_ns[i];
      trends[i].slope_ns += places[k] * static_cast<double>(step_ns[i]);
      if (k == 0) trends[i].first_ns = step_ns[i];
      if (k + 1 == steps.size()) trends[i].last_ns = step_ns[i];
    }
  }
  for (Trend& one : trends) one.slope_ns = spread > 0 ? one.slope_ns / spread : 0;
  return trends;
}

/// By phase, in the order in which they first occur.
struct TreeTrendRow : Parts<Tree, Trend> {
  std::string_view phase;
  std::string_view name;
  int64_t steps;
};

void add_tree_trends(const Source& source, Rows<TreeTrendRow>& rows) {
  const TreeView& view = *source.tree->view;
  std::vector<std::pair<std::string_view, std::vector<size_t>>> phases;
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const std::string_view phase = view.steps()[i].phase;
    const auto [at, added] = known.try_emplace(phase, phases.size());
    if (added) phases.push_back({phase, {}});
    phases[at->second].second.push_back(i);
  }
  for (const auto& [phase, steps] : phases) {
    const std::vector<Trend> trends = trends_of(view, steps);
    const auto count = static_cast<int64_t>(steps.size());
    for (size_t i = 0; i < trends.size(); ++i) {
      const Trend& one = trends[i];
      rows.add({{*source.tree, one}, phase, view.entries()[i].name, count});
    }
  }
}

using TreeLayerRow = Parts<Tree, LayerEvidence>;
void add_tree_layers(const Source& source, Rows<TreeLayerRow>& rows) {
  for (const LayerEvidence& one : source.tree->view->modules().layer_evidence) {
    rows.add({*source.tree, one});
  }
}

std::string without_tree_layers(const Source& source) {
  if (source.tree->view->modules().attribution) return {};
  return "its module trees come from a profile, not from operations";
}

struct TreeAttributionRow : Parts<Tree, AttributionSums::Part> {
  std::string_view evidence;
};

void add_tree_attribution(const Source& source, Rows<TreeAttributionRow>& rows) {
  const AttributionSums sums = trees::attribution_of(*source.tree->view);
  each_evidence(sums, [&](std::string_view evidence, const AttributionSums::Part& one) {
    rows.add({{*source.tree, one}, evidence});
  });
}

using TreeContextRow = Parts<Tree, trace::ContextEntry>;
void add_tree_context(const Source& source, Rows<TreeContextRow>& rows) {
  for (const trace::ContextEntry& entry : source.tree->view->modules().trace.context) {
    rows.add({*source.tree, entry});
  }
}

}  // namespace

const Definition tree_table = TableOf<TreeRow>{
    {"tree",
     "module trees",
     "One row per run, tree and node shown, in the order of the module tree. A tree is a step, or "
     "all steps of a phase added up; a node is one, or several siblings added up.",
     {{head::run, &Tree::run},
      {"step_id", Unit::id, Role::key,
       "The number of the step among all steps, from 0; nothing for several steps.",
       &TreeRow::step_id, optional},
      {"phase", Unit::text, Role::key, "The phase of the steps.", &ViewStep::phase},
      {"step", Unit::id, Role::key,
       "The number of the step in its text, if it has one; nothing for several steps.",
       &ViewStep::step, optional},
      {"layer", Unit::id, Role::key,
       "The number of the layer that the node is or that its step has, if there is one.",
       &TreeRow::layer, optional},
      {"node", Unit::id, Role::key, "The number of the row in its tree, from 0.", &TreeRow::node},
      {"depth", Unit::count, Role::measure,
       "How many nodes are above it; nothing for nodes with different paths.", &TreeRow::depth,
       optional},
      {"path", Unit::text, Role::key,
       "All names from the root to the node, joined with ` > `, of merged siblings without "
       "their numbers; nothing for nodes with different paths.",
       &TreeRow::path, optional},
      {"name", Unit::name, Role::key,
       "The name of the node as shown; the label or `others` for several nodes.",
       &trees::ViewEntry::name},
      {"class", Unit::text, Role::detail,
       "The class of the module, if its name is that of its place in the program: the trace has "
       "both.",
       &TreeRow::module_class, optional},
      {"label", Unit::text, Role::measure,
       "The label of the node in the chosen dimension, or its name if no rule labels it; "
       "nothing for nodes with different labels.",
       &TreeRow::label, optional},
      {"steps", Unit::count, Role::measure, "How many steps are added up in the tree.",
       [](const ViewStep& step) { return step.of.size(); }},
      {"nodes", Unit::count, Role::measure,
       "How many nodes of the trace are added up in this row, such as merged siblings.",
       &ViewRow::nodes},
      {"invocations", Unit::count, Role::measure,
       "How many times the module was called or the kernel was launched, in all these steps.",
       &ViewRow::invocations},
      {"total_ns", Unit::ns, Role::measure,
       "The time of all kernels below the node, in all these steps.", &ViewRow::total_ns},
      {head::mean_of_steps_ns,
       [](const TreeRow& row) {
         return static_cast<double>(row.of<ViewRow>().total_ns) /
                static_cast<double>(row.of<ViewStep>().of.size());
       }},
      {"min_ns", Unit::ns, Role::measure,
       "The least time of one of the merged siblings, in all these steps; nothing if there is "
       "one node.",
       of_merged<&trees::Siblings::min_ns>, optional},
      {"median_ns", Unit::ns, Role::measure, "The median of their times.",
       of_merged<&trees::Siblings::median_ns>, optional},
      {"max_ns", Unit::ns, Role::measure, "The most time of one of them.",
       of_merged<&trees::Siblings::max_ns>, optional},
      {"min_number", Unit::text, Role::measure,
       "Which sibling has the least time: its number, after those of the merged nodes above it, "
       "as in `3.7`. Of siblings with one name, `#2` is the second.",
       &TreeRow::min_number, optional},
      {"max_number", Unit::text, Role::measure, "The same for the most time.", &TreeRow::max_number,
       optional}}},
    needs<Tree>,
    add_tree};

const Definition tree_steps_table = TableOf<TreeStepRow>{
    {"tree_steps",
     "steps",
     "One row per run and step shown: its time, which does not depend on the nodes shown.",
     {{head::run, &Tree::run},
      {head::step_of_trees, &TreeStepRow::step_id},
      {"phase", Unit::text, Role::key, "The phase of the step.", &ViewStep::phase},
      {"step", Unit::id, Role::key, "The number of the step in its text, if it has one.",
       &ViewStep::step, optional},
      {"layer", Unit::id, Role::key, "The number of the layer in its text, if it has one.",
       &ViewStep::layer, optional},
      {"key", Unit::text, Role::measure, "The text of the step in the source.", &ViewStep::key},
      {"running_seqs", Unit::count, Role::measure,
       "How many sequences ran, as the profile counts them.", &ViewStep::running_seqs, optional},
      {"batch", Unit::count, Role::measure,
       "How many requests the text of the step names, if it names them.", &ViewStep::batch,
       optional},
      {"tokens", Unit::count, Role::measure,
       "How many tokens the text of the step names, if it names them.", &ViewStep::tokens,
       optional},
      {"total_ns", Unit::ns, Role::measure, "The time of all kernels of the step.",
       &ViewStep::total_ns}}},
    needs<Tree>,
    add_tree_steps};

const Definition tree_trends_table = TableOf<TreeTrendRow>{
    {"tree_trends",
     "changes from step to step",
     "One row per run, phase and name shown: its time over the steps of the phase.",
     {{head::run, &Tree::run},
      {head::phase, &TreeTrendRow::phase},
      {"name", Unit::name, Role::key, "The name as in `tree`.", &TreeTrendRow::name},
      {"steps", Unit::count, Role::measure, "How many steps of the phase are shown.",
       &TreeTrendRow::steps},
      {"total_ns", Unit::ns, Role::measure, "The time under the name in all these steps.",
       &Trend::total_ns},
      {"first_ns", Unit::ns, Role::measure, "The time under the name in the first step.",
       &Trend::first_ns},
      {"last_ns", Unit::ns, Role::measure, "The time under the name in the last step.",
       &Trend::last_ns},
      {"slope_ns", Unit::ns, Role::measure,
       "The change of the time per step: the slope of the least-squares line over the numbers "
       "of the steps, or over their order if one has no number.",
       &Trend::slope_ns},
      {head::mean_of_steps_ns,
       [](const TreeTrendRow& row) {
         return static_cast<double>(row.of<Trend>().total_ns) / static_cast<double>(row.steps);
       }}}},
    needs<Tree>,
    add_tree_trends};

const Definition tree_layers_table = TableOf<TreeLayerRow>{
    {"tree_layers",
     "repeated blocks",
     "One row per repeated block of kernels: equal ones of several graph launches, steps or "
     "streams are one row.",
     {{head::run, &Tree::run},
      {"level", Unit::id, Role::key,
       "0 for layers; 1 and more for blocks that repeat inside one layer of the level above.",
       [](const LayerEvidence& one) { return &one.block.level; }},
      {"period", Unit::count, Role::key, "How many kernels one layer has.",
       [](const LayerEvidence& one) { return &one.block.period; }},
      {"repeats", Unit::count, Role::key, "How many layers follow each other.",
       [](const LayerEvidence& one) { return &one.block.repeats; }},
      {"units", Unit::count, Role::measure,
       "In how many graph launches, steps or streams the block was found.", &LayerEvidence::units},
      {"kernels", Unit::count, Role::key,
       "How many kernels each of these graph launches, steps or streams has.",
       [](const LayerEvidence& one) { return &one.block.unit; }},
      {"total_ns", Unit::ns, Role::measure, "The time of the kernels in these layers.",
       [](const LayerEvidence& one) { return &one.block.total_ns; }},
      {"unit_ns", Unit::ns, Role::measure,
       "The time of all kernels of these graph launches, steps or streams.",
       [](const LayerEvidence& one) { return &one.block.unit_ns; }},
      {"evidence", Unit::text, Role::key,
       "The block in words, and whether it was found in a graph launch, a step or a stream.",
       [](const LayerEvidence& one) { return classify::evidence(one.block); }}}},
    needs<Tree>,
    add_tree_layers,
    without_tree_layers};

const Definition tree_attribution_table = TableOf<TreeAttributionRow>{
    {"tree_attribution",
     "attribution",
     "One row per run and way in which operations were assigned to modules: their time.",
     {{head::run, &Tree::run},
      {"evidence", Unit::text, Role::key,
       "`launch`: in the module that launched it; `creation`: in the module that created its "
       "node "
       "of a CUDA graph, and `range`: in an NVTX range of the program in place of a module, if "
       "there are any; `layer`: in no module, but in a repeated "
       "block; `none`: in neither.",
       &TreeAttributionRow::evidence},
      {head::total_of_these_ns, &AttributionSums::Part::total_ns}}},
    needs<Tree>,
    add_tree_attribution};

const Definition tree_context_table = TableOf<TreeContextRow>{
    {"tree_context",
     "context",
     "One row per run and entry of the context that its profile records.",
     {{head::run, &Tree::run},
      {"key", Unit::text, Role::key, "The name of the entry, such as `engine_args.model`.",
       &trace::ContextEntry::key},
      {"value", Unit::text, Role::measure, "The value of the entry as text.",
       &trace::ContextEntry::value}}},
    needs<Tree>,
    add_tree_context};

}  // namespace kr::tables

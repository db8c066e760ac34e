// What a comparison needs of module trees, over all steps: a saved run keeps it.
#include <map>

#include "changes/profile.hpp"
#include "changes/saved_run.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"

namespace kr::tables {
namespace {

using analyze::Sequence;

using changes::NameTime;

changes::Profile profile_of_tree(const Source& source) {
  return changes::profile_of(source.tree->run, *source.rules, source.tree->view->modules());
}

struct TreeSumRow : Parts<Tree, NameTime> {
  std::string_view level;
};

void add_tree_sums(const Source& source, Rows<TreeSumRow>& rows) {
  for (const trees::Level level : changes::saved_levels()) {
    const std::string text = trees::to_string(level);
    for (const NameTime& node :
         changes::nodes_of(*source.rules, source.tree->view->modules(), level)) {
      rows.add({{*source.tree, node}, text});
    }
  }
}

struct TreeKernelRow : Parts<Tree, NameTime> {
  int64_t number;
};

void add_tree_kernels(const Source& source, Rows<TreeKernelRow>& rows) {
  int64_t number = 0;
  for (const NameTime& one : profile_of_tree(source).names) {
    rows.add({{*source.tree, one}, number++});
  }
}

struct TreeLabelRow : Parts<Tree> {
  size_t kernel;
  std::string_view dimension;
  std::string_view label;
};

void add_tree_labels(const Source& source, Rows<TreeLabelRow>& rows) {
  const changes::Profile profile = profile_of_tree(source);
  for (size_t i = 0; i < profile.names.size(); ++i) {
    for (size_t d = 0; d < profile.dimensions.size(); ++d) {
      rows.add({{*source.tree}, i, profile.dimensions[d], profile.names[i].labels[d]});
    }
  }
}

struct TreeStepLabelRow : Parts<Tree, changes::StepTime> {
  size_t place;
  std::string_view dimension;
  std::string_view label;
  int64_t total_ns;
};

void add_tree_step_labels(const Source& source, Rows<TreeStepLabelRow>& rows) {
  const changes::Profile profile = profile_of_tree(source);
  for (size_t i = 0; i < profile.steps.size(); ++i) {
    const changes::StepTime& step = profile.steps[i];
    std::map<std::pair<size_t, std::string_view>, int64_t> sums;
    for (const changes::LabelTime& one : step.labels) {
      sums[{one.dimension, one.label}] += one.total_ns;
    }
    for (const auto& [key, total_ns] : sums) {
      rows.add({{*source.tree, step}, i, profile.dimensions[key.first], key.second, total_ns});
    }
  }
}

struct TreeSequenceRow : Parts<Tree, Sequence> {
  size_t place;
};

void add_tree_sequences(const Source& source, Rows<TreeSequenceRow>& rows) {
  for (const Sequence& one : profile_of_tree(source).sequences) {
    for (size_t place = 0; place < one.names.size(); ++place) {
      rows.add({{*source.tree, one}, place});
    }
  }
}

}  // namespace

const Definition tree_sums_table = TableOf<TreeSumRow>{
    {.id = "tree_sums",
     .title = "nodes over all steps",
     .doc = "One row per level (kernel, module, layer) and path that it shows, with the folds of "
            "the ruleset: its sums over all steps.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &Tree::run},
                 {"level", Unit::text, Role::key, "`kernel`, `module` or `layer`.",
                  &TreeSumRow::level},
                 {"path", Unit::text, Role::key, "The names from the root, joined by ` > `.",
                  &NameTime::name},
                 {head::invocations, [](const NameTime& node) { return &node.amount.instances; }},
                 {"total_ns", Unit::ns, Role::measure, "The time of all kernels below it.",
                  [](const NameTime& node) { return &node.amount.total_ns; }}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_sums};

const Definition tree_kernels_table = TableOf<TreeKernelRow>{
    {.id = "tree_kernels",
     .title = "kernels over all steps",
     .doc = "One row per kernel and place in the module trees: its sums over all steps.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &Tree::run},
                 {"kernel", Unit::id, Role::key, "The number of the kernel, from 0.",
                  &TreeKernelRow::number},
                 {"name", Unit::name, Role::measure, "Its name.", &NameTime::name},
                 {head::invocations, [](const NameTime& one) { return &one.amount.instances; }},
                 {"total_ns", Unit::ns, Role::measure, "Its time.",
                  [](const NameTime& one) { return &one.amount.total_ns; }}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_kernels};

const Definition tree_labels_table = TableOf<TreeLabelRow>{
    {.id = "tree_labels",
     .title = "labels of kernels in trees",
     .doc = "One row per kernel of the module trees and dimension: its label.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &Tree::run},
                 {"kernel", Unit::id, Role::key, "Its number in `tree_kernels`.",
                  &TreeLabelRow::kernel},
                 {head::dimension, &TreeLabelRow::dimension},
                 {"label", Unit::text, Role::measure, "The label.", &TreeLabelRow::label}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_labels};

const Definition tree_step_labels_table = TableOf<TreeStepLabelRow>{
    {.id = "tree_step_labels",
     .title = "labels of steps of trees",
     .doc = "One row per step of the module trees, dimension and label: the time of its kernels.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &Tree::run},
                 {"step_id", Unit::id, Role::key,
                  "The number of the step among those in a phase, from 0.",
                  &TreeStepLabelRow::place},
                 {head::phase_of_step, &changes::StepTime::phase},
                 {head::dimension, &TreeStepLabelRow::dimension},
                 {head::label, &TreeStepLabelRow::label},
                 {"total_ns", Unit::ns, Role::measure, "The time of the kernels with the label.",
                  &TreeStepLabelRow::total_ns}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_step_labels};

const Definition tree_sequences_table = TableOf<TreeSequenceRow>{
    {.id = "tree_sequences",
     .title = "sequences of kernels in trees",
     .doc = "One row per kernel of the step of median time of each phase, of up to four phases, in "
            "the order of its tree; at most 2,048 kernels of each.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &Tree::run},
                 {"part", Unit::text, Role::key, "`step`.", &Sequence::of},
                 {"phase", Unit::text, Role::key, "The phase of the step.", &Sequence::phase,
                  optional},
                 {"place", Unit::id, Role::key, "The place of the kernel, from 0.",
                  &TreeSequenceRow::place},
                 {"kernel", Unit::id, Role::measure, "Its number in `tree_kernels`.",
                  [](const TreeSequenceRow& row) {
                    return int64_t{row.of<Sequence>().names[row.place]};
                  }}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_sequences};

}  // namespace kr::tables

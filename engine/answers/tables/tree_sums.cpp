// What a comparison needs of module trees, over all steps: a saved run keeps it.
#include <map>

#include "changes/profile.hpp"
#include "changes/saved_run.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"

namespace kr::tables {
namespace {

changes::Profile profile_of_tree(const Source& source) {
  return changes::profile_of(source.tree->run, *source.rules, source.tree->view->modules());
}

void add_tree_sums(const Source& source, RowSink& sink) {
  for (const trees::Level level : changes::saved_levels()) {
    const std::string text = trees::to_string(level);
    for (const changes::NameTime& node :
         changes::nodes_of(*source.rules, source.tree->view->modules(), level)) {
      sink.row({source.tree->run, text, node.name, node.amount.instances, node.amount.total_ns});
    }
  }
}

void add_tree_kernels(const Source& source, RowSink& sink) {
  int64_t number = 0;
  for (const changes::NameTime& one : profile_of_tree(source).names) {
    sink.row({source.tree->run, number++, one.name, one.amount.instances, one.amount.total_ns});
  }
}

void add_tree_labels(const Source& source, RowSink& sink) {
  const changes::Profile profile = profile_of_tree(source);
  for (size_t i = 0; i < profile.names.size(); ++i) {
    for (size_t d = 0; d < profile.dimensions.size(); ++d) {
      sink.row({source.tree->run, static_cast<int64_t>(i), profile.dimensions[d],
                profile.names[i].labels[d]});
    }
  }
}

void add_tree_step_labels(const Source& source, RowSink& sink) {
  const changes::Profile profile = profile_of_tree(source);
  for (size_t i = 0; i < profile.steps.size(); ++i) {
    const changes::StepTime& step = profile.steps[i];
    std::map<std::pair<size_t, std::string_view>, int64_t> sums;
    for (const changes::LabelTime& one : step.labels) {
      sums[{one.dimension, one.label}] += one.total_ns;
    }
    for (const auto& [key, total_ns] : sums) {
      sink.row({source.tree->run, static_cast<int64_t>(i), step.phase,
                profile.dimensions[key.first], key.second, total_ns});
    }
  }
}

void add_tree_sequences(const Source& source, RowSink& sink) {
  for (const analyze::Sequence& one : profile_of_tree(source).sequences) {
    for (size_t place = 0; place < one.names.size(); ++place) {
      sink.row({source.tree->run, analyze::to_string(one.of), table::cell_or_nothing(one.phase),
                static_cast<int64_t>(place), int64_t{one.names[place]}});
    }
  }
}

}  // namespace

const Definition tree_sums_table{
    {.id = "tree_sums",
     .title = "nodes over all steps",
     .doc = "One row per level (kernel, module, layer) and path that it shows, with the folds of "
            "the ruleset: its sums over all steps.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"level", Unit::text, Role::key, "`kernel`, `module` or `layer`."},
                 {"path", Unit::text, Role::key, "The names from the root, joined by ` > `."},
                 {"invocations", Unit::count, Role::measure, "How often it ran."},
                 {"total_ns", Unit::ns, Role::measure, "The time of all kernels below it."}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_sums};

const Definition tree_kernels_table{
    {.id = "tree_kernels",
     .title = "kernels over all steps",
     .doc = "One row per kernel and place in the module trees: its sums over all steps.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"kernel", Unit::id, Role::key, "The number of the kernel, from 0."},
                 {"name", Unit::name, Role::measure, "Its name."},
                 {"invocations", Unit::count, Role::measure, "How often it ran."},
                 {"total_ns", Unit::ns, Role::measure, "Its time."}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_kernels};

const Definition tree_labels_table{
    {.id = "tree_labels",
     .title = "labels of kernels in trees",
     .doc = "One row per kernel of the module trees and dimension: its label.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"kernel", Unit::id, Role::key, "Its number in `tree_kernels`."},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::measure, "The label."}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_labels};

const Definition tree_step_labels_table{
    {.id = "tree_step_labels",
     .title = "labels of steps of trees",
     .doc = "One row per step of the module trees, dimension and label: the time of its kernels.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"step_id", Unit::id, Role::key,
                  "The number of the step among those in a phase, from 0."},
                 {"phase", Unit::text, Role::measure, "The phase of the step."},
                 {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
                 {"label", Unit::text, Role::key, "The label."},
                 {"total_ns", Unit::ns, Role::measure, "The time of the kernels with the label."}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_step_labels};

const Definition tree_sequences_table{
    {.id = "tree_sequences",
     .title = "sequences of kernels in trees",
     .doc = "One row per kernel of the step of median time of each phase, of up to four phases, in "
            "the order of its tree; at most 2,048 kernels of each.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"part", Unit::text, Role::key, "`step`."},
                 {"phase", Unit::text, Role::key, "The phase of the step.", true},
                 {"place", Unit::id, Role::key, "The place of the kernel, from 0."},
                 {"kernel", Unit::id, Role::measure, "Its number in `tree_kernels`."}},
     .in_short_form = false},
    needs<Tree>,
    add_tree_sequences};

}  // namespace kr::tables

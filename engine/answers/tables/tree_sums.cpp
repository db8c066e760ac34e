// Nodes of module trees over all steps, as saved runs keep them.
#include "changes/tree_times.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"

namespace kr::tables {
namespace {

using changes::NameTime;

struct TreeSumRow : Parts<Tree, NameTime> {
  std::string_view level;
};

void add_tree_sums(const Source& source, Rows<TreeSumRow>& rows) {
  const changes::TreeTimes times =
      changes::tree_times_of(*source.rules, source.tree->view->modules());
  for (const auto& [level, nodes] : times.levels) {
    const std::string text = trees::to_string(level);
    for (const NameTime& node : nodes) rows.add({{*source.tree, node}, text});
  }
}

}  // namespace

const Definition tree_sums_table = TableOf<TreeSumRow>{
    {.id = "tree_sums",
     .title = "nodes over all steps",
     .doc = "One row per level (kernel, module, layer) and path that it shows, with the folds of "
            "the ruleset: its sums over all steps.",
     .columns = {{head::run, &Tree::run},
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

}  // namespace kr::tables

// Labels from neighbours: which kernels have them, which rules give them, what no rule explains.
#include "analyze/order_use.hpp"
#include "tables/columns.hpp"

namespace kr::tables {
namespace {

using analyze::LabelSum;
using analyze::NameSum;
using analyze::OrderCoverage;
using analyze::OrderedName;
using analyze::OrderRuleUse;
using analyze::RunSummary;

struct OrderKernelRow : Parts<RunSummary, OrderedName, NameSum> {
  int64_t label_ns;
};

void add_order_kernels(const Source& source, Rows<OrderKernelRow>& rows) {
  for (const Run& one : source.runs) {
    const RunSummary& run = one.summary;
    for (size_t d = run.name_dimensions(); d < run.dimensions.size(); ++d) {
      for (const LabelSum& label : run.dimensions[d].labels) {
        std::vector<const OrderedName*> names;
        for (const OrderedName& name : run.ordered_names) {
          if (name.dimension == d && name.label == label.label && name.explained) {
            names.push_back(&name);
          }
        }
        std::stable_sort(names.begin(), names.end(),
                         [](const auto* a, const auto* b) { return a->total_ns > b->total_ns; });
        for (const OrderedName* name : names) {
          rows.add({{run, *name, run.names[name->name]}, label.total_ns});
        }
      }
    }
  }
}

using OrderRuleRow = Parts<Run, OrderRuleUse>;

void add_order_rules(const Source& source, Rows<OrderRuleRow>& rows) {
  for (const Run& run : source.runs) {
    const auto* use = run.find<analyze::OrderUse>();
    if (use == nullptr) continue;
    for (const OrderRuleUse& one : use->rules) rows.add({run, one});
  }
}

using OrderCoverageRow = Parts<Run, OrderCoverage>;

void add_order_coverage(const Source& source, Rows<OrderCoverageRow>& rows) {
  for (const Run& run : source.runs) {
    const auto* use = run.find<analyze::OrderUse>();
    if (use == nullptr) continue;
    for (const OrderCoverage& one : use->coverage) rows.add({run, one});
  }
}

std::string no_ordered_labels(const Source& source) {
  for (const Run& run : source.runs) {
    if (run.summary.name_dimensions() < run.summary.dimensions.size()) return {};
  }
  return "no run has labels from neighbours";
}

}  // namespace

const Definition order_kernels_table = TableOf<OrderKernelRow>{
    {.id = "order_kernels",
     .title = "kernels of labels from neighbours",
     .doc = "One row per run, order dimension, label, and name that rules give the label: which "
            "kernel runs each part, and how long a call takes. A name that runs several parts has "
            "a row in each.",
     .columns = {run_column,
                 {head::the_dimension,
                  [](const OrderKernelRow& row) {
                    return std::string_view(
                        row.of<RunSummary>().dimensions[row.of<OrderedName>().dimension].dimension);
                  }},
                 {head::label, &OrderedName::label},
                 {head::name, &NameSum::name},
                 {"instances", Unit::count, Role::measure, "Operations of the name with the label.",
                  &OrderedName::instances},
                 {head::total_ns, &OrderedName::total_ns},
                 {"mean_ns", Unit::ns, Role::measure, "`total_ns` per operation.",
                  [](const OrderedName& one) { return one.total_ns / one.instances; }},
                 {"share", Unit::ratio, Role::measure,
                  "`total_ns` as a part of the time of the label.",
                  [](const OrderKernelRow& row) {
                    return ratio_of(row.of<OrderedName>().total_ns, row.label_ns);
                  },
                  read_with("total_ns")},
                 {"rule", Unit::text, Role::detail, "The rule: `file:line`.", &OrderedName::rule}}},
    needs<RunSummary>,
    add_order_kernels,
    no_ordered_labels};

const Definition order_rules_table = TableOf<OrderRuleRow>{
    {.id = "order_rules",
     .title = "what rules over neighbours label",
     .doc =
         "One row per run and rule of an order dimension, in the order in which rules are tried. "
         "A rule with 0 operations labels nothing of the run.",
     .columns = {run_column,
                 {head::the_dimension, &OrderRuleUse::dimension},
                 {head::label, &OrderRuleUse::label},
                 {"rule", Unit::text, Role::key, "The rule: `file:line`.", &OrderRuleUse::place},
                 {"matches", Unit::count, Role::measure, "How often it matches.",
                  &OrderRuleUse::matches},
                 {"operations", Unit::count, Role::measure,
                  "Operations that have their label from it, also those that continue another.",
                  &OrderRuleUse::operations},
                 {head::total_ns, &OrderRuleUse::total_ns}},
     .in_short_form = false},
    needs<analyze::OrderUse>,
    add_order_rules};

const Definition order_coverage_table = TableOf<OrderCoverageRow>{
    {.id = "order_coverage",
     .title = "what has a label from neighbours",
     .doc = "One row per run, order dimension, and label of the dimension that its rules look at: "
            "how many of these operations a rule gives a label.",
     .columns = {run_column,
                 {head::the_dimension, &OrderCoverage::dimension},
                 {"over_label", Unit::text, Role::key,
                  "The label in the dimension that the rules look at.", &OrderCoverage::label},
                 {"instances", Unit::count, Role::measure, "Operations with that label.",
                  &OrderCoverage::instances},
                 {"labelled", Unit::count, Role::measure, "Those that a rule gives a label.",
                  &OrderCoverage::labelled},
                 {head::total_ns, &OrderCoverage::total_ns},
                 {"labelled_ns", Unit::ns, Role::measure, "The time of those with a label.",
                  &OrderCoverage::labelled_ns},
                 {"labelled_share", Unit::ratio, Role::measure,
                  "`labelled_ns` as a part of `total_ns`.",
                  [](const OrderCoverage& one) { return ratio_of(one.labelled_ns, one.total_ns); },
                  read_with("labelled_ns")}},
     .in_short_form = false},
    needs<analyze::OrderUse>,
    add_order_coverage};

}  // namespace kr::tables

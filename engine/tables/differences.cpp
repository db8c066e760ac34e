// `kr diff`: what changes between two runs in time, or between two rulesets in meaning.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tables/definition.hpp"

namespace kr::tables {
namespace {

void add_comparison(const Source& source, RowSink& sink) {
  const RunPair& pair = *source.run_difference;
  sink.row({pair.a, pair.b, int64_t{pair.difference.comparable}, pair.difference.why,
            pair.difference.a_ns, pair.difference.b_ns});
}

/// Nothing if there is nothing to compare with.
Cell change_percent(int64_t a_ns, int64_t b_ns) {
  if (a_ns == 0) return {};
  return 100 * static_cast<double>(b_ns - a_ns) / static_cast<double>(a_ns);
}

void add_label_changes(const Source& source, RowSink& sink) {
  for (const analyze::Difference& one : source.run_difference->difference.labels) {
    sink.row({one.dimension, one.name, one.a_ns, one.b_ns, one.b_ns - one.a_ns,
              change_percent(one.a_ns, one.b_ns)});
  }
}

void add_name_changes(const Source& source, RowSink& sink) {
  for (const analyze::Difference& one : source.run_difference->difference.names) {
    sink.row(
        {one.name, one.a_ns, one.b_ns, one.b_ns - one.a_ns, change_percent(one.a_ns, one.b_ns)});
  }
}

void add_rule_changes(const Source& source, RowSink& sink) {
  for (const compare::MoveCount& one : source.rules_difference->moves) {
    const compare::Change& change = one.change;
    const prove::Witness& witness = change.move.witness;
    const std::string within = fmt::format("{}", fmt::join(witness.within, " / "));
    sink.row({change.engine, change.model, change.dimension, change.move.from, change.move.to,
              witness.name, to_string(witness.kind), table::cell_or_nothing(within), one.names,
              one.total_ns});
  }
}

void add_model_changes(const Source& source, RowSink& sink) {
  const compare::Comparison& comparison = source.rules_difference->comparison;
  for (const std::string& model : comparison.only_before) {
    sink.row({model, std::string_view("old")});
  }
  for (const std::string& model : comparison.only_after) {
    sink.row({model, std::string_view("new")});
  }
}

}  // namespace

const Definition comparison_table{
    {"comparison",
     "comparison",
     "One row per pair of runs: whether they can be compared, and the time of each.",
     {
         {"a", Unit::text, Role::key, "The first run."},
         {"b", Unit::text, Role::key, "The second run."},
         {"comparable", Unit::boolean, Role::measure,
          "Whether the two runs did the same work, as far as their data show."},
         {"reason", Unit::text, Role::measure,
          "What speaks against comparing them, or how much of the time has names of both."},
         {"a_ns", Unit::ns, Role::measure, "The time of all operations of the first run."},
         {"b_ns", Unit::ns, Role::measure, "The time of all operations of the second run."},
     }},
    Needs::run_difference,
    add_comparison};

const Definition label_changes_table{
    {"label_changes",
     "changes by label",
     "One row per dimension and label: its time in two runs, the largest change of each dimension "
     "first.",
     {
         {"dimension", Unit::text, Role::key, "The dimension."},
         {"label", Unit::text, Role::key, "The label."},
         {"a_ns", Unit::ns, Role::measure,
          "The time of operations with the label in the first run."},
         {"b_ns", Unit::ns, Role::measure,
          "The time of operations with the label in the second run."},
         {"change_ns", Unit::ns, Role::measure,
          "The time in the second run minus the time in the first."},
         {"change_percent", Unit::percent, Role::measure,
          "`change_ns` in percent of `a_ns`; nothing if the first run has no such time.", true},
     }},
    Needs::run_difference,
    add_label_changes};

const Definition name_changes_table{
    {"name_changes",
     "changes by name",
     "One row per name, or path of a module tree: its time in two runs, the largest change first.",
     {
         {"name", Unit::text, Role::key,
          "The name of operations, or the path of a node of the module trees."},
         {"a_ns", Unit::ns, Role::measure, "Its time in the first run."},
         {"b_ns", Unit::ns, Role::measure, "Its time in the second run."},
         {"change_ns", Unit::ns, Role::measure,
          "The time in the second run minus the time in the first."},
         {"change_percent", Unit::percent, Role::measure,
          "`change_ns` in percent of `a_ns`; nothing if the first run has no such time.", true},
     }},
    Needs::run_difference,
    add_name_changes};

const Definition rule_changes_table{
    {"rule_changes",
     "changes of labels",
     "One row per model, dimension and pair of labels: some names have one label in the old "
     "ruleset and the other in the new.",
     {
         {"engine", Unit::text, Role::key, "The engine."},
         {"model", Unit::text, Role::key, "The model."},
         {"dimension", Unit::text, Role::key, "The dimension."},
         {"from", Unit::text, Role::key,
          "The label in the old ruleset; `unclassified` if no rule matches, `(its own name)` if "
          "the rule keeps the name."},
         {"to", Unit::text, Role::key, "The label in the new ruleset, written as `from` is."},
         {"witness", Unit::text, Role::measure, "A name whose label changes in this way."},
         {"operation", Unit::text, Role::measure,
          "The type of operation of that name: `kernel`, `memcpy` or `memset`."},
         {"within", Unit::text, Role::measure,
          "The names of the modules or ranges that enclose it, the outermost first; nothing if "
          "there are none.",
          true},
         {"names", Unit::count, Role::measure,
          "How many of the names given to the command change in this way."},
         {"total_ns", Unit::ns, Role::measure,
          "The time of these names in the runs given to the command."},
     }},
    Needs::rules_difference,
    add_rule_changes};

const Definition model_changes_table{
    {"model_changes",
     "models of one ruleset only",
     "One row per model that only one of two rulesets has.",
     {
         {"model", Unit::text, Role::key, "The engine and the model, as in `vllm/llama`."},
         {"only_in", Unit::text, Role::measure, "The ruleset that has it: `old` or `new`."},
     }},
    Needs::rules_difference,
    add_model_changes};

}  // namespace kr::tables

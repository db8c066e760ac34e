// `kr diff` of two rulesets: what changes in meaning.
#include <fmt/format.h>

#include "base/join.hpp"
#include "sema/load.hpp"
#include "tables/definition.hpp"
#include "tables/difference.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_rule_changes(const Source& source, RowSink& sink) {
  const RulesDifference& difference = *source.rules_difference;
  for (size_t i = 0; i < difference.changes.moves.size(); ++i) {
    const compare::CountedMove& one = difference.changes.moves[i];
    const compare::Change& change = one.change;
    const prove::Witness& witness = change.move.witness;
    const std::string within = join(witness.within, " / ");
    const auto& [old_rule, new_rule] = difference.rules[i];
    sink.row({change.engine, change.model, change.dimension, change.move.from, change.move.to,
              witness.name, to_string(witness.kind), table::cell_or_nothing(within), one.names,
              one.total_ns, one.known_names,
              one.seen_in ? to_string(*one.seen_in) : std::string_view("invented"),
              table::cell_or_nothing(old_rule.place), table::cell_or_nothing(new_rule.place)});
  }
}

void add_model_changes(const Source& source, RowSink& sink) {
  const compare::RuleChanges& changes = source.rules_difference->changes;
  for (const std::string& model : changes.only_before) {
    sink.row({model, std::string_view("old")});
  }
  for (const std::string& model : changes.only_after) {
    sink.row({model, std::string_view("new")});
  }
}

}  // namespace

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
         {"witness", Unit::text, Role::measure,
          "A name whose label changes in this way: one that was seen if there is any, of these the "
          "one with the longest time."},
         {"operation", Unit::text, Role::measure,
          "The type of operation of that name: `kernel`, `memcpy` or `memset`."},
         {"within", Unit::text, Role::measure,
          "The names of the modules or ranges that enclose it, the outermost first; nothing if "
          "there are none.",
          true},
         {"names", Unit::count, Role::measure,
          "How many of the names of the runs and lists given to the command change in this way."},
         {"total_ns", Unit::ns, Role::measure,
          "The time of these names in the runs given to the command."},
         {"known_names", Unit::count, Role::measure,
          "How many other known names change in this way: those in the tests of both rulesets, and "
          "those that kr ships."},
         {"seen_in", Unit::text, Role::measure,
          "Where the witness was seen: in a `run` or `list` given to the command, in a `test` of "
          "the rulesets, or among the names that are `shipped` with kr; `invented` if no name seen "
          "changes in this way."},
         {"old_rule", Unit::text, Role::measure,
          "The rule of the old ruleset that decides for the witness, as `file:line`; nothing if "
          "none does.",
          true},
         {"new_rule", Unit::text, Role::measure, "The same in the new ruleset.", true},
     }},
    needs<RulesDifference>,
    add_rule_changes};

const Definition model_changes_table{
    {"model_changes",
     "models of one ruleset only",
     "One row per model that only one of two rulesets has.",
     {
         {"model", Unit::text, Role::key, "The engine and the model, as in `vllm/llama`."},
         {"only_in", Unit::text, Role::measure, "The ruleset that has it: `old` or `new`."},
     }},
    needs<RulesDifference>,
    add_model_changes};

}  // namespace kr::tables

// `kr diff` of two rulesets: what changes in meaning.
#include <fmt/format.h>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "sema/load.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/difference.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"
#include "text/numbers.hpp"

namespace kr::tables {
namespace {

using compare::CountedMove;
using prove::Witness;

using compare::Change;

struct RuleChangeRow : Parts<CountedMove, Change, Witness> {
  std::string_view old_place;
  std::string_view new_place;
};

void add_rule_changes(const Source& source, Rows<RuleChangeRow>& rows) {
  const RulesDifference& difference = *source.rules_difference;
  for (size_t i = 0; i < difference.changes.moves.size(); ++i) {
    const CountedMove& one = difference.changes.moves[i];
    const Change& change = one.change;
    const Witness& witness = change.move.witness;
    const auto& [old_rule, new_rule] = difference.rules[i];
    rows.add({{one, change, witness}, old_rule.place, new_rule.place});
  }
}

struct ModelChangeRow {
  std::string_view model;
  std::string_view side;
};

void add_model_changes(const Source& source, Rows<ModelChangeRow>& rows) {
  const compare::RuleChanges& changes = source.rules_difference->changes;
  for (const std::string& model : changes.only_before) rows.add({model, "old"});
  for (const std::string& model : changes.only_after) rows.add({model, "new"});
}

using ChangedName = RulesDifference::Name;

struct ChangedNameRow : Parts<ChangedName, compare::SeenName> {};

void add_changed_names(const Source& source, Rows<ChangedNameRow>& rows) {
  const RulesDifference& difference = *source.rules_difference;
  for (const ChangedName& one : difference.names) {
    rows.add({{one, difference.changes.names[one.name]}});
  }
}

struct SettingChangeRow : Parts<compare::SettingChange> {
  const RulesDifference::Said& before;
  const RulesDifference::Said& after;
};

void add_setting_changes(const Source& source, Rows<SettingChangeRow>& rows) {
  const RulesDifference& difference = *source.rules_difference;
  for (size_t i = 0; i < difference.said.size(); ++i) {
    const auto& [before, after] = difference.said[i];
    rows.add({{difference.changes.settings[i]}, before, after});
  }
}

/// `a`, `a and b`, `a, b and c`.
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

std::string RulesDifference::compared() const {
  std::vector<std::string> parts;
  parts.push_back(fmt::format("labels of {} in {} for every name ({} known)",
                              listed(changes.dimensions), plural(changes.models, "model"),
                              text::grouped(static_cast<int64_t>(changes.names.size()))));
  if (changes.has_phases) parts.emplace_back("phases");
  if (changes.has_costs) parts.emplace_back("costs");
  for (const char* one : {"detect", "folds", "abbreviations", "titles", "declared labels"}) {
    parts.emplace_back(one);
  }
  std::string text;
  for (const auto& [old_name, new_name] : changes.renamed) {
    text += fmt::format("`{}` with `{}`: ", old_name, new_name);
  }
  return text + join(parts, ", ");
}

const Definition changed_names_table = TableOf<ChangedNameRow>{
    {"changed_names",
     "known names whose label changes",
     "One row per known name that two rulesets label differently in a dimension, and per pair of "
     "rules that decide: names of the runs and lists given to the command, of the tests of both "
     "rulesets, and those that kr ships.",
     {{head::the_dimension, &ChangedName::dimension},
      {"name", Unit::text, Role::key, "The name.", &compare::SeenName::name},
      {"operation", Unit::text, Role::key, "Its type of operation: `kernel`, `memcpy` or `memset`.",
       &compare::SeenName::kind},
      {"within", Unit::text, Role::key,
       "The names of the modules or ranges that enclose it, the outermost first; nothing if "
       "there are none.",
       [](const compare::SeenName& name) { return join(name.within, " / "); }, optional},
      {"from", Unit::text, Role::measure, "Its label in the old ruleset.", &ChangedName::from},
      {"to", Unit::text, Role::measure, "Its label in the new ruleset.", &ChangedName::to},
      {"old_rule", Unit::text, Role::measure,
       "The rule of the old ruleset that decides, as `file:line`; nothing if none does.",
       [](const ChangedName& one) -> const std::string& { return one.before.place; }, optional},
      {"new_rule", Unit::text, Role::measure, "The same in the new ruleset.",
       [](const ChangedName& one) -> const std::string& { return one.after.place; }, optional},
      {"seen_in", Unit::text, Role::measure,
       "Where the name was seen: in a `run` or `list` given to the command, in a `test` of the "
       "rulesets, or among the names that are `shipped` with kr.",
       [](const compare::SeenName& name) { return to_string(name.seen_in); }},
      {"total_ns", Unit::ns, Role::measure,
       "The time of the name in the runs given to the command.", &compare::SeenName::total_ns},
      {"models", Unit::text, Role::measure,
       "The models of the old ruleset in which it changes in this way, with commas between.",
       [](const ChangedName& one) { return join(one.models, ", "); }}}},
    needs<RulesDifference>,
    add_changed_names};

const Definition setting_changes_table = TableOf<SettingChangeRow>{
    {"setting_changes",
     "changes besides labels of names",
     "One row per thing that only one of two rulesets says besides labels of names, or that both "
     "say in another way. What several models have is one row.",
     {{"what", Unit::text, Role::key,
       "What it is: `title` or `detect` (of an engine or model), `numbers of a phase`, `fold`, "
       "`abbreviation`, `cost`, or `label` (declared, with its title and colour).",
       [](const compare::SettingChange& one) { return to_string(one.what); }},
      {"subject", Unit::text, Role::key,
       "What it is about: the op of a cost, the dimension and name of a label, the phase; `order` "
       "of an abbreviation that is only applied earlier or later; nothing if `models` says it.",
       &compare::SettingChange::subject, optional},
      {"models", Unit::text, Role::key,
       "The engine or models of the old ruleset that have it, with commas between.",
       [](const compare::SettingChange& one) { return join(one.models, ", "); }},
      {"old", Unit::text, Role::measure,
       "What the old ruleset says, on one line; nothing if it does not say it.",
       [](const SettingChangeRow& row) -> const std::string& { return row.before.text; }, optional},
      {"new", Unit::text, Role::measure, "What the new ruleset says.",
       [](const SettingChangeRow& row) -> const std::string& { return row.after.text; }, optional},
      {"old_place", Unit::text, Role::measure,
       "Where the old ruleset says it, as `file:line`; nothing if it does not.",
       [](const SettingChangeRow& row) -> const std::string& { return row.before.place; },
       optional},
      {"new_place", Unit::text, Role::measure, "The same in the new ruleset.",
       [](const SettingChangeRow& row) -> const std::string& { return row.after.place; }, optional},
      {"witness", Unit::text, Role::measure,
       "A name that shows the difference of a `detect` or `fold`; else nothing.",
       &compare::SettingChange::example, optional}}},
    needs<RulesDifference>,
    add_setting_changes};

const Definition rule_changes_part = TableOf<RuleChangeRow>{
    {"rule_changes",
     "changes of labels",
     "One row per model, dimension and pair of labels: some names have one label in the old "
     "ruleset and the other in the new.",
     {{head::engine, &Change::engine},
      {"model", Unit::text, Role::key, "The model.", &Change::model},
      {head::the_dimension, &Change::dimension},
      {"from", Unit::text, Role::key,
       "The label in the old ruleset; `unclassified` if no rule matches, `(its own name)` if "
       "the rule keeps the name.",
       [](const Change& change) { return &change.move.from; }},
      {"to", Unit::text, Role::key, "The label in the new ruleset, written as `from` is.",
       [](const Change& change) { return &change.move.to; }},
      {"witness", Unit::text, Role::measure,
       "A name whose label changes in this way: one that was seen if there is any, of these the "
       "one with the longest time.",
       &Witness::name},
      {"operation", Unit::text, Role::measure,
       "The type of operation of that name: `kernel`, `memcpy` or `memset`.", &Witness::kind},
      {"within", Unit::text, Role::measure,
       "The names of the modules or ranges that enclose it, the outermost first; nothing if "
       "there are none.",
       [](const Witness& witness) { return join(witness.within, " / "); }, optional},
      {"sequence", Unit::text, Role::measure,
       "Of order rules: names of operations that follow each other on a stream, with the one whose "
       "label changes in brackets.",
       [](const Change& change) {
         return change.move.order ? std::string_view(change.move.order->sequence)
                                  : std::string_view();
       },
       optional},
      {"names", Unit::count, Role::measure,
       "How many of the names of the runs and lists given to the command change in this way.",
       &CountedMove::names},
      {"total_ns", Unit::ns, Role::measure,
       "The time of these names in the runs given to the command.", &CountedMove::total_ns},
      {"known_names", Unit::count, Role::measure,
       "How many other known names change in this way: those in the tests of both rulesets, and "
       "those that kr ships.",
       &CountedMove::known_names},
      {"seen_in", Unit::text, Role::measure,
       "Where the witness was seen: in a `run` or `list` given to the command, in a `test` of "
       "the rulesets, or among the names that are `shipped` with kr; `invented` if no name seen "
       "changes in this way.",
       [](const CountedMove& one) {
         return one.seen_in ? to_string(*one.seen_in) : std::string_view("invented");
       }},
      {"old_rule", Unit::text, Role::measure,
       "The rule of the old ruleset that decides for the witness, as `file:line`; nothing if "
       "none does.",
       &RuleChangeRow::old_place, optional},
      {"new_rule", Unit::text, Role::measure, "The same in the new ruleset.",
       &RuleChangeRow::new_place, optional}}},
    needs<RulesDifference>,
    add_rule_changes};

const Definition model_changes_part = TableOf<ModelChangeRow>{
    {"model_changes",
     "models of one ruleset only",
     "One row per model that only one of two rulesets has.",
     {{"model", Unit::text, Role::key, "The engine and the model, as in `vllm/llama`.",
       &ModelChangeRow::model},
      {"only_in", Unit::text, Role::measure, "The ruleset that has it: `old` or `new`.",
       &ModelChangeRow::side}}},
    needs<RulesDifference>,
    add_model_changes};

const Definition rule_changes_table = scoped(
    "rule_changes", "changes of labels",
    "One row per pair of labels that names have in two rulesets, and per model that only one of "
    "them has.",
    {{.part = rule_changes_part, .name = "label"}, {.part = model_changes_part, .name = "model"}});

}  // namespace kr::tables

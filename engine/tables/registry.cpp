#include "tables/registry.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace kr::tables {

extern const Definition runs_table, notes_table, labels_table, label_balance_table, devices_table,
    kernels_table, operations_table, host_calls_table, host_ranges_table;
extern const Definition streams_table, idle_table, launch_matching_table, launches_table,
    launch_queue_table, attribution_table;
extern const Definition ranks_table, rank_balance_table, rank_step_balance_table, rank_steps_table,
    collective_balance_table, collectives_table;
extern const Definition phases_table, steps_table, phase_labels_table, step_labels_table,
    layers_table;
extern const Definition kernels_by_device_table, activity_table, activity_longest_table,
    activity_ratios_table, names_only_in_table;
extern const Definition tree_table, tree_steps_table, tree_trends_table, tree_layers_table,
    tree_attribution_table, tree_context_table;
extern const Definition coverage_table, unexplained_table, unexplained_names_table,
    unexplained_runs_table;
extern const Definition comparison_table, label_changes_table, name_changes_table,
    rule_changes_table, model_changes_table;
extern const Definition explanations_table, explanation_alternatives_table;
extern const Definition list_engines_table, list_models_table, list_labels_table,
    list_patterns_table, list_modules_table, list_checks_table, list_formats_table,
    list_rulesets_table, list_tables_table, list_columns_table;

namespace {

/// The one list. A new table is its own file and one line here.
constexpr std::array all_tables{
    &runs_table,
    &notes_table,
    &labels_table,
    &label_balance_table,
    &devices_table,
    &streams_table,
    &kernels_table,
    &operations_table,
    &host_calls_table,
    &host_ranges_table,
    &launch_matching_table,
    &idle_table,
    &ranks_table,
    &rank_balance_table,
    &rank_step_balance_table,
    &rank_steps_table,
    &collective_balance_table,
    &collectives_table,
    &phases_table,
    &steps_table,
    &phase_labels_table,
    &step_labels_table,
    &layers_table,
    &kernels_by_device_table,
    &launches_table,
    &launch_queue_table,
    &activity_table,
    &activity_longest_table,
    &activity_ratios_table,
    &attribution_table,
    &names_only_in_table,
    &tree_table,
    &tree_steps_table,
    &tree_trends_table,
    &tree_layers_table,
    &tree_attribution_table,
    &tree_context_table,
    &coverage_table,
    &unexplained_table,
    &unexplained_names_table,
    &unexplained_runs_table,
    &comparison_table,
    &label_changes_table,
    &name_changes_table,
    &rule_changes_table,
    &model_changes_table,
    &explanations_table,
    &explanation_alternatives_table,
    &list_engines_table,
    &list_models_table,
    &list_labels_table,
    &list_patterns_table,
    &list_modules_table,
    &list_checks_table,
    &list_formats_table,
    &list_rulesets_table,
    &list_tables_table,
    &list_columns_table,
};

bool meets(const Source& source, Needs needs) {
  const auto every_run = [&](const auto& has) {
    return !source.runs.empty() && std::all_of(source.runs.begin(), source.runs.end(), has);
  };
  switch (needs) {
    case Needs::nothing:
      return true;
    case Needs::rules:
      return source.rules != nullptr;
    case Needs::runs:
      return !source.runs.empty();
    case Needs::statistics:
      return every_run([](const Run& run) { return run.statistics.has_value(); });
    case Needs::operations:
      return every_run([](const Run& run) { return run.trace != nullptr; });
    case Needs::tree:
      return source.tree != nullptr;
    case Needs::coverage:
      return source.coverage != nullptr;
    case Needs::run_difference:
      return source.run_difference != nullptr;
    case Needs::rules_difference:
      return source.rules_difference != nullptr;
    case Needs::explanation:
      return source.explanation != nullptr;
    case Needs::rulesets:
      return source.rulesets != nullptr;
  }
  return false;
}

}  // namespace

std::string_view to_string(Needs needs) noexcept {
  switch (needs) {
    case Needs::nothing:
      break;
    case Needs::rules:
      return "rules";
    case Needs::runs:
      return "runs";
    case Needs::statistics:
      return "statistics";
    case Needs::operations:
      return "operations";
    case Needs::tree:
      return "tree";
    case Needs::coverage:
      return "coverage";
    case Needs::run_difference:
      return "two runs";
    case Needs::rules_difference:
      return "two rulesets";
    case Needs::explanation:
      return "a name";
    case Needs::rulesets:
      return "rulesets";
  }
  return {};
}

std::span<const Definition* const> all() {
  return all_tables;
}

const Definition* find(std::string_view id) {
  const auto found = std::find_if(all_tables.begin(), all_tables.end(),
                                  [&](const Definition* one) { return one->info.id == id; });
  return found == all_tables.end() ? nullptr : *found;
}

std::vector<const table::Info*> all_infos() {
  std::vector<const table::Info*> infos;
  infos.reserve(all_tables.size());
  for (const Definition* one : all_tables) infos.push_back(&one->info);
  return infos;
}

bool is_about_runs(const Definition& definition) {
  return definition.info.describes_results || definition.needs == Needs::runs ||
         definition.needs == Needs::statistics || definition.needs == Needs::operations;
}

table::Table make(const Definition& definition, const Source& source) {
  std::vector<Column> columns;
  for (const Column& column : definition.info.columns) {
    if (column.id != table::dimension_columns) {
      columns.push_back(column);
      continue;
    }
    for (const std::string& dimension : dimensions_of(source)) {
      Column& one = columns.emplace_back(column);
      one.id = dimension_column(definition, dimension);
      one.doc = "The label in the dimension `" + dimension + "`.";
    }
  }
  return {definition.info, std::move(columns),
          [&definition, &source](RowSink& sink) { definition.rows(source, sink); }};
}

std::string absent(const Definition& definition, const Source& source) {
  if (!meets(source, definition.needs)) return "it is not a result of this command";
  return definition.absent != nullptr ? definition.absent(source) : std::string();
}

std::vector<std::string> dimensions_of(const Source& source) {
  std::set<std::string> present;
  for (const Run& run : source.runs) {
    for (const analyze::DimensionSum& one : run.summary.dimensions) present.insert(one.dimension);
  }
  std::vector<std::string> names;
  for (const char* first : {"stage", "substage"}) {
    if (present.erase(first) > 0) names.emplace_back(first);
  }
  const bool kind = present.erase("kind") > 0;
  names.insert(names.end(), present.begin(), present.end());
  if (kind) names.emplace_back("kind");
  return names;
}

std::string dimension_column(const Definition& definition, std::string_view dimension) {
  for (const Column& column : definition.info.columns) {
    if (column.id == dimension) return std::string(dimension) + "_label";
  }
  return std::string(dimension);
}

std::vector<const analyze::RunSummary*> Source::summaries() const {
  std::vector<const analyze::RunSummary*> all;
  all.reserve(runs.size());
  for (const Run& run : runs) all.push_back(&run.summary);
  return all;
}

const analyze::Ranks& Source::ranks() const {
  if (!ranks_) {
    std::vector<analyze::RankInput> inputs;
    for (const Run& run : runs) {
      inputs.push_back({&run.summary, run.statistics ? &*run.statistics : nullptr});
    }
    ranks_ = analyze::compare_ranks(inputs);
  }
  return *ranks_;
}

}  // namespace kr::tables

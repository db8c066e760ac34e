#include "tables/registry.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "analyze/found_phases.hpp"
#include "analyze/run.hpp"
#include "analyze/statistics.hpp"
#include "analyze/steps.hpp"
#include "analyze/streams.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "cost/costed_run.hpp"
#include "coverage/suggest.hpp"
#include "job/member.hpp"
#include "sema/load.hpp"
#include "tables/difference.hpp"
#include "tables/explanation.hpp"
#include "tables/source.hpp"
#include "what_if/what_if.hpp"

namespace kr::tables {

namespace {

constexpr std::array all_tables{
#define KR_TABLE(id) &id##_table,
#include "tables/tables.def"
#undef KR_TABLE
};

template <auto member>
bool has(const Source& source) {
  return source.*member != nullptr;
}

template <class Has>
bool every_run(const Source& source, const Has& has) {
  return !source.runs.empty() && std::all_of(source.runs.begin(), source.runs.end(), has);
}

struct NeedsInfo {
  Needs needs;
  std::string_view name;
  bool (*met)(const Source& source);
};

constexpr NeedsInfo all_needs[] = {
    {Needs::nothing, "", [](const Source&) { return true; }},
    {Needs::rules, "rules", has<&Source::rules>},
    {Needs::runs, "runs", [](const Source& source) { return !source.runs.empty(); }},
    {Needs::steps, "steps",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.steps() != nullptr; });
     }},
    {Needs::streams, "streams",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.streams != nullptr; });
     }},
    {Needs::statistics, "statistics",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.statistics != nullptr; });
     }},
    {Needs::collectives, "collectives",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.members != nullptr; });
     }},
    {Needs::found_phases, "found phases",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.found != nullptr; });
     }},
    {Needs::operations, "operations",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.trace != nullptr; });
     }},
    {Needs::costs, "costs",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.costs != nullptr; });
     }},
    {Needs::replay, "replay",
     [](const Source& source) {
       return every_run(source, [](const Run& run) { return run.replay != nullptr; });
     }},
    {Needs::tree, "tree", has<&Source::tree>},
    {Needs::coverage, "coverage", has<&Source::coverage>},
    {Needs::summed_or_measured, "runs",
     [](const Source& source) { return !source.runs.empty() || source.coverage != nullptr; }},
    {Needs::run_difference, "two runs", has<&Source::run_difference>},
    {Needs::rules_difference, "two rulesets", has<&Source::rules_difference>},
    {Needs::explanation, "a name", has<&Source::explanation>},
    {Needs::rulesets, "rulesets",
     [](const Source& source) { return source.shipped || source.rules != nullptr; }},
};

const NeedsInfo& info_of(Needs needs) {
  return *std::find_if(std::begin(all_needs), std::end(all_needs),
                       [&](const NeedsInfo& one) { return one.needs == needs; });
}

}  // namespace

std::string_view to_string(Needs needs) noexcept {
  return info_of(needs).name;
}

std::span<const Definition* const> all() {
  return all_tables;
}

const Definition* find(std::string_view id) {
  const auto found = std::find_if(all_tables.begin(), all_tables.end(), [&](const Definition* one) {
    return one->info.id == id || (!one->info.former_id.empty() && one->info.former_id == id);
  });
  return found == all_tables.end() ? nullptr : *found;
}

const Definition& known_table(const std::string& id) {
  if (const Definition* found = find(id)) return *found;
  std::vector<std::string> ids;
  for (const Definition* one : all()) ids.push_back(one->info.id);
  throw Error("", "unknown table `" + id + "`", near_or_all(id, ids));
}

std::vector<const table::Info*> all_infos() {
  std::vector<const table::Info*> infos;
  infos.reserve(all_tables.size());
  for (const Definition* one : all_tables) infos.push_back(&one->info);
  return infos;
}

bool is_about_runs(const Definition& definition) {
  switch (definition.needs) {
    case Needs::runs:
    case Needs::summed_or_measured:
    case Needs::steps:
    case Needs::streams:
    case Needs::statistics:
    case Needs::collectives:
    case Needs::found_phases:
    case Needs::operations:
    case Needs::costs:
    case Needs::replay:
      return true;
    default:
      return definition.info.describes_results;
  }
}

bool are_many_ranks(const Source& source) {
  return source.runs.size() > max_ranks_in_full && not_ranks(source).empty();
}

bool has_rows_within_ranks(const Definition& definition) {
  const auto names_rank = [](const Column& one) {
    return one.id == "run" || one.id == "run_a" || one.id == "run_b" || one.id == "rank";
  };
  const auto is_rank = [&](const Column& one) { return names_rank(one) && !one.optional; };
  const auto is_within = [&](const Column& one) { return !names_rank(one) && one.id != "device"; };
  bool of_rank = false;
  bool within = false;
  for (const Column& one : definition.info.columns) {
    if (one.role != Role::key) continue;
    of_rank |= is_rank(one);
    within |= is_within(one);
  }
  return of_rank && within && !definition.info.describes_results;
}

table::Table with_note(table::Table notes, Note note) {
  const table::Info& info = notes.info();
  std::vector<Column> columns = notes.columns();
  return {info, std::move(columns),
          [notes = std::move(notes), note = std::move(note)](RowSink& sink) {
            notes.write(sink);
            sink.row({table::cell_or_nothing(note.run), note.severity, note.code, note.text,
                      table::cell(note.count), table::cell(note.first_offset)});
          }};
}

std::vector<table::Column> columns_with(const Definition& definition,
                                        const std::vector<std::string>& dimensions) {
  std::vector<Column> columns;
  for (const Column& column : definition.info.columns) {
    if (column.id != table::dimension_columns) {
      columns.push_back(column);
      continue;
    }
    for (const std::string& dimension : dimensions) {
      Column& one = columns.emplace_back(column);
      one.id = dimension_column(definition, dimension);
      one.doc = "The label in the dimension `" + dimension + "`.";
    }
  }
  return columns;
}

table::Table make(const Definition& definition, const Source& source) {
  return {definition.info, columns_with(definition, dimensions_of(source)),
          [&definition, &source](RowSink& sink) { definition.rows(source, sink); }};
}

table::Table make_saved(const Definition& definition, const Source& source) {
  if (definition.saved_rows == nullptr) return make(definition, source);
  return {definition.info, columns_with(definition, dimensions_of(source)),
          [&definition, &source](RowSink& sink) { definition.saved_rows(source, sink); }};
}

std::string absent(const Definition& definition, const Source& source) {
  if (!info_of(definition.needs).met(source)) return "it is not a result of this command";
  return definition.absent != nullptr ? definition.absent(source) : std::string();
}

std::vector<std::string> dimensions_of(const Source& source) {
  std::set<std::string> present;
  for (const Run& run : source.runs) {
    for (const analyze::DimensionSum& one : run.summary.dimensions) present.insert(one.dimension);
  }
  return in_usual_order(std::move(present));
}

std::vector<std::string> in_usual_order(std::set<std::string> present) {
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

}  // namespace kr::tables

// `kr coverage`: how much of the time the rules explain, and what they leave unexplained.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "coverage/suggest.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using coverage::MeasuredName;

using coverage::MeasuredRun;
using coverage::Suggestion;

Cell share_explained_of(int64_t explained_ns, int64_t total_ns) {
  if (total_ns == 0) return {};
  return static_cast<double>(explained_ns) / static_cast<double>(total_ns);
}

double points_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

int64_t count_unexplained(const MeasuredRun& run) {
  return std::count_if(run.names.begin(), run.names.end(),
                       [](const MeasuredName& name) { return !name.explained; });
}

struct CoverageRow {
  std::string_view run;
  std::string_view dimension;
  int64_t explained_ns;
  int64_t total_ns;
  size_t names;
  int64_t unexplained_names;
  int64_t common_words_ns;
};

/// Of the one dimension that `kr coverage` measures; otherwise of all.
void add_coverage(const Source& source, Rows<CoverageRow>& rows) {
  if (source.coverage != nullptr) {
    for (const MeasuredRun& run : source.coverage->runs) {
      rows.add({run.id, source.coverage->dimension, run.explained_ns, run.total_ns,
                run.names.size(), count_unexplained(run), run.common_words_ns});
    }
    return;
  }
  for (const Run& one : source.runs) {
    const analyze::RunSummary& run = one.summary;
    for (const std::string& dimension : name_dimensions_of(source)) {
      const auto at = run.dimension(dimension);
      if (!at) continue;
      const analyze::DimensionSum& sum = run.dimensions[*at];
      rows.add({run.id, dimension, sum.explained_ns, run.gpu_total_ns, run.names.size(),
                sum.unexplained_names, sum.common_words_ns});
    }
  }
}

struct UnexplainedRow : Parts<Suggestion> {
  size_t place;
  int64_t all_ns;
  std::string_view path;
};

void add_unexplained(const Source& source, Rows<UnexplainedRow>& rows) {
  const coverage::TimeCoverage& coverage = *source.coverage;
  const source::SourceMap& sources = source.rules->sources();
  for (size_t i = 0; i < coverage.unexplained.size(); ++i) {
    const Suggestion& one = coverage.unexplained[i];
    rows.add({{one},
              i,
              coverage.total_ns,
              one.place.installed ? std::string_view()
                                  : std::string_view(sources.path(one.place.file))});
  }
}

struct UnexplainedNameRow : Parts<MeasuredName> {
  size_t group;
};

void add_unexplained_names(const Source& source, Rows<UnexplainedNameRow>& rows) {
  const std::vector<Suggestion>& groups = source.coverage->unexplained;
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const MeasuredName& name : groups[i].names) {
      rows.add({{name}, i});
    }
  }
}

struct UnexplainedRunRow : Parts<MeasuredRun, Suggestion::InRun> {
  size_t group;
};

void add_unexplained_runs(const Source& source, Rows<UnexplainedRunRow>& rows) {
  const coverage::TimeCoverage& coverage = *source.coverage;
  for (size_t i = 0; i < coverage.unexplained.size(); ++i) {
    for (const Suggestion::InRun& in_run : coverage.unexplained[i].runs) {
      const MeasuredRun& run = coverage.runs[in_run.run];
      rows.add({{run, in_run}, i});
    }
  }
}

}  // namespace

const Definition coverage_table = TableOf<CoverageRow>{
    {"coverage",
     "coverage",
     "One row per run and dimension: how much of the run's total time its rules explain.",
     {{head::run, &CoverageRow::run},
      {"dimension", Unit::text, Role::key, "The dimension whose labels explain.",
       &CoverageRow::dimension},
      {"explained_ns", Unit::ns, Role::measure,
       "The time of operations that a rule labels, `otherwise` not counted.",
       &CoverageRow::explained_ns},
      {"total_ns", Unit::ns, Role::measure,
       "The time of all operations, or of all leaves of its module trees.", &CoverageRow::total_ns},
      {"share", Unit::ratio, Role::measure,
       "The part of the total time that is explained; nothing if the run has no time.",
       [](const CoverageRow& row) { return share_explained_of(row.explained_ns, row.total_ns); },
       optional | read_with("explained_ns")},
      {"names", Unit::count, Role::measure,
       "How many distinct names the run has; a name with several labels counts once for each.",
       &CoverageRow::names},
      {"unexplained_names", Unit::count, Role::measure,
       "How many of these names are not explained.", &CoverageRow::unexplained_names},
      {"common_words_ns", Unit::ns, Role::measure,
       "The part of `explained_ns` whose label comes from common words of names alone "
       "(`std.words`), because no family of kernels matches: it may be wrong.",
       &CoverageRow::common_words_ns}}},
    needs<analyze::RunSummary>,
    add_coverage,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    needs<coverage::TimeCoverage>};

const Definition unexplained_table = TableOf<UnexplainedRow>{
    {"unexplained",
     "unexplained names",
     "One row per group of similar names that no rule explains, with a rule that labels them.",
     {{"group", Unit::id, Role::key, "The place of the group by total time, from 0.",
       &UnexplainedRow::place},
      {"likeness", Unit::text, Role::measure, "What the names of the group have in common.",
       &Suggestion::common_text},
      {"names", Unit::count, Role::measure, "How many distinct names the group has.",
       [](const Suggestion& one) { return one.names.size(); }},
      {"instances", Unit::count, Role::measure,
       "How many operations have one of these names, in all runs.", &Suggestion::instances},
      {head::total_of_runs_ns, &Suggestion::total_ns},
      {"points", Unit::percent, Role::measure,
       "The time of these operations in percent of all time of all runs.",
       [](const UnexplainedRow& row) {
         return points_of(row.of<Suggestion>().total_ns, row.all_ns);
       }},
      {"label", Unit::text, Role::measure,
       "The label that the suggested rule gives; the label of `otherwise` if no word of the "
       "names suggests one.",
       &Suggestion::label},
      {"label_words", Unit::text, Role::detail,
       "The words of the names that suggest the label; nothing if there are none.",
       [](const Suggestion& one) { return join(one.label_words, " "); }, optional},
      {"rule", Unit::text, Role::detail,
       "The suggested rule; nothing if the only name of the group is empty.", &Suggestion::rule,
       optional},
      {"file", Unit::text, Role::measure,
       "The rules file where the rule goes; nothing if the engine's file is installed with kr: "
       "then "
       "`insert` is a file of one's own that extends the model, or nothing for `generic` (`kr "
       "init` "
       "writes one).",
       &UnexplainedRow::path, optional},
      {"line", Unit::id, Role::measure,
       "The line of that file below which, or in which, the rule goes, from 1.",
       [](const Suggestion& one) { return one.place.installed ? nullptr : &one.place.line; }},
      {"byte", Unit::id, Role::detail, "The byte of that file before which `insert` goes, from 0.",
       [](const Suggestion& one) { return one.place.installed ? nullptr : &one.place.byte; }},
      {"owner", Unit::text, Role::measure, "The engine or model that gets the rule.",
       [](const Suggestion& one) { return &one.place.owner; }},
      {"insert", Unit::text, Role::detail,
       "The text to insert: the rule, with its block if that is new, or a whole file.",
       &Suggestion::insert, optional},
      {"name", Unit::text, Role::measure, "The name of the group that takes most time.",
       [](const Suggestion& one) { return one.names[0].name; }},
      {"test", Unit::text, Role::detail, "A `test` block for the rule, with that name.",
       &Suggestion::test}}},
    needs<coverage::TimeCoverage>,
    add_unexplained};

const Definition unexplained_names_part = TableOf<UnexplainedNameRow>{
    {"unexplained_names",
     "names of unexplained groups",
     "One row per name that no rule explains and per group of `unexplained`.",
     {{head::group, &UnexplainedNameRow::group},
      {"name", Unit::text, Role::key, "The name of operations.", &MeasuredName::name},
      {head::type, &MeasuredName::kind},
      {"instances", Unit::count, Role::measure,
       "How many operations of the group have this name, in all runs.", &MeasuredName::instances},
      {head::total_of_runs_ns, &MeasuredName::total_ns}},
     false,
     false},
    needs<coverage::TimeCoverage>,
    add_unexplained_names};

const Definition unexplained_runs_part = TableOf<UnexplainedRunRow>{
    {"unexplained_runs",
     "unexplained groups by run",
     "One row per group of `unexplained` and run that has names of it.",
     {{head::group, &UnexplainedRunRow::group},
      {head::run, &MeasuredRun::id},
      {"instances", Unit::count, Role::measure,
       "How many operations of the run have a name of the group.", &Suggestion::InRun::instances},
      {head::total_of_these_ns, &Suggestion::InRun::total_ns},
      {"points", Unit::percent, Role::measure,
       "The time of these operations in percent of all time of the run.",
       [](const UnexplainedRunRow& row) {
         return points_of(row.of<Suggestion::InRun>().total_ns, row.of<MeasuredRun>().total_ns);
       }}},
     false,
     false},
    needs<coverage::TimeCoverage>,
    add_unexplained_runs};

const Definition unexplained_parts_table =
    scoped("unexplained_parts", "parts of unexplained groups",
           "One row per group of `unexplained` and name or run in it.",
           {{.part = unexplained_names_part, .name = "name", .key = "name"},
            {.part = unexplained_runs_part, .name = "run", .key = "run"}});

}  // namespace kr::tables

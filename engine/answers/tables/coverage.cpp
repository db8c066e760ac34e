// `kr coverage`: how much of the time the rules explain, and what they leave unexplained.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "coverage/suggest.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

Cell share_explained_of(int64_t explained_ns, int64_t total_ns) {
  if (total_ns == 0) return {};
  return static_cast<double>(explained_ns) / static_cast<double>(total_ns);
}

double points_of(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

int64_t count_unexplained(const coverage::MeasuredRun& run) {
  return std::count_if(run.names.begin(), run.names.end(),
                       [](const coverage::MeasuredName& name) { return !name.explained; });
}

/// Of the one dimension that `kr coverage` measures; otherwise of all.
void add_coverage(const Source& source, RowSink& sink) {
  if (source.coverage != nullptr) {
    for (const coverage::MeasuredRun& run : source.coverage->runs) {
      sink.row({run.id, source.coverage->dimension, run.explained_ns, run.total_ns,
                share_explained_of(run.explained_ns, run.total_ns),
                static_cast<int64_t>(run.names.size()), count_unexplained(run),
                run.common_words_ns});
    }
    return;
  }
  for (const Run& one : source.runs) {
    const analyze::RunSummary& run = one.summary;
    for (const std::string& dimension : dimensions_of(source)) {
      const auto at = run.dimension(dimension);
      if (!at) continue;
      const analyze::DimensionSum& sum = run.dimensions[*at];
      sink.row({run.id, dimension, sum.explained_ns, run.gpu_total_ns,
                share_explained_of(sum.explained_ns, run.gpu_total_ns),
                static_cast<int64_t>(run.names.size()), sum.unexplained_names,
                sum.common_words_ns});
    }
  }
}

void add_unexplained(const Source& source, RowSink& sink) {
  const coverage::TimeCoverage& coverage = *source.coverage;
  const source::SourceMap& sources = source.rules->sources();
  for (size_t i = 0; i < coverage.unexplained.size(); ++i) {
    const coverage::Suggestion& one = coverage.unexplained[i];
    const std::string words = join(one.label_words, " ");
    sink.row({static_cast<int64_t>(i), one.common_text, static_cast<int64_t>(one.names.size()),
              one.instances, one.total_ns, points_of(one.total_ns, coverage.total_ns), one.label,
              table::cell_or_nothing(words), table::cell_or_nothing(one.rule),
              sources.path(one.place.file), int64_t{one.place.line}, int64_t{one.place.byte},
              one.place.owner, one.insert, one.names[0].name, one.test});
  }
}

void add_unexplained_names(const Source& source, RowSink& sink) {
  const std::vector<coverage::Suggestion>& groups = source.coverage->unexplained;
  for (size_t i = 0; i < groups.size(); ++i) {
    for (const coverage::MeasuredName& name : groups[i].names) {
      sink.row({static_cast<int64_t>(i), name.name, to_string(name.kind), name.instances,
                name.total_ns});
    }
  }
}

void add_unexplained_runs(const Source& source, RowSink& sink) {
  const coverage::TimeCoverage& coverage = *source.coverage;
  for (size_t i = 0; i < coverage.unexplained.size(); ++i) {
    for (const coverage::Suggestion::InRun& in_run : coverage.unexplained[i].runs) {
      const coverage::MeasuredRun& run = coverage.runs[in_run.run];
      sink.row({static_cast<int64_t>(i), run.id, in_run.instances, in_run.total_ns,
                points_of(in_run.total_ns, run.total_ns)});
    }
  }
}

}  // namespace

const Definition coverage_table{
    {"coverage",
     "coverage",
     "One row per run and dimension: how much of the run's total time its rules explain.",
     {
         {"run", Unit::text, Role::key, "The run."},
         {"dimension", Unit::text, Role::key, "The dimension whose labels explain."},
         {"explained_ns", Unit::ns, Role::measure,
          "The time of operations that a rule labels, `otherwise` not counted."},
         {"total_ns", Unit::ns, Role::measure,
          "The time of all operations, or of all leaves of its module trees."},
         {"share", Unit::ratio, Role::measure,
          "The part of the total time that is explained; nothing if the run has no time.", true,
          false, "explained_ns"},
         {"names", Unit::count, Role::measure,
          "How many distinct names the run has; a name with several labels counts once for each."},
         {"unexplained_names", Unit::count, Role::measure,
          "How many of these names are not explained."},
         {"common_words_ns", Unit::ns, Role::measure,
          "The part of `explained_ns` whose label comes from common words of names alone "
          "(`std.words`), because no family of kernels matches: it may be wrong."},
     }},
    needs<analyze::RunSummary>,
    add_coverage,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    false,
    needs<coverage::TimeCoverage>};

const Definition unexplained_table{
    {"unexplained",
     "unexplained names",
     "One row per group of similar names that no rule explains, with a rule that labels them.",
     {
         {"group", Unit::id, Role::key, "The place of the group by total time, from 0."},
         {"likeness", Unit::text, Role::measure, "What the names of the group have in common."},
         {"names", Unit::count, Role::measure, "How many distinct names the group has."},
         {"instances", Unit::count, Role::measure,
          "How many operations have one of these names, in all runs."},
         {"total_ns", Unit::ns, Role::measure, "The time of these operations, in all runs."},
         {"points", Unit::percent, Role::measure,
          "The time of these operations in percent of all time of all runs."},
         {"label", Unit::text, Role::measure,
          "The label that the suggested rule gives; the label of `otherwise` if no word of the "
          "names suggests one."},
         {"label_words", Unit::text, Role::detail,
          "The words of the names that suggest the label; nothing if there are none.", true},
         {"rule", Unit::text, Role::detail,
          "The suggested rule; nothing if the only name of the group is empty.", true},
         {"file", Unit::text, Role::measure, "The rules file where the rule goes."},
         {"line", Unit::id, Role::measure,
          "The line of that file below which, or in which, the rule goes, from 1."},
         {"byte", Unit::id, Role::detail,
          "The byte of that file before which `insert` goes, from 0."},
         {"owner", Unit::text, Role::measure, "The engine or model that gets the rule."},
         {"insert", Unit::text, Role::detail,
          "The text to insert: the rule, with its block if that is new."},
         {"name", Unit::text, Role::measure, "The name of the group that takes most time."},
         {"test", Unit::text, Role::detail, "A `test` block for the rule, with that name."},
     }},
    needs<coverage::TimeCoverage>,
    add_unexplained};

const Definition unexplained_names_table{
    {"unexplained_names",
     "names of unexplained groups",
     "One row per name that no rule explains and per group of `unexplained`.",
     {
         {"group", Unit::id, Role::key, "The group, as in `unexplained`."},
         {"name", Unit::text, Role::key, "The name of operations."},
         {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
         {"instances", Unit::count, Role::measure,
          "How many operations of the group have this name, in all runs."},
         {"total_ns", Unit::ns, Role::measure, "The time of these operations, in all runs."},
     },
     false,
     false},
    needs<coverage::TimeCoverage>,
    add_unexplained_names};

const Definition unexplained_runs_table{
    {"unexplained_runs",
     "unexplained groups by run",
     "One row per group of `unexplained` and run that has names of it.",
     {
         {"group", Unit::id, Role::key, "The group, as in `unexplained`."},
         {"run", Unit::text, Role::key, "The run."},
         {"instances", Unit::count, Role::measure,
          "How many operations of the run have a name of the group."},
         {"total_ns", Unit::ns, Role::measure, "The time of these operations."},
         {"points", Unit::percent, Role::measure,
          "The time of these operations in percent of all time of the run."},
     },
     false,
     false},
    needs<coverage::TimeCoverage>,
    add_unexplained_runs};

}  // namespace kr::tables

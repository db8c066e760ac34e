// `kr diff` of runs: what changes in time, and why.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "tables/definition.hpp"
#include "tables/difference.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using changes::Comparison;
using changes::LabelChange;

/// Nothing if there is nothing to divide by.
Cell quotient(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Nothing if there is nothing to compare with.
Cell change_percent(const changes::Pair& time) {
  if (time.a.total_ns == 0) return {};
  return 100 * static_cast<double>(time.change_ns()) / static_cast<double>(time.a.total_ns);
}

/// Three cells: both sides and the change.
void add_per_unit(Cells& row, const std::optional<changes::PerUnit>& means) {
  if (!means) {
    row.resize(row.size() + 3);
    return;
  }
  row.insert(row.end(), {means->a_ns, means->b_ns, table::cell(means->percent())});
}

Cell whole(double ns) {
  return int64_t{std::llround(ns)};
}

Cell interval_end(const std::optional<changes::MedianChange>& median,
                  double changes::MedianChange::*end) {
  return median ? whole((*median).*end) : Cell();
}

Cell median_percent(const std::optional<changes::MedianChange>& median) {
  if (!median || median->a_ns == 0) return {};
  return 100 * median->change_ns / median->a_ns;
}

/// `more`, `less`: what a change of that kind is called.
Cell verdict(const std::optional<changes::MedianChange>& median, std::string_view more,
             std::string_view less) {
  if (!median) return {};
  switch (changes::verdict_of(*median)) {
    case changes::Verdict::within_noise:
      return std::string_view("within noise");
    case changes::Verdict::more:
      return more;
    case changes::Verdict::less:
      return less;
  }
  return {};
}
Cell verdict(const std::optional<changes::MedianChange>& median) {
  return verdict(median, "more", "less");
}

/// Of the unit's phase. Nothing where the runs are not compared by steps, or lack kernels.
const changes::StepChange* wall_of(const Comparison& of) {
  const changes::PhaseChange* const phase = of.main_phase();
  return phase != nullptr ? &*phase->wall : nullptr;
}

void add_comparison(const Source& source, RowSink& sink) {
  const RunPair& pair = *source.run_difference;
  const Comparison& of = pair.comparison;
  const std::string unit = of.unit.text();
  const changes::Pair& time = of.total.time;
  const changes::StepChange* const wall = wall_of(of);
  const auto median = wall != nullptr ? wall->median : std::nullopt;
  Cells row{pair.a,
            pair.b,
            int64_t{of.comparable},
            of.why,
            table::cell_or_nothing(of.not_judged),
            unit,
            of.unit.a,
            of.unit.b,
            wall != nullptr ? whole(wall->a_ns) : Cell(),
            wall != nullptr ? whole(wall->b_ns) : Cell(),
            wall != nullptr ? table::cell(wall->percent()) : Cell(),
            interval_end(median, &changes::MedianChange::low_ns),
            interval_end(median, &changes::MedianChange::high_ns),
            of.not_judged.empty() ? verdict(median, "slower", "faster") : Cell(),
            of.a_span_ns > 0 ? Cell(of.a_span_ns) : Cell(),
            of.b_span_ns > 0 ? Cell(of.b_span_ns) : Cell(),
            wall == nullptr ? table::cell(of.span_percent()) : Cell(),
            time.a.total_ns,
            time.b.total_ns,
            time.change_ns(),
            change_percent(time),
            of.a_elapsed_ns,
            of.b_elapsed_ns,
            time.a.instances,
            time.b.instances};
  add_per_unit(row, of.total.per_unit);
  row.insert(row.end(), {of.total.parts.calls_ns, of.total.parts.time_per_call_ns,
                         of.total.parts.names_ns, median_percent(of.total.median)});
  sink.row(row);
}

void add_phase_changes(const Source& source, RowSink& sink) {
  const Comparison& of = source.run_difference->comparison;
  const auto add = [&](Cells& row, const std::optional<changes::StepChange>& change) {
    if (!change) {
      row.resize(row.size() + 3);
      return;
    }
    row.insert(row.end(),
               {whole(change->a_ns), whole(change->b_ns), table::cell(change->percent())});
  };
  for (const changes::PhaseChange& one : of.phases) {
    const auto median = one.wall ? one.wall->median : std::nullopt;
    Cells row{one.phase, one.a_steps, one.b_steps};
    add(row, one.wall);
    row.insert(row.end(), {interval_end(median, &changes::MedianChange::low_ns),
                           interval_end(median, &changes::MedianChange::high_ns),
                           of.not_judged.empty() ? verdict(median, "slower", "faster") : Cell()});
    add(row, one.idle);
    add(row, one.busy);
    add(row, one.work);
    sink.row(row);
  }
}

void add_label_changes(const Source& source, RowSink& sink) {
  const Comparison& of = source.run_difference->comparison;
  for (const LabelChange& one : of.labels) {
    const changes::Pair& time = one.time;
    Cells row{one.dimension,    one.label,        time.a.total_ns,
              time.b.total_ns,  time.change_ns(), change_percent(time),
              time.a.instances, time.b.instances};
    add_per_unit(row, one.per_unit);
    row.insert(
        row.end(),
        {quotient(time.a.total_ns, time.a.instances), quotient(time.b.total_ns, time.b.instances),
         one.parts.calls_ns, one.parts.time_per_call_ns, one.parts.names_ns,
         median_percent(one.median), interval_end(one.median, &changes::MedianChange::low_ns),
         interval_end(one.median, &changes::MedianChange::high_ns),
         of.not_judged.empty() ? verdict(one.median) : Cell()});
    sink.row(row);
  }
}

void add_name_changes(const Source& source, RowSink& sink) {
  const Comparison& of = source.run_difference->comparison;
  for (const changes::NameChange& one : of.names) {
    const changes::Pair& time = one.time;
    Cells row{one.name,         to_string(one.kind),  time.a.total_ns,  time.b.total_ns,
              time.change_ns(), change_percent(time), time.a.instances, time.b.instances};
    add_per_unit(row, one.per_unit);
    row.insert(row.end(), {quotient(time.a.total_ns, time.a.instances),
                           quotient(time.b.total_ns, time.b.instances), one.parts.calls_ns,
                           one.parts.time_per_call_ns, one.parts.names_ns});
    sink.row(row);
  }
}

/// The names of a group below each other, with its numbers in the first row: so each name and each
/// time is there once.
void add_substitutions(const Source& source, RowSink& sink) {
  const Comparison& of = source.run_difference->comparison;
  constexpr size_t numbers = 10;
  int64_t group = 0;
  for (const changes::Substitution& one : of.substitutions) {
    const changes::Pair& time = one.time;
    const auto name = [](const std::vector<std::string>& names, size_t place) {
      return place < names.size() ? Cell(names[place]) : Cell();
    };
    for (size_t i = 0; i < std::max(one.a_names.size(), one.b_names.size()); ++i) {
      Cells row{group, name(one.a_names, i), name(one.b_names, i), one.label};
      if (i > 0) {
        row.resize(row.size() + numbers);
      } else {
        row.insert(row.end(),
                   {one.position ? "position" : "likeness", changes::to_string(one.confidence),
                    table::cell(one.position), one.likeness, time.a.total_ns, time.b.total_ns,
                    time.change_ns(), change_percent(time), time.a.instances, time.b.instances});
      }
      sink.row(row);
    }
    ++group;
  }
}

std::string no_substitutions(const Source& source) {
  const Comparison& of = source.run_difference->comparison;
  return of.comparable ? "" : "the runs are not comparable";
}

std::string_view text_of(changes::Outcome outcome) {
  switch (outcome) {
    case changes::Outcome::passed:
      return "passed";
    case changes::Outcome::failed:
      return "failed";
    case changes::Outcome::undecided:
      return "undecided";
  }
  return {};
}

Cell percent_of_first(const GateResult& one, double ns) {
  return one.measured.a_ns == 0 ? Cell() : Cell(100 * ns / one.measured.a_ns);
}

void add_conditions(const Source& source, Rows<GateResult>& rows) {
  for (const GateResult& one : source.run_difference->gates) rows.add(one);
}

std::string no_conditions(const Source& source) {
  return source.run_difference->gates.empty() ? "no condition was given (--fail-if)" : "";
}

Column change(Column column) {
  column.is_change = true;
  return column;
}

/// What the tables of changes have in common, in their order.
std::vector<Column> change_columns() {
  return {
      {"a_ns", Unit::ns, Role::measure,
       "The time in the first run, summed over its operations: parallel ones add up."},
      {"b_ns", Unit::ns, Role::measure, "The same in the second run."},
      change({"change_ns", Unit::ns, Role::measure, "`b_ns` minus `a_ns`."}),
      change({"change_percent", Unit::percent, Role::measure,
              "`change_ns` in percent of `a_ns`; nothing if the first run has no such time.",
              true}),
      {"a_instances", Unit::count, Role::measure,
       "How many operations that is in the first run; invocations in module trees."},
      {"b_instances", Unit::count, Role::measure, "The same in the second run."},
      {"a_per_unit_ns", Unit::ns, Role::measure,
       "The mean per unit of the first run (table `comparison`): of steps of one phase, what these "
       "steps have of it. Of names, nothing if other steps or operations outside of steps exist.",
       true},
      {"b_per_unit_ns", Unit::ns, Role::measure, "The same in the second run.", true},
      change({"per_unit_percent", Unit::percent, Role::measure,
              "The change of the mean per unit, in percent of the first run.", true}),
      {"a_per_call_ns", Unit::ns, Role::measure, "`a_ns` divided by `a_instances`.", true},
      {"b_per_call_ns", Unit::ns, Role::measure, "`b_ns` divided by `b_instances`.", true},
      change({"calls_ns", Unit::ns, Role::measure,
              "Of names that both runs have: what comes from more or fewer calls, each as long as "
              "the mean call of its name in the first run."}),
      change({"time_per_call_ns", Unit::ns, Role::measure,
              "Of the same names: what comes from calls that take more or less time."}),
      change({"names_ns", Unit::ns, Role::measure,
              "All time of names that only the second run has, less that of names that only the "
              "first has. `calls_ns`, `time_per_call_ns` and `names_ns` add up to `change_ns`."}),
  };
}

std::vector<Column> interval_columns() {
  return {
      change({"median_percent", Unit::percent, Role::measure,
              "The change of the median step, or of the median run, in percent of the first; one "
              "stray step hardly moves it. Nothing if there are fewer than three of either.",
              true}),
      change({"low_ns", Unit::ns, Role::measure,
              "The lower end of the interval of 95 % for the change of the median step, or of the "
              "median run; nothing if there are fewer than three of either.",
              true}),
      change({"high_ns", Unit::ns, Role::measure, "The upper end of that interval.", true}),
      {"verdict", Unit::text, Role::measure,
       "`within noise` if the interval contains 0 or the change is below 1 %, else `more` or "
       "`less`; nothing without an interval, and if a run lacks kernels.",
       true},
  };
}

std::vector<Column> joined(std::vector<Column> columns, std::vector<Column> more) {
  std::ranges::move(more, std::back_inserter(columns));
  return columns;
}

}  // namespace

const Definition comparison_table{
    {"comparison",
     "comparison",
     "One row per comparison of runs: whether they can be compared, per what unit, the wall time "
     "of "
     "a median step, and the time of each side.",
     {
         {"a", Unit::text, Role::key, "The first run, or the runs of the first side."},
         {"b", Unit::text, Role::key, "The second run, or the runs of the second side."},
         {"comparable", Unit::boolean, Role::measure,
          "Whether labels that both runs have contain at least half of the time of each."},
         {"reason", Unit::text, Role::measure,
          "How much of the time has names and labels of both runs, or why they cannot be "
          "compared."},
         {"not_judged", Unit::text, Role::measure,
          "Why there is no verdict: the profiler lost kernels of a run.", true},
         {"unit", Unit::text, Role::measure,
          "What work is divided by: the steps of the phase with most of the time of both, if steps "
          "have at least half of it; else the repeated blocks, if the operations of common names "
          "have the same ratio; else these operations; else the runs."},
         {"a_units", Unit::count, Role::measure, "How many of them the first side has."},
         {"b_units", Unit::count, Role::measure, "How many of them the second side has."},
         {"a_wall_median_ns", Unit::ns, Role::measure,
          "The median wall time of these steps in the first run (`wall_ns` of `steps`), or of the "
          "repeats of a block (`wall_ns` of `repeats`); of several runs a side, the median of "
          "theirs. Nothing if they have neither in common.",
          true},
         {"b_wall_median_ns", Unit::ns, Role::measure, "The same of the second side.", true},
         change({"wall_median_percent", Unit::percent, Role::measure,
                 "The change of that, in percent of the first side.", true}),
         change({"low_ns", Unit::ns, Role::measure,
                 "The lower end of the interval of 95 % for the change of the median wall time; "
                 "nothing if a side has fewer than three values.",
                 true}),
         change({"high_ns", Unit::ns, Role::measure, "The upper end of that interval.", true}),
         {"verdict", Unit::text, Role::measure,
          "Of the median wall time: `within noise` if the interval contains 0 or the change is "
          "below 1 %, else `slower` or `faster`.",
          true},
         {"a_span_ns", Unit::ns, Role::measure,
          "From the first start to the last end of the first run; of several, the sum. Nothing of "
          "module trees.",
          true},
         {"b_span_ns", Unit::ns, Role::measure, "The same of the second side.", true},
         change(
             {"span_percent", Unit::percent, Role::measure,
              "The change of the span for equal numbers of units, in percent; nothing where steps "
              "have a wall time.",
              true}),
         {"a_ns", Unit::ns, Role::measure,
          "The work of the first side: the sum of the durations of all operations, parallel ones "
          "add up."},
         {"b_ns", Unit::ns, Role::measure, "The same of the second side."},
         change({"change_ns", Unit::ns, Role::measure, "`b_ns` minus `a_ns`."}),
         change({"change_percent", Unit::percent, Role::measure,
                 "`change_ns` in percent of `a_ns`; nothing if the first side has no time.", true}),
         {"a_elapsed_ns", Unit::ns, Role::measure,
          "The time in which at least one operation of the first side runs."},
         {"b_elapsed_ns", Unit::ns, Role::measure, "The same of the second side."},
         {"a_instances", Unit::count, Role::measure, "The operations of the first side."},
         {"b_instances", Unit::count, Role::measure, "The operations of the second side."},
         {"a_per_unit_ns", Unit::ns, Role::measure,
          "The mean work per unit of the first side: of steps of one phase, that of these steps."},
         {"b_per_unit_ns", Unit::ns, Role::measure, "The same of the second side."},
         change({"per_unit_percent", Unit::percent, Role::measure,
                 "The change of that, in percent of the first side.", true}),
         change({"calls_ns", Unit::ns, Role::measure,
                 "The sum of this column of `changes`, and of `changes` of a dimension."}),
         change({"time_per_call_ns", Unit::ns, Role::measure, "The same of that column."}),
         change({"names_ns", Unit::ns, Role::measure,
                 "The same of that column. The three add up to `change_ns`."}),
         change({"median_percent", Unit::percent, Role::measure,
                 "The change of the work of a median step, or of the median run, in percent of the "
                 "first; nothing if there are fewer than three of either.",
                 true}),
     }},
    needs<RunPair>,
    add_comparison};

const Definition phase_changes_table{
    {"phase_changes",
     "changes by phase",
     "One row per phase that both runs have: the medians of its steps, the phase with most work "
     "first. Of several runs a side, the medians of theirs.",
     {
         {"phase", Unit::text, Role::key, "The phase."},
         {"a_steps", Unit::count, Role::measure, "Its steps in the first run."},
         {"b_steps", Unit::count, Role::measure, "Its steps in the second run."},
         {"a_wall_ns", Unit::ns, Role::measure,
          "The median wall time of a step in the first run: `wall_ns` of `steps`.", true},
         {"b_wall_ns", Unit::ns, Role::measure, "The same in the second run.", true},
         change({"wall_percent", Unit::percent, Role::measure,
                 "The change of that, in percent of the first run.", true}),
         change({"low_ns", Unit::ns, Role::detail,
                 "The lower end of the interval of 95 % for the change of the median wall time; "
                 "nothing if a side has fewer than three values.",
                 true}),
         change({"high_ns", Unit::ns, Role::detail, "The upper end of that interval.", true}),
         {"verdict", Unit::text, Role::measure,
          "Of the median wall time: `within noise` if the interval contains 0 or the change is "
          "below 1 %, else `slower` or `faster`; nothing without an interval, and if a run lacks "
          "kernels.",
          true},
         {"a_idle_ns", Unit::ns, Role::measure,
          "The median of the wall time in which no operation of the step runs, in the first run.",
          true},
         {"b_idle_ns", Unit::ns, Role::measure, "The same in the second run.", true},
         change({"idle_percent", Unit::percent, Role::measure, "The change of that.", true}),
         {"a_busy_ns", Unit::ns, Role::measure,
          "The median of the time in which an operation of the step runs, in the first run.", true},
         {"b_busy_ns", Unit::ns, Role::measure, "The same in the second run.", true},
         change({"busy_percent", Unit::percent, Role::measure, "The change of that.", true}),
         {"a_work_ns", Unit::ns, Role::measure,
          "The median of the sum of the durations of its operations, in the first run."},
         {"b_work_ns", Unit::ns, Role::measure, "The same in the second run."},
         change({"work_percent", Unit::percent, Role::measure, "The change of that.", true}),
     }},
    needs<RunPair>,
    add_phase_changes};

const Definition label_changes_part{
    {"label_changes", "changes by label",
     "One row per dimension and label: its time in two runs, the largest change per unit of each "
     "dimension first.",
     joined(joined({{"dimension", Unit::text, Role::key, "The dimension."},
                    {"label", Unit::text, Role::key, "The label."}},
                   change_columns()),
            interval_columns())},
    needs<RunPair>,
    add_label_changes};

const Definition name_changes_part{
    {"name_changes", "changes by name",
     "One row per name and type of operation, or path of a module tree: its time in two runs, the "
     "largest change per unit first.",
     joined({{"name", Unit::name, Role::key,
              "The name of operations, or the path of a node of the module trees."},
             {"type", Unit::text, Role::key,
              "The type of operation: `kernel`, `memcpy` or `memset`."}},
            change_columns())},
    needs<RunPair>,
    add_name_changes};

const Definition substitutions_table{
    {"substitutions",
     "substituted names",
     "One row per name that only one run has and that names of the same label replace in the "
     "other, "
     "such as the same kernel of another version. Names that replace each other are a group; its "
     "numbers are in its first row. No other table depends on this one: the difference of such "
     "names remains in `names_ns`.",
     {
         {"group", Unit::id, Role::key, "The number of the group, from 0, by descending time."},
         {"a_name", Unit::name, Role::key,
          "A name of the group that only the first run has, the one with most time first.", true},
         {"b_name", Unit::name, Role::key,
          "A name of the group that only the second run has, in the same order. Two names in one "
          "row replace each other only if they are the whole group.",
          true},
         {"label", Unit::text, Role::measure,
          "The label of all these names in the dimension of the comparison."},
         {"evidence", Unit::text, Role::measure,
          "`position`: the names have the same places when the sequences of the two runs (table "
          "`sequences`) are aligned. `likeness`: only the names are similar.",
          true},
         {"confidence", Unit::text, Role::measure,
          "By position, if half of the two sequences or more can be aligned, and the names agree "
          "in three places or more or have a `likeness` of 1, and the numbers of operations agree "
          "with the places within 50 %: `high` if `position` is 80 % or more, "
          "`medium` if it is 50 % or more. By likeness: `medium` if it is 1, no place of the names "
          "is known and it is 1 with no other name. `low`: all else.",
          true},
         {"position", Unit::ratio, Role::measure,
          "The share of the places of all names of the group at which a name of one run is aligned "
          "with a name of the other; nothing if the evidence is `likeness`.",
          true},
         {"likeness", Unit::ratio, Role::detail,
          "How similar the most similar names of the group are: twice the number of words that "
          "both have, divided by the words of both; words that describe what a kernel does, "
          "without numbers, types and shapes.",
          true},
         {"a_ns", Unit::ns, Role::measure, "The time of the group in the first run.", true},
         {"b_ns", Unit::ns, Role::measure, "Its time in the second run.", true},
         change({"change_ns", Unit::ns, Role::measure, "`b_ns` minus `a_ns`.", true}),
         change({"change_percent", Unit::percent, Role::measure,
                 "`change_ns` in percent of `a_ns`; nothing if that is 0.", true}),
         {"a_instances", Unit::count, Role::measure, "Its operations in the first run.", true},
         {"b_instances", Unit::count, Role::measure, "Its operations in the second run.", true},
     }},
    needs<RunPair>,
    add_substitutions,
    no_substitutions};

const Definition conditions_table = TableOf<GateResult>{
    {"conditions",
     "conditions",
     "One row per condition of `--fail-if` and label that it is about: whether the change is "
     "beyond "
     "the limit.",
     {{"condition", Unit::text, Role::key, "The condition, as it was given.",
       [](const GateResult& one) { return &one.gate.text; }},
      {"dimension", Unit::text, Role::key, "Its dimension; nothing if it is of no label.",
       [](const GateResult& one) { return &one.gate.dimension; }, optional},
      {"label", Unit::text, Role::key, "The label, or the phase; nothing of a sum.",
       &GateResult::of, optional},
      {"outcome", Unit::text, Role::measure,
       "`passed` if the change is not beyond the limit; `failed` if it is, and the interval "
       "does not contain 0; else `undecided`: without an interval, and if a run lacks kernels. "
       "Of "
       "a condition that a change of 0 would meet, such as `> -10%`, the limit counts as 0.",
       [](const GateResult& one) { return text_of(one.outcome); }},
      {"a_ns", Unit::ns, Role::measure,
       "The median step, or the median run, of the first side; without an interval the mean per "
       "unit.",
       [](const GateResult& one) { return whole(one.measured.a_ns); }},
      {"change_ns", Unit::ns, Role::measure, "The change of that.",
       [](const GateResult& one) { return whole(one.measured.change_ns); }, as_change},
      {"change_percent", Unit::percent, Role::measure, "The change in percent of `a_ns`.",
       [](const GateResult& one) { return percent_of_first(one, one.measured.change_ns); },
       optional | as_change},
      {"low_ns", Unit::ns, Role::measure, "The lower end of the interval of 95 %.",
       [](const GateResult& one) {
         return one.measured.interval ? whole(one.measured.interval->low_ns) : Cell();
       },
       optional | as_change},
      {"high_ns", Unit::ns, Role::measure, "Its upper end.",
       [](const GateResult& one) {
         return one.measured.interval ? whole(one.measured.interval->high_ns) : Cell();
       },
       optional | as_change},
      {"low_percent", Unit::percent, Role::measure,
       "The lower end of the interval of 95 % for the change in percent.",
       [](const GateResult& one) {
         return one.measured.interval && one.measured.interval->percent
                    ? Cell(one.measured.interval->percent->first)
                    : Cell();
       },
       optional | as_change},
      {"high_percent", Unit::percent, Role::measure, "Its upper end.",
       [](const GateResult& one) {
         return one.measured.interval && one.measured.interval->percent
                    ? Cell(one.measured.interval->percent->second)
                    : Cell();
       },
       optional | as_change}}},
    needs<RunPair>,
    add_conditions,
    no_conditions};

const Definition changes_table =
    scoped("changes", "changes", "One row per label or name of two runs: what changed.",
           {{.part = label_changes_part, .by = "dimension", .key = "label"},
            {.part = name_changes_part, .name = "name", .key = "name"}});

}  // namespace kr::tables

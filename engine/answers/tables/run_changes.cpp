// `kr diff` of runs: what changes in time, and why.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tables/columns.hpp"
#include "tables/difference.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using changes::Comparison;
using changes::LabelChange;
using changes::MedianChange;
using changes::NameChange;
using changes::Pair;
using changes::PhaseChange;
using changes::StepChange;
using changes::Substitution;

/// Nothing if there is nothing to divide by.
Cell quotient(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// Nothing if there is nothing to compare with.
Cell change_percent(const Pair& time) {
  if (time.a.total_ns == 0) return {};
  return 100 * static_cast<double>(time.change_ns()) / static_cast<double>(time.a.total_ns);
}

Cell whole(double ns) {
  return int64_t{std::llround(ns)};
}

template <class Of>
Cell whole(const std::optional<Of>& of, double Of::*ns) {
  return of ? whole((*of).*ns) : Cell();
}

Cell median_percent(const std::optional<MedianChange>& median) {
  if (!median || median->a_ns == 0) return {};
  return 100 * median->change_ns / median->a_ns;
}

/// `more`, `less`: what a change of that kind is called. Nothing where the runs lack kernels.
std::string_view verdict(const Comparison& of, const std::optional<MedianChange>& median,
                         std::string_view more, std::string_view less) {
  if (!median || !of.not_judged.empty()) return {};
  switch (changes::verdict_of(*median)) {
    case changes::Verdict::within_noise:
      return "within noise";
    case changes::Verdict::more:
      return more;
    case changes::Verdict::less:
      return less;
  }
  return {};
}

struct ComparisonRow : Parts<RunPair, Comparison, Pair, changes::Parts> {
  std::optional<StepChange> wall;  // of the unit's phase
  std::optional<MedianChange> median;
};

void add_comparison(const Source& source, Rows<ComparisonRow>& rows) {
  const RunPair& pair = *source.run_difference;
  const Comparison& of = pair.comparison;
  const PhaseChange* const phase = of.main_phase();
  const auto wall = phase != nullptr ? phase->wall : std::nullopt;
  rows.add({{pair, of, of.total.time, of.total.parts}, wall, wall ? wall->median : std::nullopt});
}

struct PhaseChangeRow : Parts<Comparison, PhaseChange> {
  std::optional<MedianChange> median;
};

void add_phase_changes(const Source& source, Rows<PhaseChangeRow>& rows) {
  const Comparison& of = source.run_difference->comparison;
  for (const PhaseChange& one : of.phases) {
    rows.add({{of, one}, one.wall ? one.wall->median : std::nullopt});
  }
}

/// Of a label or a name.
template <class Of>
struct ChangeRow : Parts<Comparison, Of, Pair, changes::Parts> {
  std::optional<changes::PerUnit> per_unit;
  std::optional<MedianChange> median = {};
};
using LabelChangeRow = ChangeRow<LabelChange>;
using NameChangeRow = ChangeRow<NameChange>;

void add_label_changes(const Source& source, Rows<LabelChangeRow>& rows) {
  const Comparison& of = source.run_difference->comparison;
  for (const LabelChange& one : of.labels) {
    rows.add({{of, one, one.time, one.parts}, one.per_unit, one.median});
  }
}

void add_name_changes(const Source& source, Rows<NameChangeRow>& rows) {
  const Comparison& of = source.run_difference->comparison;
  for (const NameChange& one : of.names) rows.add({{of, one, one.time, one.parts}, one.per_unit});
}

struct SubstitutionRow : Parts<Substitution> {
  int64_t group;
  size_t place;

  Cell name(const std::vector<std::string>& names) const {
    return place < names.size() ? Cell(names[place]) : Cell();
  }
};

/// The names of a group below each other, with its numbers in the first row: so each name and each
/// time is there once.
void add_substitutions(const Source& source, Rows<SubstitutionRow>& rows) {
  int64_t group = 0;
  for (const Substitution& one : source.run_difference->comparison.substitutions) {
    for (size_t i = 0; i < std::max(one.a_names.size(), one.b_names.size()); ++i) {
      rows.add({{one}, group, i});
    }
    ++group;
  }
}

/// A number of a group.
template <class Get>
auto of_group(Get get) {
  return [get](const SubstitutionRow& row) {
    return row.place == 0 ? table::cell(get(row.of<Substitution>())) : Cell();
  };
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

int64_t a_ns(const Pair& time) {
  return time.a.total_ns;
}
int64_t b_ns(const Pair& time) {
  return time.b.total_ns;
}
int64_t a_instances(const Pair& time) {
  return time.a.instances;
}
int64_t b_instances(const Pair& time) {
  return time.b.instances;
}

constexpr table::Head change_ns{"change_ns", Unit::ns, Role::measure, "`b_ns` minus `a_ns`.",
                                as_change};

/// What the tables of changes have in common, in their order.
template <class Row>
Columns<Row> change_columns() {
  return {
      {"a_ns", Unit::ns, Role::measure,
       "The time in the first run, summed over its operations: parallel ones add up.", a_ns},
      {"b_ns", Unit::ns, Role::measure, "The same in the second run.", b_ns},
      {change_ns, &Pair::change_ns},
      {"change_percent", Unit::percent, Role::measure,
       "`change_ns` in percent of `a_ns`; nothing if the first run has no such time.",
       change_percent, optional | as_change},
      {"a_instances", Unit::count, Role::measure,
       "How many operations that is in the first run; invocations in module trees.", a_instances},
      {"b_instances", Unit::count, Role::measure, "The same in the second run.", b_instances},
      {"a_per_unit_ns", Unit::ns, Role::measure,
       "The mean per unit of the first run (table `comparison`): of steps of one phase, what these "
       "steps have of it. Of names, nothing if other steps or operations outside of steps exist.",
       [](const Row& row) { return row.per_unit ? Cell(row.per_unit->a_ns) : Cell(); }, optional},
      {"b_per_unit_ns", Unit::ns, Role::measure, "The same in the second run.",
       [](const Row& row) { return row.per_unit ? Cell(row.per_unit->b_ns) : Cell(); }, optional},
      {"per_unit_percent", Unit::percent, Role::measure,
       "The change of the mean per unit, in percent of the first run.",
       [](const Row& row) { return row.per_unit ? row.per_unit->percent() : std::nullopt; },
       optional | as_change},
      {"a_per_call_ns", Unit::ns, Role::measure, "`a_ns` divided by `a_instances`.",
       [](const Pair& time) { return quotient(time.a.total_ns, time.a.instances); }, optional},
      {"b_per_call_ns", Unit::ns, Role::measure, "`b_ns` divided by `b_instances`.",
       [](const Pair& time) { return quotient(time.b.total_ns, time.b.instances); }, optional},
      {"calls_ns", Unit::ns, Role::measure,
       "Of names that both runs have: what comes from more or fewer calls, each as long as the "
       "mean call of its name in the first run.",
       &changes::Parts::calls_ns, as_change},
      {"time_per_call_ns", Unit::ns, Role::measure,
       "Of the same names: what comes from calls that take more or less time.",
       &changes::Parts::time_per_call_ns, as_change},
      {"names_ns", Unit::ns, Role::measure,
       "All time of names that only the second run has, less that of names that only the first "
       "has. `calls_ns`, `time_per_call_ns` and `names_ns` add up to `change_ns`.",
       &changes::Parts::names_ns, as_change}};
}

/// The interval for the change of a median, and its verdict. `more`, `less`: what a change is
/// called.
template <class Row>
Columns<Row> interval_columns(Role role, const char* low_doc, std::string verdict_doc,
                              const char* more, const char* less) {
  return {
      {"low_ns", Unit::ns, role, low_doc,
       [](const Row& row) { return whole(row.median, &MedianChange::low_ns); },
       optional | as_change},
      {"high_ns", Unit::ns, role, "The upper end of that interval.",
       [](const Row& row) { return whole(row.median, &MedianChange::high_ns); },
       optional | as_change},
      {"verdict", Unit::text, Role::measure, std::move(verdict_doc),
       [more, less](const Row& row) { return verdict(row, row.median, more, less); }, optional}};
}
constexpr const char* low_doc =
    "The lower end of the interval of 95 % for the change of the median wall time; nothing if a "
    "side has fewer than three values, or if one new run has fewer than five earlier ones.";
constexpr const char* verdict_doc =
    "Of the median wall time: `within noise` if the interval contains 0 or the change is below "
    "1 %, else `slower` or `faster`";

/// What steps of a phase have of a time: `a_idle_ns`, `b_idle_ns`, `idle_percent`.
Columns<PhaseChangeRow> step_columns(const std::string& id, std::string doc,
                                     std::optional<StepChange> (*of)(const PhaseChange& phase),
                                     table::More more = optional,
                                     std::string percent_doc = "The change of that.") {
  return {{"a_" + id + "_ns", Unit::ns, Role::measure, std::move(doc),
           [of](const PhaseChange& phase) { return whole(of(phase), &StepChange::a_ns); }, more},
          {"b_" + id + "_ns", Unit::ns, Role::measure, "The same in the second run.",
           [of](const PhaseChange& phase) { return whole(of(phase), &StepChange::b_ns); }, more},
          {id + "_percent", Unit::percent, Role::measure, std::move(percent_doc),
           [of](const PhaseChange& phase) {
             const auto change = of(phase);
             return change ? change->percent() : std::nullopt;
           },
           optional | as_change}};
}

}  // namespace

const Definition comparison_table = TableOf<ComparisonRow>{
    {"comparison",
     "comparison",
     "One row per comparison of runs: whether they can be compared, per what unit, the wall time "
     "of a median step, and the time of each side.",
     {{"a", Unit::text, Role::key, "The first run, or the runs of the first side.", &RunPair::a},
      {"b", Unit::text, Role::key, "The second run, or the runs of the second side.", &RunPair::b},
      {"comparable", Unit::boolean, Role::measure,
       "Whether labels that both runs have contain at least half of the time of each.",
       &Comparison::comparable},
      {"reason", Unit::text, Role::measure,
       "How much of the time has names and labels of both runs, or why they cannot be compared.",
       &Comparison::why},
      {"not_judged", Unit::text, Role::measure,
       "Why there is no verdict: the profiler lost kernels of a run.", &Comparison::not_judged,
       optional},
      {"unit", Unit::text, Role::measure,
       "What work is divided by: the steps of the phase with most of the time of both, if steps "
       "have at least half of it; else the repeated blocks, if the operations of common names have "
       "the same ratio; else these operations; else the runs.",
       [](const Comparison& of) { return of.unit.text(); }},
      {"a_units", Unit::count, Role::measure, "How many of them the first side has.",
       [](const Comparison& of) { return of.unit.a; }},
      {"b_units", Unit::count, Role::measure, "How many of them the second side has.",
       [](const Comparison& of) { return of.unit.b; }},
      {"a_wall_median_ns", Unit::ns, Role::measure,
       "The median wall time of these steps in the first run (`wall_ns` of `steps`), or of the "
       "repeats of a block (`wall_ns` of `repeats`); of several runs a side, the median of theirs. "
       "Nothing if they have neither in common.",
       [](const ComparisonRow& row) { return whole(row.wall, &StepChange::a_ns); }, optional},
      {"b_wall_median_ns", Unit::ns, Role::measure, "The same of the second side.",
       [](const ComparisonRow& row) { return whole(row.wall, &StepChange::b_ns); }, optional},
      {"wall_median_percent", Unit::percent, Role::measure,
       "The change of that, in percent of the first side.",
       [](const ComparisonRow& row) { return row.wall ? row.wall->percent() : std::nullopt; },
       optional | as_change},
      interval_columns<ComparisonRow>(Role::measure, low_doc, fmt::format("{}.", verdict_doc),
                                      "slower", "faster"),
      {"a_span_ns", Unit::ns, Role::measure,
       "From the first start to the last end of the first run; of several, the sum. Nothing of "
       "module trees.",
       [](const Comparison& of) { return cell_if_any(of.a_span_ns); }, optional},
      {"b_span_ns", Unit::ns, Role::measure, "The same of the second side.",
       [](const Comparison& of) { return cell_if_any(of.b_span_ns); }, optional},
      {"span_percent", Unit::percent, Role::measure,
       "The change of the span for equal numbers of units, in percent; nothing where steps have a "
       "wall time.",
       [](const ComparisonRow& row) {
         return !row.wall ? row.of<Comparison>().span_percent() : std::nullopt;
       },
       optional | as_change},
      {"a_ns", Unit::ns, Role::measure,
       "The work of the first side: the sum of the durations of all operations, parallel ones add "
       "up.",
       a_ns},
      {"b_ns", Unit::ns, Role::measure, "The same of the second side.", b_ns},
      {change_ns, &Pair::change_ns},
      {"change_percent", Unit::percent, Role::measure,
       "`change_ns` in percent of `a_ns`; nothing if the first side has no time.", change_percent,
       optional | as_change},
      {"a_elapsed_ns", Unit::ns, Role::measure,
       "The time in which at least one operation of the first side runs.",
       &Comparison::a_elapsed_ns},
      {"b_elapsed_ns", Unit::ns, Role::measure, "The same of the second side.",
       &Comparison::b_elapsed_ns},
      {"a_instances", Unit::count, Role::measure, "The operations of the first side.", a_instances},
      {"b_instances", Unit::count, Role::measure, "The operations of the second side.",
       b_instances},
      {"a_per_unit_ns", Unit::ns, Role::measure,
       "The mean work per unit of the first side: of steps of one phase, that of these steps.",
       [](const Comparison& of) { return of.total.per_unit.a_ns; }},
      {"b_per_unit_ns", Unit::ns, Role::measure, "The same of the second side.",
       [](const Comparison& of) { return of.total.per_unit.b_ns; }},
      {"per_unit_percent", Unit::percent, Role::measure,
       "The change of that, in percent of the first side.",
       [](const Comparison& of) { return of.total.per_unit.percent(); }, optional | as_change},
      {"calls_ns", Unit::ns, Role::measure,
       "The sum of this column of `changes`, and of `changes` of a dimension.",
       &changes::Parts::calls_ns, as_change},
      {"time_per_call_ns", Unit::ns, Role::measure, "The same of that column.",
       &changes::Parts::time_per_call_ns, as_change},
      {"names_ns", Unit::ns, Role::measure,
       "The same of that column. The three add up to `change_ns`.", &changes::Parts::names_ns,
       as_change},
      {"median_percent", Unit::percent, Role::measure,
       "The change of the work of a median step, or of the median run, in percent of the first; "
       "nothing if there are fewer than three of either.",
       [](const Comparison& of) { return median_percent(of.total.median); }, optional | as_change},
      {"earlier_runs", Unit::count, Role::detail,
       "Of one new run: how many earlier runs say what is noise. Its intervals are those of a "
       "further one of them; nothing if medians are compared.",
       [](const Comparison& of) { return cell_if_any(static_cast<int64_t>(of.earlier_runs)); },
       optional}}},
    needs<RunPair>,
    add_comparison};

const Definition phase_changes_table = TableOf<PhaseChangeRow>{
    {"phase_changes",
     "changes by phase",
     "One row per phase that both runs have: the medians of its steps, the phase with most work "
     "first. Of several runs a side, the medians of theirs.",
     {{head::phase, &PhaseChange::phase},
      {"a_steps", Unit::count, Role::measure, "Its steps in the first run.", &PhaseChange::a_steps},
      {"b_steps", Unit::count, Role::measure, "Its steps in the second run.",
       &PhaseChange::b_steps},
      step_columns(
          "wall", "The median wall time of a step in the first run: `wall_ns` of `steps`.",
          [](const PhaseChange& phase) { return phase.wall; }, optional,
          "The change of that, in percent of the first run."),
      interval_columns<PhaseChangeRow>(
          Role::detail, low_doc,
          fmt::format("{}; nothing without an interval, and if a run lacks kernels.", verdict_doc),
          "slower", "faster"),
      step_columns(
          "idle",
          "The median of the wall time in which no operation of the step runs, in the first run.",
          [](const PhaseChange& phase) { return phase.idle; }),
      step_columns(
          "busy",
          "The median of the time in which an operation of the step runs, in the first run.",
          [](const PhaseChange& phase) { return phase.busy; }),
      step_columns("work",
                   "The median of the sum of the durations of its operations, in the first run.",
                   [](const PhaseChange& phase) { return std::optional(phase.work); }, {})}},
    needs<RunPair>,
    add_phase_changes};

const Definition label_changes_part = TableOf<LabelChangeRow>{
    {"label_changes",
     "changes by label",
     "One row per dimension and label: its time in two runs, the largest change per unit of each "
     "dimension first.",
     {{head::the_dimension, &LabelChange::dimension},
      {head::label, &LabelChange::label},
      change_columns<LabelChangeRow>(),
      {"median_percent", Unit::percent, Role::measure,
       "The change of the median step, or of the median run, in percent of the first; one stray "
       "step hardly moves it. Nothing if there are fewer than three of either.",
       [](const LabelChange& one) { return median_percent(one.median); }, optional | as_change},
      interval_columns<LabelChangeRow>(
          Role::measure,
          "The lower end of the interval of 95 % for the change of the median step, or of the "
          "median run; nothing if there are fewer than three of either.",
          "`within noise` if the interval contains 0 or the change is below 1 %, else `more` or "
          "`less`; nothing without an interval, and if a run lacks kernels.",
          "more", "less")}},
    needs<RunPair>,
    add_label_changes};

const Definition name_changes_part = TableOf<NameChangeRow>{
    {"name_changes",
     "changes by name",
     "One row per name and type of operation, or path of a module tree: its time in two runs, the "
     "largest change per unit first.",
     {{"name", Unit::name, Role::key,
       "The name of operations, or the path of a node of the module trees.", &NameChange::name},
      {"type", Unit::text, Role::key, "The type of operation: `kernel`, `memcpy` or `memset`.",
       &NameChange::kind},
      change_columns<NameChangeRow>()}},
    needs<RunPair>,
    add_name_changes};

const Definition substitutions_table = TableOf<SubstitutionRow>{
    {"substitutions",
     "substituted names",
     "One row per name that only one run has and that names of the same label replace in the "
     "other, such as the same kernel of another version. Names that replace each other are a "
     "group; its numbers are in its first row. No other table depends on this one: the difference "
     "of such names remains in `names_ns`.",
     {{"group", Unit::id, Role::key, "The number of the group, from 0, by descending time.",
       &SubstitutionRow::group},
      {"a_name", Unit::name, Role::key,
       "A name of the group that only the first run has, the one with most time first.",
       [](const SubstitutionRow& row) { return row.name(row.of<Substitution>().a_names); },
       optional},
      {"b_name", Unit::name, Role::key,
       "A name of the group that only the second run has, in the same order. Two names in one row "
       "replace each other only if they are the whole group.",
       [](const SubstitutionRow& row) { return row.name(row.of<Substitution>().b_names); },
       optional},
      {"label", Unit::text, Role::measure,
       "The label of all these names in the dimension of the comparison.", &Substitution::label},
      {"evidence", Unit::text, Role::measure,
       "`position`: the names have the same places when the sequences of the two runs (table "
       "`sequences`) are aligned. `likeness`: only the names are similar.",
       of_group([](const Substitution& of) { return of.position ? "position" : "likeness"; }),
       optional},
      {"confidence", Unit::text, Role::measure,
       "By position, if half of the two sequences or more can be aligned, and the names agree in "
       "three places or more or have a `likeness` of 1, and the numbers of operations agree with "
       "the places within 50 %: `high` if `position` is 80 % or more, `medium` if it is 50 % or "
       "more. By likeness: `medium` if it is 1, no place of the names is known and it is 1 with no "
       "other name. `low`: all else.",
       of_group([](const Substitution& of) { return of.confidence; }), optional},
      {"position", Unit::ratio, Role::measure,
       "The share of the places of all names of the group at which a name of one run is aligned "
       "with a name of the other; nothing if the evidence is `likeness`.",
       of_group([](const Substitution& of) { return of.position; }), optional},
      {"likeness", Unit::ratio, Role::detail,
       "How similar the most similar names of the group are: twice the number of words that both "
       "have, divided by the words of both; words that describe what a kernel does, without "
       "numbers, types and shapes.",
       of_group([](const Substitution& of) { return of.likeness; }), optional},
      {"a_ns", Unit::ns, Role::measure, "The time of the group in the first run.",
       of_group([](const Substitution& of) { return a_ns(of.time); }), optional},
      {"b_ns", Unit::ns, Role::measure, "Its time in the second run.",
       of_group([](const Substitution& of) { return b_ns(of.time); }), optional},
      {"change_ns", Unit::ns, Role::measure, "`b_ns` minus `a_ns`.",
       of_group([](const Substitution& of) { return of.time.change_ns(); }), optional | as_change},
      {"change_percent", Unit::percent, Role::measure,
       "`change_ns` in percent of `a_ns`; nothing if that is 0.",
       of_group([](const Substitution& of) { return change_percent(of.time); }),
       optional | as_change},
      {"a_instances", Unit::count, Role::measure, "Its operations in the first run.",
       of_group([](const Substitution& of) { return a_instances(of.time); }), optional},
      {"b_instances", Unit::count, Role::measure, "Its operations in the second run.",
       of_group([](const Substitution& of) { return b_instances(of.time); }), optional}}},
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
         return whole(one.measured.interval, &changes::Measured::Interval::low_ns);
       },
       optional | as_change},
      {"high_ns", Unit::ns, Role::measure, "Its upper end.",
       [](const GateResult& one) {
         return whole(one.measured.interval, &changes::Measured::Interval::high_ns);
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

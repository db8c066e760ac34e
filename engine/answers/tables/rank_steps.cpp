// Steps that several ranks have: which rank is the slowest, and which waits for it.
#include "analyze/ranks.hpp"
#include "analyze/steps.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Breakdown;
using analyze::RankStep;
using analyze::StepPart;

std::string without_rank_steps(const Source& source) {
  std::string why = not_several_ranks(source);
  if (why.empty()) why = only_sampled_steps(source);
  return why.empty() && source.ranks().steps.empty() ? "no step is in two runs" : why;
}

StepPart step_of(const Source& source, const RankStep::Part& part) {
  return source.runs[part.run].get<analyze::StepSums>().steps[part.step];
}

struct RankStepBalanceRow : Parts<RankStep> {
  int64_t slowest;
  int64_t waits_most;
  std::string_view text;
};

void add_rank_step_balance(const Source& source, Rows<RankStepBalanceRow>& rows) {
  for (const RankStep& step : source.ranks().steps) {
    const RankStep::Part& slowest = step.parts[step.slowest];
    const RankStep::Part& waits = step.parts[step.waits_most];
    const StepPart of = step_of(source, slowest);
    rows.add({{step}, source.rank(slowest.run), source.rank(waits.run), of.text});
  }
}

struct RankStepRow : Parts<RankStep, RankStep::Part, StepPart, Breakdown> {
  size_t place;
  int64_t rank;
};

void add_rank_steps(const Source& source, Rows<RankStepRow>& rows) {
  for (const RankStep& step : source.ranks().steps) {
    for (size_t i = 0; i < step.parts.size(); ++i) {
      const RankStep::Part& part = step.parts[i];
      const StepPart of = step_of(source, part);

      rows.add({{step, part, of, part.time}, i, source.rank(part.run)});
    }
  }
}

}  // namespace

const Definition rank_step_balance_part = TableOf<RankStepBalanceRow>{
    {"rank_step_balance",
     "slowest rank by step, by own time",
     "One row per step that two ranks or more have: the rank that needs most time itself, and the "
     "one that waits most.",
     {{head::phase, &RankStep::phase},
      {head::step_key, &RankStep::step},
      {head::occurrence, &RankStep::occurrence},
      {"ranks", Unit::count, Role::measure, "Ranks that launched operations in the step.",
       [](const RankStep& step) { return step.parts.size(); }},
      {"slowest_rank", Unit::id, Role::measure,
       "The rank with the largest `own_ns` of `rank_steps`; the first of several.",
       &RankStepBalanceRow::slowest},
      {"slowest_ns", Unit::ns, Role::measure, "Its `own_ns`.",
       [](const RankStep& step) { return step.parts[step.slowest].own_ns(); }},
      {"mean_ns", Unit::ns, Role::measure, "The mean of `own_ns` over the ranks.",
       &RankStep::mean_own_ns},
      {"slowest_over_mean", Unit::factor, Role::measure,
       "`slowest_ns` divided by `mean_ns`; 0 if both are 0.", &RankStep::slowest_over_mean},
      {"waiting_rank", Unit::id, Role::measure,
       "The rank with most exposed communication; the first of several. Empty if that is the "
       "slowest rank, which cannot wait for itself.",
       [](const RankStepBalanceRow& row) {
         return row.of<RankStep>().waits_most != row.of<RankStep>().slowest ? Cell(row.waits_most)
                                                                            : Cell();
       },
       optional},
      {"exposed_communication_ns", Unit::ns, Role::measure, "Its exposed communication.",
       [](const RankStepBalanceRow& row) {
         return row.of<RankStep>().waits_most != row.of<RankStep>().slowest
                    ? Cell(row.of<RankStep>()
                               .parts[row.of<RankStep>().waits_most]
                               .time.exposed_communication_ns)
                    : Cell();
       },
       optional},
      {"text", Unit::text, Role::measure, "The text of the slowest rank's annotation.",
       &RankStepBalanceRow::text}}},
    needs<analyze::StepSums>,
    add_rank_step_balance,
    without_rank_steps};

const Definition rank_steps_part = TableOf<RankStepRow>{
    {.id = "rank_steps",
     .title = "steps by rank",
     .doc = "One row per step that two ranks or more have, and rank: its operations, and those of "
            "steps inside it.",
     .columns =
         {{head::phase, &RankStep::phase},
          {head::step_key, &RankStep::step},
          {head::occurrence, &RankStep::occurrence},
          {head::rank, &RankStepRow::rank},
          {head::batch, &StepPart::batch},
          {head::tokens, &StepPart::tokens},
          {"own_ns", Unit::ns, Role::measure,
           "The time that the rank needs itself: `span_ns` without `exposed_communication_ns`.",
           &RankStep::Part::own_ns},
          {"span_ns", Unit::ns, Role::measure,
           "From the first start to the last end of its operations, on all devices together.",
           &Breakdown::span_ns},
          {head::busy_ns, &Breakdown::busy_ns},
          {head::compute_ns, &Breakdown::compute_ns},
          {head::communication_ns, &Breakdown::communication_ns},
          {head::exposed_communication_ns, &Breakdown::exposed_communication_ns},
          {head::memory_ns, &Breakdown::memory_ns},
          {head::exposed_memory_ns, &Breakdown::exposed_memory_ns},
          {head::idle_ns, &Breakdown::idle_ns},
          {"slowest", Unit::boolean, Role::measure,
           "Whether it is the `slowest_rank` of `rank_steps`.",
           [](const RankStepRow& row) { return int64_t{row.place == row.of<RankStep>().slowest}; }},
          {"waits_most", Unit::boolean, Role::measure,
           "Whether it is the `waiting_rank` of `rank_steps`.",
           [](const RankStepRow& row) {
             return int64_t{row.place == row.of<RankStep>().waits_most &&
                            row.place != row.of<RankStep>().slowest};
           }}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_rank_steps,
    without_rank_steps};

const Definition rank_steps_table =
    scoped("rank_steps", "steps by rank",
           "One row per step that two ranks or more have, and one per rank of it.",
           {{.part = rank_step_balance_part, .name = "job"},
            {.part = rank_steps_part, .name = "rank", .key = "rank"}});

}  // namespace kr::tables

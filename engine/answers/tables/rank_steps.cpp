// Steps that several ranks have: which rank is the slowest, and which waits for it.
#include "analyze/ranks.hpp"
#include "analyze/steps.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_rank_steps(const Source& source) {
  std::string why = not_several_ranks(source);
  if (why.empty()) why = only_sampled_steps(source);
  return why.empty() && source.ranks().steps.empty() ? "no step is in two runs" : why;
}

analyze::StepPart step_of(const Source& source, const analyze::RankStep::Part& part) {
  return source.runs[part.run].get<analyze::StepSums>().steps[part.step];
}

void add_rank_step_balance(const Source& source, RowSink& sink) {
  for (const analyze::RankStep& step : source.ranks().steps) {
    const analyze::RankStep::Part& slowest = step.parts[step.slowest];
    const analyze::RankStep::Part& waits = step.parts[step.waits_most];
    const bool others_wait = step.waits_most != step.slowest;
    sink.row({step.phase, table::cell(step.step), step.occurrence,
              static_cast<int64_t>(step.parts.size()), source.rank(slowest.run), slowest.own_ns(),
              step.mean_own_ns, step.slowest_over_mean,
              others_wait ? Cell(source.rank(waits.run)) : Cell(),
              others_wait ? Cell(waits.time.exposed_communication_ns) : Cell(),
              step_of(source, slowest).text});
  }
}

void add_rank_steps(const Source& source, RowSink& sink) {
  for (const analyze::RankStep& step : source.ranks().steps) {
    for (size_t i = 0; i < step.parts.size(); ++i) {
      const analyze::RankStep::Part& part = step.parts[i];
      const analyze::StepPart of = step_of(source, part);
      const analyze::Breakdown& time = part.time;
      sink.row({step.phase, table::cell(step.step), step.occurrence, source.rank(part.run),
                table::cell(of.batch), table::cell(of.tokens), part.own_ns(), time.span_ns,
                time.busy_ns, time.compute_ns, time.communication_ns, time.exposed_communication_ns,
                time.memory_ns, time.exposed_memory_ns, time.idle_ns, int64_t{i == step.slowest},
                int64_t{i == step.waits_most && i != step.slowest}});
    }
  }
}

}  // namespace

const Definition rank_step_balance_table{
    {"rank_step_balance",
     "slowest rank by step, by own time",
     "One row per step that two ranks or more have: the rank that needs most time itself, and the "
     "one that waits most.",
     {{"phase", Unit::text, Role::key, "The phase."},
      {"step", Unit::id, Role::key, "The number of the step, if the annotation has one.", true},
      {"occurrence", Unit::id, Role::key,
       "The place of the step among those of its rank with this phase and number, from 0."},
      {"ranks", Unit::count, Role::measure, "Ranks that launched operations in the step."},
      {"slowest_rank", Unit::id, Role::measure,
       "The rank with the largest `own_ns` of `rank_steps`; the first of several."},
      {"slowest_ns", Unit::ns, Role::measure, "Its `own_ns`."},
      {"mean_ns", Unit::ns, Role::measure, "The mean of `own_ns` over the ranks."},
      {"slowest_over_mean", Unit::factor, Role::measure,
       "`slowest_ns` divided by `mean_ns`; 0 if both are 0."},
      {"waiting_rank", Unit::id, Role::measure,
       "The rank with most exposed communication; the first of several. Empty if that is the "
       "slowest rank, which cannot wait for itself.",
       true},
      {"exposed_communication_ns", Unit::ns, Role::measure, "Its exposed communication.", true},
      {"text", Unit::text, Role::measure, "The text of the slowest rank's annotation."}}},
    needs<analyze::StepSums>,
    add_rank_step_balance,
    without_rank_steps};

const Definition rank_steps_table{
    {.id = "rank_steps",
     .title = "steps by rank",
     .doc = "One row per step that two ranks or more have, and rank: its operations, and those of "
            "steps inside it.",
     .columns =
         {{"phase", Unit::text, Role::key, "The phase."},
          {"step", Unit::id, Role::key, "The number of the step, if the annotation has one.", true},
          {"occurrence", Unit::id, Role::key,
           "The place of the step among those of its rank with this phase and number, from 0."},
          {"rank", Unit::id, Role::key, "The rank."},
          {"batch", Unit::count, Role::measure, "Requests, if the annotation reports them.", true},
          {"tokens", Unit::count, Role::measure,
           "Tokens of all requests, if the annotation reports them.", true},
          {"own_ns", Unit::ns, Role::measure,
           "The time that the rank needs itself: `span_ns` without `exposed_communication_ns`."},
          {"span_ns", Unit::ns, Role::measure,
           "From the first start to the last end of its operations, on all devices together."},
          {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them ran."},
          {"compute_ns", Unit::ns, Role::measure,
           "The time in which a compute kernel of them ran."},
          {"communication_ns", Unit::ns, Role::measure,
           "The time in which communication of them ran, including the time when compute also "
           "ran."},
          {"exposed_communication_ns", Unit::ns, Role::measure,
           "The time in which communication of them ran and no compute of them."},
          {"memory_ns", Unit::ns, Role::measure, "The time in which a copy or set of them ran."},
          {"exposed_memory_ns", Unit::ns, Role::measure,
           "The time in which a copy or set of them ran, and neither compute nor communication of "
           "them."},
          {"idle_ns", Unit::ns, Role::measure, "The time of the span in which none of them ran."},
          {"slowest", Unit::boolean, Role::measure,
           "Whether it is the `slowest_rank` of `rank_step_balance`."},
          {"waits_most", Unit::boolean, Role::measure,
           "Whether it is the `waiting_rank` of `rank_step_balance`."}},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_rank_steps,
    without_rank_steps};

}  // namespace kr::tables

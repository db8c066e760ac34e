// What runs would take if some of their operations took other times, and their critical paths.
#include "what_if/what_if.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using what_if::PathSum;
using what_if::RunReplay;
using what_if::WhatIf;

/// Steps of one phase.
struct ReplayScope {
  std::string_view phase;
  std::vector<size_t> steps;

  int64_t of(const what_if::Times& times) const {
    int64_t sum = 0;
    for (const size_t step : steps) sum += *times.steps_ns[step];
    return sum;
  }
};

/// Phases in the order of their first step.
std::vector<ReplayScope> scopes_of(const RunReplay& replay) {
  std::vector<ReplayScope> scopes;
  std::map<std::string_view, size_t> known;
  for (size_t i = 0; i < replay.steps.size(); ++i) {
    const what_if::ReplayStep& step = replay.steps[i];
    if (!replay.measured.steps_ns[i]) continue;
    const auto [at, added] = known.try_emplace(step.phase, scopes.size());
    if (added) scopes.push_back({step.phase, {}});
    scopes[at->second].steps.push_back(i);
  }
  return scopes;
}

std::string no_replay(int64_t measured_ns, int64_t replayed_ns) {
  return fmt::format(
      "the unchanged replay differs by {:.1f} %: delays without a known cause are part of this "
      "time",
      100 * std::abs(ratio_of(replayed_ns - measured_ns, measured_ns)));
}

/// What a change does to the time of a run, of the job, or of steps.
struct WhatIfRow : Parts<WhatIf> {
  std::string_view run;
  int64_t measured_ns;
  int64_t replayed_ns;
  int64_t changed_ns;
  std::string_view phase = {};
  std::optional<size_t> steps = {};
  size_t step_id = 0;
  std::optional<int64_t> step = {};

  bool known() const {
    return what_if::reproduces(measured_ns, replayed_ns) && of<WhatIf>().without.empty();
  }
  std::string note() const {
    if (known()) return {};
    const std::string& why = of<WhatIf>().without;
    return why.empty() ? no_replay(measured_ns, replayed_ns) : why;
  }
};

void add_what_if(const Source& source, Rows<WhatIfRow>& rows) {
  std::set<const what_if::JobReplay*> jobs;
  for (const Run& run : source.runs) {
    const what_if::JobReplay* const job = run.get<RunReplay>().job.get();
    if (job == nullptr || !jobs.insert(job).second) continue;
    for (const WhatIf& change : job->changes) {
      rows.add({{change}, "job", job->measured_ns, job->replayed_ns, change.times.run_ns});
    }
  }
  for (const Run& run : source.runs) {
    const RunReplay& replay = run.get<RunReplay>();
    const std::vector<ReplayScope> scopes = scopes_of(replay);
    for (const WhatIf& change : replay.changes) {
      if (replay.job == nullptr) {
        rows.add({{change},
                  run.summary.id,
                  replay.measured.run_ns,
                  replay.replayed.run_ns,
                  change.times.run_ns});
      }
      for (const ReplayScope& scope : scopes) {
        rows.add({{change},
                  run.summary.id,
                  scope.of(replay.measured),
                  scope.of(replay.replayed),
                  change.without.empty() ? scope.of(change.times) : 0,
                  scope.phase,
                  scope.steps.size()});
      }
    }
  }
}

void add_what_if_steps(const Source& source, Rows<WhatIfRow>& rows) {
  for (const Run& run : source.runs) {
    const RunReplay& replay = run.get<RunReplay>();
    for (const WhatIf& change : replay.changes) {
      for (size_t i = 0; i < replay.steps.size(); ++i) {
        const what_if::ReplayStep& step = replay.steps[i];
        if (!replay.measured.steps_ns[i]) continue;
        rows.add({{change},
                  run.summary.id,
                  *replay.measured.steps_ns[i],
                  *replay.replayed.steps_ns[i],
                  change.without.empty() ? *change.times.steps_ns[i] : 0,
                  step.phase,
                  {},
                  i,
                  step.step});
      }
    }
  }
}

using PathRow = Parts<Run, PathSum>;
void add_critical_path(const Source& source, Rows<PathRow>& rows) {
  for (const Run& run : source.runs) {
    for (const PathSum& one : run.get<RunReplay>().path) {
      rows.add({run, one});
    }
  }
}

std::string without_changes(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<RunReplay>().changes.empty()) return {};
  }
  return "no change is named: name one with --what-if";
}

std::string without_replayed_steps(const Source& source) {
  if (std::string why = without_changes(source); !why.empty()) return why;
  for (const Run& run : source.runs) {
    if (!run.get<RunReplay>().steps.empty()) return {};
  }
  return "no annotation of a trace matches the `phases` of its model";
}

std::string without_path(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<RunReplay>().path.empty()) return {};
  }
  return "no run has operations";
}

Columns<WhatIfRow> replay_columns() {
  return {
      {"measured_ns", Unit::ns, Role::measure,
       "Of the run: from the first start to the last end of its operations; of the job, on any of "
       "its ranks. Of steps: their wall times (`wall_ns` of `steps`), added up.",
       &WhatIfRow::measured_ns},
      {"replayed_ns", Unit::ns, Role::detail,
       "The same in the replay without a change. Delays of more than 50 us that nothing in the "
       "trace explains are cut: more than 1 % off, the replay tells nothing.",
       &WhatIfRow::replayed_ns},
      {"what_if_ns", Unit::ns, Role::measure,
       "The same with the change. Nothing if the replay is more than 1 % off, or the change "
       "cannot be made: see `note`.",
       [](const WhatIfRow& row) { return cell_if(row.known(), row.changed_ns); }, optional},
      {"saved_ns", Unit::ns, Role::measure,
       "`replayed_ns` less `what_if_ns`; negative if it takes longer.",
       [](const WhatIfRow& row) { return cell_if(row.known(), row.replayed_ns - row.changed_ns); },
       optional},
      {"speedup", Unit::factor, Role::measure, "`replayed_ns` divided by `what_if_ns`.",
       [](const WhatIfRow& row) {
         return row.known() ? ratio_or_nothing(row.replayed_ns, row.changed_ns) : Cell();
       },
       optional}};
}

constexpr table::Head change_column{
    "change", Unit::text, Role::key,
    "The change as written: `substage/moe_gemm = roof`; `all changes`: all of them together."};
constexpr table::Head note_column{"note", Unit::text, Role::measure,
                                  "Why there is no result; nothing if there is one.", optional};

}  // namespace

const Definition what_if_part = TableOf<WhatIfRow>{
    {"what_if",
     "what if",
     "One row per run, change and phase, and one for the whole run: how long it would take if "
     "operations took other times, by replaying its streams, launches and waits. The time of the "
     "host between its calls stays. Ranks of a job are replayed together: the change is made on "
     "all of them, how long they wait for each other in collectives follows from it, and one row "
     "is for the whole job.",
     {{"run", Unit::text, Role::key, "The run; `job`: all ranks of the job together.",
       &WhatIfRow::run},
      {change_column, &WhatIf::text},
      {"phase", Unit::text, Role::key, "The phase; nothing for the whole run or job.",
       &WhatIfRow::phase, optional},
      {"steps", Unit::count, Role::measure, "Steps of the phase that have a wall time.",
       &WhatIfRow::steps, optional},
      replay_columns(),
      {"operations", Unit::count, Role::detail, "Operations that the change is about.",
       &WhatIf::operations},
      {"before_ns", Unit::ns, Role::detail,
       "The sum of their durations; of collectives of a job, from the last begin on any rank "
       "to the end.",
       &WhatIf::before_ns},
      {"after_ns", Unit::ns, Role::detail, "The same with the change; nothing if no roof is known.",
       [](const WhatIf& change) { return cell_if(change.roof_ns != 0, change.after_ns); },
       optional},
      {"roof_known_ns", Unit::ns, Role::measure,
       "Of `roof`: the part of `before_ns` whose roof is known, by the cost of its ops or by ncu. "
       "The rest keeps its time. Nothing of other changes.",
       &WhatIf::roof_ns, optional},
      {note_column, &WhatIfRow::note}}},
    needs<RunReplay>,
    add_what_if,
    without_changes};

const Definition what_if_steps_part = TableOf<WhatIfRow>{
    {"what_if_steps",
     "what if, by step",
     "One row per run, change and step: see `what_if`.",
     {{head::run, &WhatIfRow::run},
      {change_column, &WhatIf::text},
      {"step_id", Unit::id, Role::key, "The step's number in the run: see `steps`.",
       &WhatIfRow::step_id},
      {"phase", Unit::text, Role::measure, "Its phase.", &WhatIfRow::phase},
      {"step", Unit::id, Role::measure, "Its number in the annotation; nothing if it has none.",
       &WhatIfRow::step, optional},
      replay_columns(),
      {note_column, &WhatIfRow::note}}},
    needs<RunReplay>,
    add_what_if_steps,
    without_replayed_steps};

const Definition critical_path_table = TableOf<PathRow>{
    {"critical_path",
     "critical path",
     "One row per run and part of its critical path: from its last operation back to what each "
     "waited for last. Of operations: one row per dimension and label. Those of one dimension and "
     "all other parts add up to the span of the run.",
     {run_column,
      {"part", Unit::text, Role::key,
       "`operation`; `delay`: from the end of an operation to the start of one that was launched "
       "before, at most 50 us; `unexplained`: an operation or a call waited for something that is "
       "not in the trace; `launch`: from the launching call to the start, at most the usual launch "
       "latency; `host`: a thread of the host, until it launches; `synchronization`: the return of "
       "a call after what it waited for had ended.",
       [](const PathSum& one) { return what_if::to_string(one.part); }},
      {"dimension", Unit::text, Role::key, "The dimension; nothing of parts other than operations.",
       &PathSum::dimension, optional},
      {"label", Unit::text, Role::key, "The label; nothing of parts other than operations.",
       &PathSum::label, optional},
      {"pieces", Unit::count, Role::measure, "How many there are.", &PathSum::pieces},
      {"total_ns", Unit::ns, Role::measure, "Their time on the path.", &PathSum::total_ns},
      {"share", Unit::ratio, Role::measure, "The same as a part of the span of the run.",
       [](const PathRow& row) {
         return ratio_of(row.of<PathSum>().total_ns,
                         row.of<Run>().get<RunReplay>().measured.run_ns);
       },
       read_with("total_ns")}}},
    needs<RunReplay>,
    add_critical_path,
    without_path};

const Definition what_if_table =
    scoped("what_if", "what if",
           "One row per run, change, and what it is about: how long it would take if operations "
           "took other times, by replaying streams, launches and waits.",
           {{.part = what_if_part, .name = "phase", .key = "phase", .without_key = "run"},
            {.part = what_if_steps_part, .name = "step", .key = "step_id"}});

}  // namespace kr::tables

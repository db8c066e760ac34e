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

/// What both tables say of one time: measured, replayed, changed.
void add_times(Cells& row, int64_t measured_ns, int64_t replayed_ns, const WhatIf& change,
               int64_t changed_ns, std::string& note) {
  const bool known = what_if::reproduces(measured_ns, replayed_ns) && change.without.empty();
  if (!change.without.empty()) {
    note = change.without;
  } else if (!known) {
    note = no_replay(measured_ns, replayed_ns);
  }
  const bool ratio = known && changed_ns > 0;
  row.insert(
      row.end(),
      {measured_ns, replayed_ns, known ? Cell(changed_ns) : Cell(),
       known ? Cell(replayed_ns - changed_ns) : Cell(),
       ratio ? Cell(static_cast<double>(replayed_ns) / static_cast<double>(changed_ns)) : Cell()});
}

/// Ends a row of `what_if`.
void add_row(Cells row, int64_t measured_ns, int64_t replayed_ns, const WhatIf& change,
             int64_t changed_ns, RowSink& sink) {
  std::string note;
  add_times(row, measured_ns, replayed_ns, change, changed_ns, note);
  const bool none = change.roof_ns && *change.roof_ns == 0;
  row.insert(row.end(), {change.operations, change.before_ns, none ? Cell() : Cell(change.after_ns),
                         table::cell(change.roof_ns), table::cell_or_nothing(note)});
  sink.row(row);
}

void add_what_if(const Source& source, RowSink& sink) {
  std::set<const what_if::JobReplay*> jobs;
  for (const Run& run : source.runs) {
    const what_if::JobReplay* const job = run.get<what_if::RunReplay>().job.get();
    if (job == nullptr || !jobs.insert(job).second) continue;
    for (const WhatIf& change : job->changes) {
      add_row({"job", change.text, Cell(), Cell()}, job->measured_ns, job->replayed_ns, change,
              change.times.run_ns, sink);
    }
  }
  for (const Run& run : source.runs) {
    const RunReplay& replay = run.get<what_if::RunReplay>();
    const std::vector<ReplayScope> scopes = scopes_of(replay);
    for (const WhatIf& change : replay.changes) {
      if (replay.job == nullptr) {
        add_row({run.summary.id, change.text, Cell(), Cell()}, replay.measured.run_ns,
                replay.replayed.run_ns, change, change.times.run_ns, sink);
      }
      for (const ReplayScope& scope : scopes) {
        add_row(
            {run.summary.id, change.text, scope.phase, static_cast<int64_t>(scope.steps.size())},
            scope.of(replay.measured), scope.of(replay.replayed), change,
            change.without.empty() ? scope.of(change.times) : 0, sink);
      }
    }
  }
}

void add_what_if_steps(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const RunReplay& replay = run.get<what_if::RunReplay>();
    for (const WhatIf& change : replay.changes) {
      for (size_t i = 0; i < replay.steps.size(); ++i) {
        const what_if::ReplayStep& step = replay.steps[i];
        if (!replay.measured.steps_ns[i]) continue;
        Cells row{run.summary.id, change.text, static_cast<int64_t>(i), step.phase,
                  table::cell(step.step)};
        std::string note;
        add_times(row, *replay.measured.steps_ns[i], *replay.replayed.steps_ns[i], change,
                  change.without.empty() ? *change.times.steps_ns[i] : 0, note);
        row.push_back(table::cell_or_nothing(note));
        sink.row(row);
      }
    }
  }
}

using PathRow = Parts<Run, PathSum>;
void add_critical_path(const Source& source, Rows<PathRow>& rows) {
  for (const Run& run : source.runs) {
    for (const PathSum& one : run.get<what_if::RunReplay>().path) {
      rows.add({run, one});
    }
  }
}

std::string without_changes(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<what_if::RunReplay>().changes.empty()) return {};
  }
  return "no change is named: name one with --what-if";
}

std::string without_replayed_steps(const Source& source) {
  if (std::string why = without_changes(source); !why.empty()) return why;
  for (const Run& run : source.runs) {
    if (!run.get<what_if::RunReplay>().steps.empty()) return {};
  }
  return "no annotation of a trace matches the `phases` of its model";
}

std::string without_path(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<what_if::RunReplay>().path.empty()) return {};
  }
  return "no run has operations";
}

/// Those of `add_times`, between others.
std::vector<Column> replay_columns(std::vector<Column> columns, std::vector<Column> last) {
  const std::vector<Column> times{
      {"measured_ns", Unit::ns, Role::measure,
       "Of the run: from the first start to the last end of its operations; of the job, on any of "
       "its ranks. Of steps: their wall times (`wall_ns` of `steps`), added up."},
      {"replayed_ns", Unit::ns, Role::detail,
       "The same in the replay without a change. Delays of more than 50 us that nothing in the "
       "trace explains are cut: more than 1 % off, the replay tells nothing."},
      {"what_if_ns", Unit::ns, Role::measure,
       "The same with the change. Nothing if the replay is more than 1 % off, or the change "
       "cannot be made: see `note`.",
       true},
      {"saved_ns", Unit::ns, Role::measure,
       "`replayed_ns` less `what_if_ns`; negative if it takes longer.", true},
      {"speedup", Unit::factor, Role::measure, "`replayed_ns` divided by `what_if_ns`.", true}};
  columns.insert(columns.end(), times.begin(), times.end());
  columns.insert(columns.end(), last.begin(), last.end());
  return columns;
}

constexpr const char* change_doc =
    "The change as written: `substage/moe_gemm = roof`; `all changes`: all of them together.";
constexpr const char* replay_note_doc = "Why there is no result; nothing if there is one.";

}  // namespace

const Definition what_if_part{
    {"what_if", "what if",
     "One row per run, change and phase, and one for the whole run: how long it would take if "
     "operations took other times, by replaying its streams, launches and waits. The time of the "
     "host between its calls stays. Ranks of a job are replayed together: the change is made on "
     "all "
     "of them, how long they wait for each other in collectives follows from it, and one row is "
     "for "
     "the whole job.",
     replay_columns(
         {{"run", Unit::text, Role::key, "The run; `job`: all ranks of the job together."},
          {"change", Unit::text, Role::key, change_doc},
          {"phase", Unit::text, Role::key, "The phase; nothing for the whole run or job.", true},
          {"steps", Unit::count, Role::measure, "Steps of the phase that have a wall time.", true}},
         {{"operations", Unit::count, Role::detail, "Operations that the change is about."},
          {"before_ns", Unit::ns, Role::detail,
           "The sum of their durations; of collectives of a job, from the last begin on any rank "
           "to the end."},
          {"after_ns", Unit::ns, Role::detail,
           "The same with the change; nothing if no roof is known.", true},
          {"roof_known_ns", Unit::ns, Role::measure,
           "Of `roof`: the part of `before_ns` whose roof is known, by the cost "
           "of its ops or by ncu. The rest keeps its time. Nothing of other "
           "changes.",
           true},
          {"note", Unit::text, Role::measure, replay_note_doc, true}})},
    needs<what_if::RunReplay>,
    add_what_if,
    without_changes};

const Definition what_if_steps_part{
    {"what_if_steps", "what if, by step", "One row per run, change and step: see `what_if`.",
     replay_columns({{"run", Unit::text, Role::key, "The run."},
                     {"change", Unit::text, Role::key, change_doc},
                     {"step_id", Unit::id, Role::key, "The step's number in the run: see `steps`."},
                     {"phase", Unit::text, Role::measure, "Its phase."},
                     {"step", Unit::id, Role::measure,
                      "Its number in the annotation; nothing if it has none.", true}},
                    {{"note", Unit::text, Role::measure, replay_note_doc, true}})},
    needs<what_if::RunReplay>,
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
      {"dimension",
       Unit::text,
       Role::key,
       "The dimension; nothing of parts other than operations.",
       &PathSum::dimension,
       {.optional = true}},
      {"label",
       Unit::text,
       Role::key,
       "The label; nothing of parts other than operations.",
       &PathSum::label,
       {.optional = true}},
      {"pieces", Unit::count, Role::measure, "How many there are.", &PathSum::pieces},
      {"total_ns", Unit::ns, Role::measure, "Their time on the path.", &PathSum::total_ns},
      {"share",
       Unit::ratio,
       Role::measure,
       "The same as a part of the span of the run.",
       [](const PathRow& row) {
         return ratio_of(row.of<PathSum>().total_ns,
                         row.of<Run>().get<what_if::RunReplay>().measured.run_ns);
       },
       {.share_of = "total_ns"}}}},
    needs<what_if::RunReplay>,
    add_critical_path,
    without_path};

const Definition what_if_table =
    scoped("what_if", "what if",
           "One row per run, change, and what it is about: how long it would take if operations "
           "took other times, by replaying streams, launches and waits.",
           {{.part = what_if_part, .name = "phase", .key = "phase", .without_key = "run"},
            {.part = what_if_steps_part, .name = "step", .key = "step_id"}});

}  // namespace kr::tables

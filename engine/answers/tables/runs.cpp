// The runs, and what is to be known of them.
#include <fmt/format.h>

#include "analyze/kernels.hpp"
#include "analyze/ranks.hpp"
#include "analyze/steps.hpp"
#include "base/plural.hpp"
#include "coverage/suggest.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/difference.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"
#include "text/numbers.hpp"

namespace kr::tables {
namespace {

using analyze::RunSummary;

/// Of a run that was not summed, `summary` is null.
struct RunRow {
  std::string_view run;
  std::string_view source;
  std::string_view format;
  std::string_view engine;
  std::string_view model;
  std::string_view why;
  std::string_view name;
  const RunSummary* summary = nullptr;
  const analyze::RankNumber* rank = nullptr;  // null: it is not the rank of a job
};

/// Of a run that was summed.
template <auto member>
Cell of_sums(const RunRow& row) {
  return row.summary != nullptr ? table::cell(row.summary->*member) : Cell();
}

void add_runs(const Source& source, Rows<RunRow>& rows) {
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const RunSummary& run = source.runs[i].summary;
    const analyze::RankNumber& rank = source.ranks().runs[i].number;
    // The two sides of a comparison are not ranks of one job unless they say so.
    const bool ranked =
        source.run_difference == nullptr || rank.from != analyze::RankNumber::From::order;
    rows.add({run.id, run.source, run.format, run.engine, run.model, run.choice_why,
              source.run_name(run.id), &run, ranked ? &rank : nullptr});
  }
  for (const RunHead& run : source.other_runs) {
    rows.add({run.run, run.source, run.format, run.engine, run.model, run.why,
              source.run_name(run.run)});
  }
}

std::string no_runs(const Source& source) {
  const bool any = !source.runs.empty() || !source.other_runs.empty();
  return any ? std::string() : "the results are not about runs";
}

using NoteRow = Note;
void add_notes(const Source& source, Rows<NoteRow>& rows) {
  for (const Note& note : all_notes(source)) {
    rows.add(note);
  }
}

}  // namespace

std::vector<Note> notes_of(const std::string& run,
                           const std::vector<trace::DroppedRecords>& dropped,
                           const std::string& inexact, const std::vector<Warning>& warnings) {
  std::vector<Note> notes;
  notes.reserve(dropped.size() + warnings.size() + 1);
  for (const trace::DroppedRecords& records : dropped) {
    notes.push_back({run, "warning", "dropped-records", records.what,
                     static_cast<int64_t>(records.count),
                     static_cast<int64_t>(records.first_offset)});
  }
  if (!inexact.empty()) notes.push_back({run, "warning", "inexact-times", inexact});
  for (const Warning& warning : warnings) {
    notes.push_back({run, warning.severity, warning.code, warning.text});
  }
  return notes;
}

std::vector<Note> result_notes(const Source& source) {
  std::vector<Note> notes;
  if (const auto* coverage = source.coverage; coverage != nullptr && coverage->omitted_groups > 0) {
    notes.push_back(
        {"", "info", "more-groups",
         fmt::format("{} of unexplained names, with {} of time, omitted; --top 0 shows all",
                     plural(coverage->omitted_groups, "group"),
                     text::human_time(coverage->omitted_ns)),
         static_cast<int64_t>(coverage->omitted_groups)});
  }
  if (const Tree* tree = source.tree) {
    for (const std::string& text : tree->unknown_folds) {
      notes.push_back({tree->run, "warning", "unknown-fold", text});
    }
    if (const int64_t lost_ns = tree->view->lost_ns(); lost_ns > 0) {
      notes.push_back({tree->run, "warning", "time-not-shown",
                       fmt::format("--compat omits {} ns of the time", lost_ns), lost_ns});
    }
  }
  if (source.rules_difference != nullptr) {
    notes.push_back(
        {"", "info", "compared", "compared: " + source.rules_difference->compared(), {}});
  }
  if (source.rules_difference != nullptr && !source.rules_difference->changes.proven) {
    notes.push_back({"", "warning", "not-proven",
                     "not proven: the rules are too complex to prove that the list is complete"});
  }
  return notes;
}

std::vector<Note> all_notes(const Source& source) {
  std::vector<Note> notes;
  for (const Run& one : source.runs) {
    const RunSummary& run = one.summary;
    const auto of_run = notes_of(run.id, run.dropped, run.inexact, run.warnings);
    notes.insert(notes.end(), of_run.begin(), of_run.end());
    const int64_t too_deep =
        one.find<analyze::StepSums>() != nullptr ? one.get<analyze::StepSums>().too_deep : 0;
    if (too_deep == 0) continue;
    notes.push_back(
        {run.id, "warning", "steps-nested-too-deep",
         "operations are inside more than 64 steps: the times of the outermost lack them",
         too_deep});
  }
  const auto add = [&notes](const std::vector<Note>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  for (const RunHead& run : source.other_runs) add(run.notes);
  // Two runs that are compared are not expected to be ranks of one job.
  if (source.run_difference == nullptr) add(rank_notes(source));
  add(result_notes(source));
  return notes;
}

const Definition runs_table = TableOf<RunRow>{
    {"runs",
     "runs",
     "One row per run: what was read and how its rules were chosen; its sums if it was summed.",
     {{"run", Unit::text, Role::key, "The name of the run, `MODEL_ENGINE_FILE_NUMBER`.",
       &RunRow::run},
      {"source", Unit::text, Role::measure, "The path as given; `-` is standard input.",
       &RunRow::source},
      {"format", Unit::text, Role::measure, "The format of the file (`kr list formats`).",
       &RunRow::format},
      {"engine", Unit::text, Role::measure, "The engine whose rules label it.", &RunRow::engine},
      {"model", Unit::text, Role::measure, "The model whose rules label it.", &RunRow::model},
      {"why", Unit::text, Role::detail, "Why this engine and model were chosen.", &RunRow::why,
       optional},
      {"rank", Unit::id, Role::measure, "The rank of the run among those of one job.",
       [](const RunRow& row) { return row.rank != nullptr ? Cell(row.rank->rank) : Cell(); },
       optional},
      {"rank_from", Unit::text, Role::detail,
       "What identifies the rank: the `trace`, the `name` of the file, or the `order` given.",
       [](const RunRow& row) { return row.rank != nullptr ? table::cell(row.rank->from) : Cell(); },
       optional},
      {"world_size", Unit::count, Role::detail, "The processes of the job, if the trace says.",
       [](const RunRow& row) {
         return row.summary != nullptr ? table::cell(row.summary->distributed.world_size) : Cell();
       },
       optional},
      {"backend", Unit::text, Role::detail, "The communication library, if the trace says.",
       [](const RunRow& row) {
         return row.summary != nullptr ? table::cell(row.summary->distributed.backend) : Cell();
       },
       optional},
      {"operations", Unit::count, Role::measure, "Kernels, copies and sets.",
       of_sums<&RunSummary::operations>, optional},
      {"names", Unit::count, Role::detail, "Distinct names of operations, as in `kernels`.",
       [](const RunRow& row) {
         return row.summary != nullptr ? table::cell(row.summary->names.size()) : Cell();
       },
       optional},
      {"gpu_elapsed_ns", Unit::ns, Role::measure,
       "The time in which at least one operation ran on any device.",
       of_sums<&RunSummary::gpu_elapsed_ns>, optional},
      {"gpu_total_ns", Unit::ns, Role::measure, "The sum of all durations.",
       of_sums<&RunSummary::gpu_total_ns>, optional},
      {"span_ns", Unit::ns, Role::measure,
       "From the first start to the last end of all operations.", of_sums<&RunSummary::span_ns>,
       optional},
      {"wall_ns", Unit::ns, Role::detail, "The wall time that the user gave, else the span.",
       of_sums<&RunSummary::wall_ns>, optional},
      {"wall_from", Unit::text, Role::detail, "Where `wall_ns` is from: `user` or `span`.",
       [](const RunRow& row) {
         return row.summary != nullptr
                    ? Cell(row.summary->wall_from == analyze::WallFrom::user ? "user" : "span")
                    : Cell();
       },
       optional},
      {"non_gpu_ns", Unit::ns, Role::measure,
       "The time in which no GPU was busy: `wall_ns` less `gpu_elapsed_ns`, but not below 0.",
       of_sums<&RunSummary::non_gpu_ns>, optional},
      {"gpu_busy_ns", Unit::ns, Role::detail,
       "The busy time of all devices: with one device `gpu_elapsed_ns`.",
       of_sums<&RunSummary::gpu_busy_ns>, optional},
      {"name", Unit::text, Role::measure,
       "A short name for people: what differs between the runs of this command, such as `rank "
       "3`.",
       &RunRow::name}},
     true},
    needs<>,
    add_runs,
    no_runs};

const Definition notes_table = TableOf<NoteRow>{
    {"notes",
     "notes",
     "One row per note: dropped records, inexact times and warnings.",
     {{"run", Unit::text, Role::key, "The run; nothing if the note is about all.", &Note::run,
       optional},
      {"severity", Unit::text, Role::measure, "`warning` or `info`.", &Note::severity},
      {"code", Unit::text, Role::key, "A stable name for programs, such as `dropped-records`.",
       &Note::code},
      {"text", Unit::text, Role::key, "The note for people.", &Note::text},
      {"count", Unit::count, Role::measure, "Records concerned.", &Note::count, optional},
      {"first_offset", Unit::id, Role::detail,
       "The place of the first one: a byte of the decompressed text, or a row of its table.",
       &Note::first_offset, optional}},
     true},
    needs<>,
    add_notes};

}  // namespace kr::tables

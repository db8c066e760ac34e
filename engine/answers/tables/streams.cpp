// What each stream of a device did, and all streams of a device, a run and a job.
#include "analyze/streams.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::StreamTotals;
using analyze::StreamUse;

using StreamRow = Parts<Run, StreamUse>;
void add_streams(const Source& source, Rows<StreamRow>& rows) {
  for (const Run& run : source.runs) {
    for (const StreamUse& one : run.get<analyze::StreamUses>().streams) {
      rows.add({run, one});
    }
  }
}

struct StreamTotalsRow : Parts<StreamTotals> {
  std::string_view scope;
  std::string_view run = {};           // empty: the job
  std::optional<int64_t> device = {};  // of scope `device`
};

void add_stream_totals(const Source& source, Rows<StreamTotalsRow>& rows) {
  StreamTotals job;
  std::vector<StreamTotals> tasks;
  for (const Run& run : source.runs) {
    StreamTotals& task = tasks.emplace_back();
    for (const auto& [device, totals] : analyze::total_streams(run.get<analyze::StreamUses>()))
      task.add(totals);
    job.add(task);
  }
  if (source.runs.size() > 1 && not_ranks(source).empty()) {
    rows.add({{job}, "job"});
  }
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const Run& run = source.runs[i];
    rows.add({{tasks[i]}, "task", run.summary.id});
    for (const auto& [device, totals] : analyze::total_streams(run.get<analyze::StreamUses>())) {
      rows.add({{totals}, "device", run.summary.id, device});
    }
  }
}

}  // namespace

const Definition streams_table = TableOf<StreamRow>{
    {"streams",
     "time breakdown by stream",
     "One row per run, device and stream with operations: span = busy + idle.",
     {run_column,
      {head::device, &StreamUse::device},
      {head::stream, &StreamUse::stream},
      {"operations", Unit::count, Role::measure, "Operations on it.", &StreamUse::operations},
      {head::total_ns, &StreamUse::total_ns},
      {head::span_ns, &StreamUse::span_ns},
      {head::busy_ns, &StreamUse::busy_ns},
      {"idle_ns", Unit::ns, Role::measure, "The time of the span in which none ran.",
       &StreamUse::idle_ns},
      {"longest_gap_ns", Unit::ns, Role::measure, "The longest time between two of them.",
       &StreamUse::longest_gap_ns}}},
    needs<analyze::StreamUses>,
    add_streams};

const Definition stream_totals_table = TableOf<StreamTotalsRow>{
    {.id = "stream_totals",
     .title = "streams by device, task and job",
     .doc = "One row per device, per task (a run), and for the job if the runs are its ranks: all "
            "streams of it together. Devices add up to their task, and tasks to the job.",
     .columns =
         {{"scope", Unit::text, Role::key, "`job`, `task` or `device`.", &StreamTotalsRow::scope},
          {"run", Unit::text, Role::key, "The run; empty: the job.", &StreamTotalsRow::run,
           optional},
          {"device", Unit::id, Role::key, "The number of the device; empty: all devices.",
           &StreamTotalsRow::device, optional},
          {"devices", Unit::count, Role::measure, "Devices with operations.",
           &StreamTotals::devices},
          {"streams", Unit::count, Role::measure, "Their streams with operations.",
           &StreamTotals::streams},
          {"operations", Unit::count, Role::measure, "Operations on them.",
           &StreamTotals::operations},
          {head::total_ns, &StreamTotals::total_ns},
          {"stream_busy_ns", Unit::ns, Role::measure,
           "`busy_ns` of `streams`, of all streams added.", &StreamTotals::stream_busy_ns},
          {"stream_idle_ns", Unit::ns, Role::detail,
           "`idle_ns` of `streams`, of all streams added.", &StreamTotals::stream_idle_ns},
          {"busy_ns", Unit::ns, Role::measure,
           "The time in which any stream of a device was busy, of all devices added.",
           &StreamTotals::busy_ns},
          {"streams_at_once", Unit::factor, Role::measure,
           "How many streams of a device were busy at once on average, while any was: "
           "`stream_busy_ns` divided by `busy_ns`; 0 if both are 0.",
           [](const StreamTotals& of) { return ratio_of(of.stream_busy_ns, of.busy_ns); }},
          {"communication_ns", Unit::ns, Role::measure,
           "`communication_ns` of `stream_overlap`, of all streams that communicate, added.",
           &StreamTotals::communication_ns},
          {"overlap_ns", Unit::ns, Role::measure,
           "The part of this time in which any stream of the same device computes.",
           &StreamTotals::overlap_ns},
          {"overlap", Unit::ratio, Role::measure,
           "`overlap_ns` as a part of `communication_ns`; empty if nothing communicates.",
           [](const StreamTotals& of) {
             return of.communication_ns > 0 ? Cell(ratio_of(of.overlap_ns, of.communication_ns))
                                            : Cell();
           },
           optional},
          {"max_at_once", Unit::count, Role::measure,
           "The most operations that ran at once on one device.", &StreamTotals::max_at_once}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_stream_totals};

}  // namespace kr::tables

// What each stream of a device did, and all streams of a device, a run and a job.
#include "analyze/streams.hpp"

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::StreamTotals;

void add_streams(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::StreamUse& one : run.get<analyze::StreamUses>().streams) {
      sink.row({run.summary.id, int64_t{one.device}, one.stream, one.operations, one.total_ns,
                one.span_ns, one.busy_ns, one.idle_ns(), one.longest_gap_ns});
    }
  }
}

void add_totals(std::string_view scope, Cell run, Cell device, const StreamTotals& of,
                RowSink& sink) {
  sink.row({scope, run, device, of.devices, of.streams, of.operations, of.total_ns,
            of.stream_busy_ns, of.stream_idle_ns, of.busy_ns,
            ratio_of(of.stream_busy_ns, of.busy_ns), of.communication_ns, of.overlap_ns,
            of.communication_ns > 0 ? Cell(ratio_of(of.overlap_ns, of.communication_ns)) : Cell(),
            of.max_at_once});
}

void add_stream_totals(const Source& source, RowSink& sink) {
  StreamTotals job;
  std::vector<StreamTotals> tasks;
  for (const Run& run : source.runs) {
    StreamTotals& task = tasks.emplace_back();
    for (const auto& [device, totals] : analyze::total_streams(run.get<analyze::StreamUses>()))
      task.add(totals);
    job.add(task);
  }
  if (source.runs.size() > 1 && not_ranks(source).empty()) {
    add_totals("job", {}, {}, job, sink);
  }
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const Run& run = source.runs[i];
    add_totals("task", run.summary.id, {}, tasks[i], sink);
    for (const auto& [device, totals] : analyze::total_streams(run.get<analyze::StreamUses>())) {
      add_totals("device", run.summary.id, int64_t{device}, totals, sink);
    }
  }
}

}  // namespace

const Definition streams_table{
    {"streams",
     "time breakdown by stream",
     "One row per run, device and stream with operations: span = busy + idle.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"stream", Unit::id, Role::key, "The number of the stream."},
      {"operations", Unit::count, Role::measure, "Operations on it."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"span_ns", Unit::ns, Role::measure, "From its first start to its last end."},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them ran."},
      {"idle_ns", Unit::ns, Role::measure, "The time of the span in which none ran."},
      {"longest_gap_ns", Unit::ns, Role::measure, "The longest time between two of them."}}},
    needs<analyze::StreamUses>,
    add_streams};

const Definition stream_totals_table{
    {.id = "stream_totals",
     .title = "streams by device, task and job",
     .doc = "One row per device, per task (a run), and for the job if the runs are its ranks: all "
            "streams of it together. Devices add up to their task, and tasks to the job.",
     .columns =
         {{"scope", Unit::text, Role::key, "`job`, `task` or `device`."},
          {"run", Unit::text, Role::key, "The run; empty: the job.", true},
          {"device", Unit::id, Role::key, "The number of the device; empty: all devices.", true},
          {"devices", Unit::count, Role::measure, "Devices with operations."},
          {"streams", Unit::count, Role::measure, "Their streams with operations."},
          {"operations", Unit::count, Role::measure, "Operations on them."},
          {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
          {"stream_busy_ns", Unit::ns, Role::measure,
           "`busy_ns` of `streams`, of all streams added."},
          {"stream_idle_ns", Unit::ns, Role::detail,
           "`idle_ns` of `streams`, of all streams added."},
          {"busy_ns", Unit::ns, Role::measure,
           "The time in which any stream of a device was busy, of all devices added."},
          {"streams_at_once", Unit::factor, Role::measure,
           "How many streams of a device were busy at once on average, while any was: "
           "`stream_busy_ns` divided by `busy_ns`; 0 if both are 0."},
          {"communication_ns", Unit::ns, Role::measure,
           "`communication_ns` of `stream_overlap`, of all streams that communicate, added."},
          {"overlap_ns", Unit::ns, Role::measure,
           "The part of this time in which any stream of the same device computes."},
          {"overlap", Unit::ratio, Role::measure,
           "`overlap_ns` as a part of `communication_ns`; empty if nothing communicates.", true},
          {"most_at_once", Unit::count, Role::measure,
           "The most operations that ran at once on one device."}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_stream_totals};

}  // namespace kr::tables

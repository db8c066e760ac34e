// How many operations of a device ran at once, and what computed while it communicated.
#include <algorithm>

#include "analyze/streams.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

/// Of the first operation of the run; 0 where there is none.
int64_t run_begin_ns(const analyze::RunSummary& run) {
  const auto first = std::min_element(
      run.devices.begin(), run.devices.end(),
      [](const auto& a, const auto& b) { return a.first_start_ns < b.first_start_ns; });
  return first == run.devices.end() ? 0 : first->first_start_ns;
}

void add_in_flight(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::Concurrency& one : run.get<analyze::StreamUses>().devices) {
      int64_t span_ns = 0;
      for (const int64_t ns : one.in_flight_ns) span_ns += ns;
      for (size_t i = 0; i < one.in_flight_ns.size(); ++i) {
        const int64_t ns = one.in_flight_ns[i];
        if (ns == 0) continue;
        sink.row({run.summary.id, int64_t{one.device}, static_cast<int64_t>(i), ns,
                  ratio_of(ns, span_ns)});
      }
    }
  }
}

void add_in_flight_over_time(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const int64_t begin_ns = run_begin_ns(run.summary);
    for (const analyze::Concurrency& one : run.get<analyze::StreamUses>().devices) {
      for (const analyze::Concurrency::Bin& bin : one.bins) {
        sink.row({run.summary.id, int64_t{one.device}, bin.begin_ns - begin_ns,
                  bin.end_ns - begin_ns, bin.operation_ns,
                  ratio_of(bin.operation_ns, bin.end_ns - bin.begin_ns), bin.most});
      }
    }
  }
}

void add_stream_overlap(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::Concurrency& one : run.get<analyze::StreamUses>().devices) {
      for (const analyze::Concurrency::Overlap& overlap : one.overlaps) {
        sink.row({run.summary.id, int64_t{one.device}, overlap.communication_stream,
                  table::cell(overlap.compute_stream), overlap.communication_ns, overlap.overlap_ns,
                  ratio_of(overlap.overlap_ns, overlap.communication_ns)});
      }
    }
  }
}

}  // namespace

const Definition in_flight_table{
    {.id = "in_flight",
     .title = "operations at once",
     .doc = "One row per run, device and number of operations that ran at the same time; the times "
            "add up to the span of the device.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"operations", Unit::id, Role::key,
                  "How many kernels, copies and sets ran at once; 0: the device was idle."},
                 {"total_ns", Unit::ns, Role::measure, "The time in which so many ran."},
                 {"share", Unit::ratio, Role::measure, "Its part of the device's span.", false,
                  false, "total_ns"}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_in_flight};

const Definition in_flight_over_time_table{
    {.id = "in_flight_over_time",
     .title = "operations at once over time",
     .doc = "One row per run, device and part of its span; a span is cut into at most 100 parts of "
            "equal length.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"begin_ns", Unit::ns, Role::key,
                  "When the part begins, from the first operation of the run."},
                 {"end_ns", Unit::ns, Role::measure, "When it ends, the same."},
                 {"operation_ns", Unit::ns, Role::measure,
                  "The time of all operations within the part, added up."},
                 {"mean", Unit::count, Role::measure,
                  "How many ran at once on average: `operation_ns` divided by the length."},
                 {"most", Unit::count, Role::measure, "How many ran at once at most."}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_in_flight_over_time};

const Definition stream_overlap_table{
    {.id = "stream_overlap",
     .title = "communication under compute by stream",
     .doc =
         "One row per run, device, stream that communicates, and stream that computes meanwhile; "
         "a row without the second is about all of them.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"communication_stream", Unit::id, Role::key, "The stream that communicates."},
                 {"compute_stream", Unit::id, Role::key,
                  "The stream whose compute kernels run meanwhile; empty: any stream.", true},
                 {"communication_ns", Unit::ns, Role::measure,
                  "The time in which the first stream communicates."},
                 {"overlap_ns", Unit::ns, Role::measure,
                  "The part of this time in which the other computes."},
                 {"overlap", Unit::ratio, Role::measure,
                  "`overlap_ns` as a part of `communication_ns`."}}},
    needs<analyze::StreamUses>,
    add_stream_overlap};

}  // namespace kr::tables

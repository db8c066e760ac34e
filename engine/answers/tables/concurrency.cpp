// How many operations of a device ran at once, and what computed while it communicated.
#include <algorithm>

#include "analyze/streams.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Concurrency;

/// Of the first operation of the run; 0 where there is none.
int64_t run_begin_ns(const analyze::RunSummary& run) {
  const auto first = std::min_element(
      run.devices.begin(), run.devices.end(),
      [](const auto& a, const auto& b) { return a.first_start_ns < b.first_start_ns; });
  return first == run.devices.end() ? 0 : first->first_start_ns;
}

struct InFlightRow : Parts<Run, Concurrency> {
  int64_t at_once;
  int64_t ns;
  int64_t span_ns;
};

void add_in_flight(const Source& source, Rows<InFlightRow>& rows) {
  for (const Run& run : source.runs) {
    for (const Concurrency& one : run.get<analyze::StreamUses>().devices) {
      int64_t span_ns = 0;
      for (const int64_t ns : one.in_flight_ns) span_ns += ns;
      for (size_t i = 0; i < one.in_flight_ns.size(); ++i) {
        const int64_t ns = one.in_flight_ns[i];
        if (ns == 0) continue;
        rows.add({{run, one}, static_cast<int64_t>(i), ns, span_ns});
      }
    }
  }
}

struct InFlightBinRow : Parts<Run, Concurrency, Concurrency::Bin> {
  int64_t run_ns;  // when the run begins
};

void add_in_flight_over_time(const Source& source, Rows<InFlightBinRow>& rows) {
  for (const Run& run : source.runs) {
    const int64_t run_ns = run_begin_ns(run.summary);
    for (const Concurrency& one : run.get<analyze::StreamUses>().devices) {
      for (const Concurrency::Bin& bin : one.bins) {
        rows.add({{run, one, bin}, run_ns});
      }
    }
  }
}

using StreamOverlapRow = Parts<Run, Concurrency, Concurrency::Overlap>;
void add_stream_overlap(const Source& source, Rows<StreamOverlapRow>& rows) {
  for (const Run& run : source.runs) {
    for (const Concurrency& one : run.get<analyze::StreamUses>().devices) {
      for (const Concurrency::Overlap& overlap : one.overlaps) {
        rows.add({run, one, overlap});
      }
    }
  }
}

}  // namespace

const Definition in_flight_table = TableOf<InFlightRow>{
    {.id = "in_flight",
     .title = "operations at once",
     .doc = "One row per run, device and number of operations that ran at the same time; the times "
            "add up to the span of the device.",
     .columns = {run_column,
                 {head::device, &Concurrency::device},
                 {"operations", Unit::id, Role::key,
                  "How many kernels, copies and sets ran at once; 0: the device was idle.",
                  &InFlightRow::at_once},
                 {"total_ns", Unit::ns, Role::measure, "The time in which so many ran.",
                  &InFlightRow::ns},
                 {"share", Unit::ratio, Role::measure, "Its part of the device's span.",
                  [](const InFlightRow& row) { return ratio_of(row.ns, row.span_ns); },
                  read_with("total_ns")}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_in_flight};

const Definition in_flight_over_time_table = TableOf<InFlightBinRow>{
    {.id = "in_flight_over_time",
     .title = "operations at once over time",
     .doc = "One row per run, device and part of its span; a span is cut into at most 100 parts of "
            "equal length.",
     .columns = {run_column,
                 {head::device, &Concurrency::device},
                 {"begin_ns", Unit::ns, Role::key,
                  "When the part begins, from the first operation of the run.",
                  [](const InFlightBinRow& row) {
                    return row.of<Concurrency::Bin>().begin_ns - row.run_ns;
                  }},
                 {"end_ns", Unit::ns, Role::measure, "When it ends, the same.",
                  [](const InFlightBinRow& row) {
                    return row.of<Concurrency::Bin>().end_ns - row.run_ns;
                  }},
                 {"operation_ns", Unit::ns, Role::measure,
                  "The time of all operations within the part, added up.",
                  &Concurrency::Bin::operation_ns},
                 {"mean", Unit::count, Role::measure,
                  "How many ran at once on average: `operation_ns` divided by the length.",
                  [](const InFlightBinRow& row) {
                    return ratio_of(
                        row.of<Concurrency::Bin>().operation_ns,
                        row.of<Concurrency::Bin>().end_ns - row.of<Concurrency::Bin>().begin_ns);
                  }},
                 {"most", Unit::count, Role::measure, "How many ran at once at most.",
                  &Concurrency::Bin::most}},
     .in_short_form = false},
    needs<analyze::StreamUses>,
    add_in_flight_over_time};

const Definition stream_overlap_table = TableOf<StreamOverlapRow>{
    {.id = "stream_overlap",
     .title = "communication under compute by stream",
     .doc =
         "One row per run, device, stream that communicates, and stream that computes meanwhile; "
         "a row without the second is about all of them.",
     .columns = {run_column,
                 {head::device, &Concurrency::device},
                 {"communication_stream", Unit::id, Role::key, "The stream that communicates.",
                  &Concurrency::Overlap::communication_stream},
                 {"compute_stream", Unit::id, Role::key,
                  "The stream whose compute kernels run meanwhile; empty: any stream.",
                  &Concurrency::Overlap::compute_stream, optional},
                 {"communication_ns", Unit::ns, Role::measure,
                  "The time in which the first stream communicates.",
                  &Concurrency::Overlap::communication_ns},
                 {"overlap_ns", Unit::ns, Role::measure,
                  "The part of this time in which the other computes.",
                  &Concurrency::Overlap::overlap_ns},
                 {"overlap", Unit::ratio, Role::measure,
                  "`overlap_ns` as a part of `communication_ns`.",
                  [](const Concurrency::Overlap& overlap) {
                    return ratio_of(overlap.overlap_ns, overlap.communication_ns);
                  }}}},
    needs<analyze::StreamUses>,
    add_stream_overlap};

}  // namespace kr::tables

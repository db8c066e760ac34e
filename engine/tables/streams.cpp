// What each stream of a device did.
#include <map>
#include <utility>

#include "analyze/sweep.hpp"
#include "tables/definition.hpp"

namespace kr::tables {
namespace {

struct StreamSums {
  int64_t operations = 0;
  int64_t total_ns = 0;
  int64_t first_ns = 0;
  int64_t longest_gap_ns = 0;
  analyze::UnionSweep busy;

  void add(const trace::Operation& operation) {
    if (operations++ == 0) {
      first_ns = operation.start_ns;
    } else {
      longest_gap_ns = std::max(longest_gap_ns, operation.start_ns - busy.covered_to());
    }
    total_ns += operation.duration_ns;
    busy.add(operation.start_ns, operation.end_ns());
  }
};

void add_streams(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.trace->trace;
    std::map<std::pair<int32_t, int64_t>, StreamSums> streams;
    std::vector<StreamSums*> of_track;
    for (const trace::Track& track : trace.tracks) {
      of_track.push_back(&streams[{track.device, track.stream}]);
    }
    for (const trace::Operation& operation : trace.operations) {
      of_track[operation.track.index]->add(operation);
    }
    for (const auto& [place, sums] : streams) {
      if (sums.operations == 0) continue;
      const int64_t span_ns = sums.busy.covered_to() - sums.first_ns;
      sink.row({run.summary.id, int64_t{place.first}, place.second, sums.operations, sums.total_ns,
                span_ns, sums.busy.covered_ns(), span_ns - sums.busy.covered_ns(),
                sums.longest_gap_ns});
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
    Needs::operations,
    add_streams};

}  // namespace kr::tables

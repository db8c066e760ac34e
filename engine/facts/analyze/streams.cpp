#include "analyze/streams.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"
#include "analyze/steps.hpp"
#include "analyze/sweep.hpp"
#include "base/saturated.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {
namespace {

class StreamSums {
 public:
  void add(const trace::Operation& operation) {
    if (use_.operations++ == 0) {
      first_ns_ = operation.start_ns;
    } else {
      const int64_t gap_ns = operation.start_ns - busy_.covered_to();
      use_.longest_gap_ns = std::max(use_.longest_gap_ns, gap_ns);
    }
    use_.total_ns += operation.duration_ns;
    busy_.add(operation.start_ns, operation.end_ns());
  }
  bool empty() const noexcept { return use_.operations == 0; }
  StreamUse finish(int32_t device, int64_t stream) {
    use_.device = device;
    use_.stream = stream;
    use_.span_ns = busy_.covered_to() - first_ns_;
    use_.busy_ns = busy_.covered_ns();
    return use_;
  }

 private:
  StreamUse use_;
  int64_t first_ns_ = 0;
  UnionSweep busy_;
};

std::vector<StreamUse> uses_of(const trace::Trace& trace) {
  const scopes::Scope streams = scopes::by_stream(trace);
  auto sums = scopes::sum_by<StreamSums>(
      streams, [&](StreamSums& sum, size_t i) { sum.add(trace.operations[i]); });
  std::vector<StreamUse> uses;
  for (uint32_t key = 0; key < streams.size(); ++key) {
    if (sums[key].empty()) continue;
    const trace::Track& track = trace.tracks[static_cast<size_t>(streams.number(key))];
    uses.push_back(sums[key].finish(track.device, track.stream));
  }
  return uses;
}

}  // namespace

StreamUses measure_streams(const trace::Trace& trace, const classify::Labelled& labelled,
                           const std::vector<Kind>& kinds) {
  return {uses_of(trace), measure_concurrency(trace, labelled, kinds)};
}

void StreamTotals::add(const StreamTotals& other) noexcept {
  for (int64_t StreamTotals::*const sum :
       {&StreamTotals::devices, &StreamTotals::streams, &StreamTotals::operations,
        &StreamTotals::total_ns, &StreamTotals::stream_busy_ns, &StreamTotals::stream_idle_ns,
        &StreamTotals::busy_ns, &StreamTotals::communication_ns, &StreamTotals::overlap_ns}) {
    this->*sum = add_saturated(this->*sum, other.*sum);
  }
  max_at_once = std::max(max_at_once, other.max_at_once);
}

std::vector<std::pair<int32_t, StreamTotals>> total_streams(const StreamUses& uses) {
  std::map<int32_t, StreamTotals> devices;
  for (const StreamUse& one : uses.streams) {
    StreamTotals of_stream;
    of_stream.streams = 1;
    of_stream.operations = one.operations;
    of_stream.total_ns = one.total_ns;
    of_stream.stream_busy_ns = one.busy_ns;
    of_stream.stream_idle_ns = one.idle_ns();
    devices[one.device].add(of_stream);
  }
  for (const Concurrency& one : uses.devices) {
    StreamTotals of_device;
    of_device.devices = 1;
    for (size_t running = 1; running < one.in_flight_ns.size(); ++running) {
      of_device.busy_ns += one.in_flight_ns[running];
      if (one.in_flight_ns[running] > 0) of_device.max_at_once = static_cast<int64_t>(running);
    }
    for (const Concurrency::Overlap& overlap : one.overlaps) {
      if (overlap.compute_stream) continue;
      of_device.communication_ns =
          add_saturated(of_device.communication_ns, overlap.communication_ns);
      of_device.overlap_ns = add_saturated(of_device.overlap_ns, overlap.overlap_ns);
    }
    devices[one.device].add(of_device);
  }
  return {devices.begin(), devices.end()};
}

facts::Computed<StreamUses> StreamUses::compute(const facts::Input& run) {
  if (const std::string& why = run.trace.trace.lost_streams; !why.empty()) {
    return facts::Computed<StreamUses>::absent("streams are not known: " + why);
  }
  const classify::Labelled& labelled = run.trace.labelled;
  return measure_streams(run.trace.trace, labelled, kinds_by_row(run.rules.program(), labelled));
}

void StreamUses::saved(facts::Fields& io, const RunSummary& run) {
  int64_t left = run.operations, left_ns = run.gpu_total_ns;
  io.list("streams", streams, [&](facts::Fields& row, StreamUse& one) {
    row.number("device", one.device);
    row.number("stream", one.stream);
    row.amount("operations", one.operations);
    row.amount("total_ns", one.total_ns);
    row.amount("span_ns", one.span_ns);
    row.amount("busy_ns", one.busy_ns);
    row.amount("longest_gap_ns", one.longest_gap_ns);
    if (!row.reads()) return;
    row.check(one.busy_ns <= one.span_ns && one.longest_gap_ns <= one.span_ns &&
              one.span_ns <= saved_device(row, run, one.device).span_ns);
    row.take_from(left, one.operations);
    row.take_from(left_ns, one.total_ns);
  });
  io.check(left == 0 && left_ns == 0);
  io.list("devices", devices,
          [&](facts::Fields& row, Concurrency& one) { save_concurrency(row, run, one); });
  io.check(std::ranges::equal(devices, run.devices, {}, &Concurrency::device, &DeviceSum::device));
}

}  // namespace kr::analyze

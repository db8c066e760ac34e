#include "analyze/concurrency.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/saved_sums.hpp"
#include "scopes/measures.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {
namespace {

/// Operations of one device that run at a time. Each is seen twice, at its start and its end.
class InFlight {
 public:
  InFlight(int32_t device, int64_t first_ns, int64_t last_ns)
      : now_(first_ns), first_(first_ns), last_(last_ns) {
    out_.device = device;
    const int64_t span_ns = last_ns - first_ns;
    bin_ns_ = std::max<int64_t>(
        1, span_ns / Concurrency::max_bins + (span_ns % Concurrency::max_bins != 0 ? 1 : 0));
    for (int64_t begin = first_ns; begin < last_ns;) {
      const int64_t end = last_ns - begin > bin_ns_ ? begin + bin_ns_ : last_ns;
      out_.bins.push_back({begin, end, 0, 0});
      begin = end;
    }
  }

  uint32_t stream(int64_t number) {
    const auto next = static_cast<uint32_t>(streams_.size());
    const auto [at, added] = numbers_.try_emplace(number, next);
    if (added) streams_.push_back({number, {}, {}, 0, 0});
    return at->second;
  }

  /// In order of start. What takes no time is never in flight.
  void add(const trace::Operation& operation, uint32_t stream, Kind kind) {
    if (operation.duration_ns == 0) return;
    advance(operation.start_ns);
    ends_.push_back({operation.end_ns(), stream, kind});
    std::push_heap(ends_.begin(), ends_.end(), later);
    change(stream, kind, 1);
  }

  Concurrency finish() {
    advance(last_);
    for (const Stream& communicates : streams_) {
      if (communicates.communication_ns == 0) continue;
      out_.overlaps.push_back({communicates.number, std::nullopt, communicates.communication_ns,
                               communicates.overlapped_ns});
      for (const auto& [pair, ns] : overlap_ns_) {
        if (&streams_[pair.first] != &communicates) continue;
        out_.overlaps.push_back(
            {communicates.number, streams_[pair.second].number, communicates.communication_ns, ns});
      }
    }
    std::sort(out_.overlaps.begin(), out_.overlaps.end(), [](const auto& a, const auto& b) {
      return std::pair(a.communication_stream, a.compute_stream) <
             std::pair(b.communication_stream, b.compute_stream);
    });
    return std::move(out_);
  }

 private:
  struct Stream {
    int64_t number;
    int64_t computing;      // operations that run
    int64_t communicating;  // the same
    int64_t communication_ns;
    int64_t overlapped_ns;
  };
  struct End {
    int64_t time;
    uint32_t stream;
    Kind kind;
  };
  static bool later(const End& a, const End& b) noexcept { return a.time > b.time; }

  /// Streams on which something of that kind runs.
  std::vector<uint32_t>& streams_with(Kind kind) {
    return kind == Kind::communication ? communicating_ : computing_;
  }

  void change(uint32_t stream, Kind kind, int64_t by) {
    running_ += by;
    if (kind == Kind::memory) return;
    Stream& of = streams_[stream];
    int64_t& count = kind == Kind::communication ? of.communicating : of.computing;
    const bool ran = count > 0;
    count += by;
    if (ran == (count > 0)) return;
    std::vector<uint32_t>& all = streams_with(kind);
    count > 0 ? all.push_back(stream) : static_cast<void>(std::erase(all, stream));
  }

  void advance(int64_t to) {
    while (!ends_.empty() && ends_.front().time <= to) {
      const End end = ends_.front();
      pass(end.time);
      std::pop_heap(ends_.begin(), ends_.end(), later);
      ends_.pop_back();
      change(end.stream, end.kind, -1);
    }
    pass(to);
  }

  /// Nothing begins or ends before `to`.
  void pass(int64_t to) {
    const int64_t ns = to - now_;
    if (ns == 0) return;
    const auto running = static_cast<size_t>(running_);
    if (out_.in_flight_ns.size() <= running) out_.in_flight_ns.resize(running + 1);
    out_.in_flight_ns[running] += ns;
    if (running > 0) add_to_bins(to);
    for (const uint32_t communicating : communicating_) {
      streams_[communicating].communication_ns += ns;
      if (!computing_.empty()) streams_[communicating].overlapped_ns += ns;
      for (const uint32_t computing : computing_) overlap_ns_[{communicating, computing}] += ns;
    }
    now_ = to;
  }

  void add_to_bins(int64_t to) {
    for (int64_t at = now_; at < to;) {
      Concurrency::Bin& bin = out_.bins[static_cast<size_t>((at - first_) / bin_ns_)];
      const int64_t end = std::min(bin.end_ns, to);
      bin.operation_ns += running_ * (end - at);
      bin.most = std::max(bin.most, running_);
      at = end;
    }
  }

  Concurrency out_;
  int64_t now_;
  int64_t first_;
  int64_t last_;
  int64_t bin_ns_ = 1;
  int64_t running_ = 0;
  std::vector<End> ends_;  // a heap, the first to end in front
  std::map<int64_t, uint32_t> numbers_;
  std::vector<Stream> streams_;
  std::vector<uint32_t> computing_, communicating_;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> overlap_ns_;  // communicating, computing
};

}  // namespace

std::vector<Concurrency> measure_concurrency(const trace::Trace& trace,
                                             const classify::Labelled& labelled,
                                             const std::vector<Kind>& kinds) {
  const scopes::Scope devices = scopes::by_device(trace);
  const auto spans = scopes::sum_by<scopes::Extent>(
      devices, [&](scopes::Extent& span, size_t i) { span.add(trace.operations[i]); });
  std::vector<std::optional<InFlight>> flights(devices.size());  // those with operations
  for (uint32_t key = 0; key < devices.size(); ++key) {
    if (spans[key].empty()) continue;
    flights[key].emplace(static_cast<int32_t>(devices.number(key)), spans[key].start_ns,
                         spans[key].end_ns);
  }
  std::vector<std::pair<InFlight*, uint32_t>> of_track;
  of_track.reserve(trace.tracks.size());
  for (size_t i = 0; i < trace.tracks.size(); ++i) {
    std::optional<InFlight>& flight = flights[devices.keys_of(i)[0]];
    of_track.emplace_back(flight ? &*flight : nullptr,
                          flight ? flight->stream(trace.tracks[i].stream) : 0);
  }
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const auto& [device, stream] = of_track[operation.track.index];
    device->add(operation, stream, kinds[labelled.row(i, operation)]);
  }
  std::vector<Concurrency> out;
  out.reserve(flights.size());
  for (std::optional<InFlight>& flight : flights) {
    if (flight) out.push_back(flight->finish());
  }
  return out;
}

void save_concurrency(facts::Fields& io, const RunSummary& run, Concurrency& one) {
  io.number("device", one.device);
  const DeviceSum none;
  const DeviceSum& device = io.reads() ? saved_device(io, run, one.device) : none;
  int64_t left_ns = device.span_ns;
  io.list("in_flight", one.in_flight_ns, [&](facts::Fields& row, int64_t& ns) {
    row.amount("total_ns", ns);
    row.take_from(left_ns, ns);
  });
  io.check(left_ns == 0 && (one.in_flight_ns.empty() || one.in_flight_ns[0] == device.idle_ns));
  io.list("overlaps", one.overlaps, [&](facts::Fields& row, Concurrency::Overlap& overlap) {
    row.number("communication_stream", overlap.communication_stream);
    row.number("compute_stream", overlap.compute_stream);
    row.amount("communication_ns", overlap.communication_ns);
    row.amount("overlap_ns", overlap.overlap_ns);
    row.check(overlap.overlap_ns <= overlap.communication_ns &&
              overlap.communication_ns <= device.communication_ns);
  });
  io.list("bins", one.bins, [&](facts::Fields& row, Concurrency::Bin& bin) {
    row.time("begin_ns", bin.begin_ns);
    row.time("end_ns", bin.end_ns);
    row.amount("operation_ns", bin.operation_ns);
    row.amount("most", bin.most);
    row.check(bin.begin_ns < bin.end_ns &&
              static_cast<int64_t>(one.bins.size()) < Concurrency::max_bins);
  });
}

}  // namespace kr::analyze

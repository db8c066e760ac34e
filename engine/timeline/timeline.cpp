#include "timeline/timeline.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyze/sweep.hpp"
#include "timeline/bands.hpp"
#include "timeline/bins.hpp"
#include "timeline/varint.hpp"

namespace kr::timeline {
namespace {

/// Sums of places are in an array: lanes times names.
constexpr size_t most_places = size_t{4} << 20;
constexpr size_t least_lanes = 8;
/// Bands get this part of the bytes.
constexpr size_t part_of_bands = 4;

/// By row of the labels: the place of its name among those of the summary.
class NameOfRow {
 public:
  NameOfRow(const trace::Trace& trace, const classify::Labelled& labelled,
            const analyze::RunSummary& summary) {
    std::unordered_map<std::string, uint32_t> places;
    places.reserve(summary.names.size());
    std::string key;
    for (uint32_t i = 0; i < summary.names.size(); ++i) {
      const analyze::NameSum& name = summary.names[i];
      begin(key, name.name, name.kind);
      for (const auto& label : name.labels) add_label(key, label.label);
      places.emplace(key, i);
    }
    names_.reserve(labelled.rows());
    for (uint32_t row = 0; row < labelled.rows(); ++row) {
      const trace::OperationName& name = trace.names.get(labelled.names[row]);
      begin(key, name.text, name.kind);
      for (const auto& labels : labelled.dimensions) add_label(key, labels.by_row[row].label);
      const auto found = places.find(key);
      names_.push_back(found != places.end() ? found->second : no_name);  // no operation has it
    }
  }
  uint32_t operator[](uint32_t row) const noexcept { return names_[row]; }

 private:
  static constexpr uint32_t no_name = UINT32_MAX;

  static void begin(std::string& key, std::string_view name, OperationKind kind) {
    key.assign(1, static_cast<char>('0' + static_cast<int>(kind)));
    add_label(key, name);
  }
  /// The length comes first: names may contain any byte.
  static void add_label(std::string& key, std::string_view text) {
    append_varint(key, text.size());
    key += text;
  }

  std::vector<uint32_t> names_;
};

/// The lanes with the most time.
std::vector<size_t> longest_tracks(const trace::Trace& trace, size_t most, size_t& omitted) {
  std::vector<int64_t> total_ns(trace.tracks.size(), -1);  // -1: nothing ran
  for (const trace::Operation& operation : trace.operations) {
    int64_t& total = total_ns[operation.track.index];
    total = std::max<int64_t>(total, 0) + operation.duration_ns;
  }
  std::vector<size_t> tracks;
  tracks.reserve(total_ns.size());
  for (size_t i = 0; i < total_ns.size(); ++i) {
    if (total_ns[i] >= 0) tracks.push_back(i);
  }
  std::sort(tracks.begin(), tracks.end(), [&](size_t a, size_t b) {
    return total_ns[a] != total_ns[b] ? total_ns[a] > total_ns[b] : a < b;
  });
  omitted = tracks.size() - std::min(tracks.size(), most);
  tracks.resize(tracks.size() - omitted);
  std::sort(tracks.begin(), tracks.end(), [&](size_t a, size_t b) {
    const trace::Track& left = trace.tracks[a];
    const trace::Track& right = trace.tracks[b];
    return std::tie(left.device, left.stream, a) < std::tie(right.device, right.stream, b);
  });
  return tracks;
}

/// The lanes of a run.
class Lanes {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  Lanes(const trace::Trace& trace, size_t most, Timeline& timeline)
      : lane_of_(trace.tracks.size(), none) {
    // Tracks that differ in the name of their device only are one lane.
    for (const size_t track : longest_tracks(trace, most, timeline.omitted_lanes)) {
      const Lane lane{trace.tracks[track].device, trace.tracks[track].stream};
      std::vector<Lane>& lanes = timeline.lanes;
      if (lanes.empty() || lanes.back().device != lane.device) {
        first_.push_back(static_cast<uint32_t>(lanes.size()));
      }
      if (lanes.empty() || lanes.back().device != lane.device ||
          lanes.back().stream != lane.stream) {
        lanes.push_back(lane);
        device_of_.push_back(static_cast<uint32_t>(first_.size() - 1));
      }
      lane_of_[track] = static_cast<uint32_t>(lanes.size() - 1);
    }
  }
  uint32_t of(trace::TrackId track) const noexcept { return lane_of_[track.index]; }
  size_t devices() const noexcept { return first_.size(); }
  /// A device's place among the devices.
  uint32_t device(uint32_t lane) const noexcept { return device_of_[lane]; }
  uint32_t first_of_device(uint32_t device) const noexcept { return first_[device]; }

 private:
  std::vector<uint32_t> lane_of_;    // by track
  std::vector<uint32_t> device_of_;  // by lane
  std::vector<uint32_t> first_;      // lane, by device
};

/// What is made from operations with a lane and a duration: `visit(lane, name, start, end)`, from
/// the first start of the trace.
template <class Visit>
void for_each_operation(const analyze::LabelledTrace& run, const Lanes& lanes,
                        const NameOfRow& name_of, const Visit& visit) {
  const trace::Trace& trace = run.trace;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const uint32_t lane = lanes.of(operation.track);
    if (lane == Lanes::none || operation.duration_ns == 0) continue;
    const int64_t start = operation.start_ns - trace.first_start_ns;
    visit(lane, name_of[run.labelled.row(i, operation)], start, start + operation.duration_ns);
  }
}

size_t packed_size(int64_t start, int64_t before, int64_t duration, uint64_t place) noexcept {
  return varint_size(static_cast<uint64_t>(start - before)) +
         varint_size(static_cast<uint64_t>(duration)) + varint_size(place);
}

uint64_t place_of(size_t lanes, uint32_t lane, uint32_t name) noexcept {
  return name == busy ? lane : (uint64_t{name} + 1) * lanes + lane;
}

/// False: they do not fit.
bool add_operations(const analyze::LabelledTrace& run, const Lanes& lanes, const NameOfRow& name_of,
                    size_t most_bytes, Timeline& timeline) {
  constexpr size_t least_bytes_of_operation = 3;
  if (run.trace.operations.size() > most_bytes / least_bytes_of_operation) return false;
  timeline.operations.reserve(run.trace.operations.size());
  size_t bytes = 0;
  int64_t before = 0;
  for_each_operation(
      run, lanes, name_of, [&](uint32_t lane, uint32_t name, int64_t start, int64_t end) {
        timeline.operations.push_back({start, end - start, lane, name});
        bytes +=
            packed_size(start, before, end - start, place_of(timeline.lanes.size(), lane, name));
        before = start;
      });
  timeline.is_exact = bytes <= most_bytes;
  if (!timeline.is_exact) timeline.operations = {};
  return timeline.is_exact;
}

void add_bins(const analyze::LabelledTrace& run, const Lanes& lanes, const NameOfRow& name_of,
              size_t names, size_t most_bytes, Timeline& timeline) {
  const size_t all_lanes = timeline.lanes.size();
  BinSums bins(all_lanes * (names + 1), timeline.span_ns, most_bytes);
  std::vector<analyze::UnionSweep> unions(lanes.devices());
  for_each_operation(run, lanes, name_of,
                     [&](uint32_t lane, uint32_t name, int64_t start, int64_t end) {
                       bins.advance(start);
                       bins.add(static_cast<uint32_t>(place_of(all_lanes, lane, name)), start, end);
                       const uint32_t device = lanes.device(lane);
                       // What no earlier operation covers is at the end.
                       const int64_t fresh = unions[device].add(start, end);
                       if (fresh > 0) bins.add(lanes.first_of_device(device), end - fresh, end);
                     });
  timeline.has_too_many_names = !bins.finish();
  if (timeline.has_too_many_names) return;
  timeline.bin_ns = bins.width();
  timeline.bins.reserve(bins.bins().size());
  for (const BinSums::Bin& bin : bins.bins()) timeline.bins.push_back({bin.number, bin.first});
  timeline.parts.reserve(bins.sums().size());
  for (const PlaceSum& sum : bins.sums()) {
    const auto lane = static_cast<uint32_t>(sum.place % all_lanes);
    const auto name = static_cast<uint32_t>(sum.place / all_lanes);
    timeline.parts.push_back({lane, name == 0 ? busy : name - 1, sum.ns});
  }
}

}  // namespace

Timeline make(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
              const analyze::RunSummary& summary, const Limits& limits) {
  Timeline timeline;
  const trace::Trace& trace = run.trace;
  timeline.span_ns = trace.last_end_ns - trace.first_start_ns;
  const size_t names = summary.names.size();
  const size_t most_lanes =
      std::min(limits.lanes, std::max(least_lanes, most_places / (names + 1)));
  const Lanes lanes(trace, most_lanes, timeline);
  timeline.bands =
      make_bands(run.attribution(rules), trace, limits.bytes / part_of_bands, timeline);
  const NameOfRow name_of(trace, run.labelled, summary);
  const size_t left = limits.bytes - packed_bands(timeline).size();
  if (!add_operations(run, lanes, name_of, left, timeline)) {
    add_bins(run, lanes, name_of, names, left, timeline);
  }
  return timeline;
}

std::string packed(const Timeline& timeline) {
  std::string out;
  const auto number = [&out](auto value) { append_varint(out, static_cast<uint64_t>(value)); };
  const size_t lanes = timeline.lanes.size();
  int64_t before = 0;
  for (const Interval& interval : timeline.operations) {
    number(interval.start_ns - before);
    number(interval.duration_ns);
    number(place_of(lanes, interval.lane, interval.name));
    before = interval.start_ns;
  }
  for (size_t i = 0; i < timeline.bins.size(); ++i) {
    const Bin& bin = timeline.bins[i];
    const size_t end =
        i + 1 < timeline.bins.size() ? timeline.bins[i + 1].first : timeline.parts.size();
    number(bin.number - before);
    number(end - bin.first);
    for (size_t at = bin.first; at < end; ++at) {
      const Part& part = timeline.parts[at];
      number(place_of(lanes, part.lane, part.name));
      number(part.ns);
    }
    before = bin.number;
  }
  return out;
}

}  // namespace kr::timeline

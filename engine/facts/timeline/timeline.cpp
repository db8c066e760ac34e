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
constexpr size_t max_places = size_t{2} << 20;
constexpr size_t min_lanes = 8;
/// A timeline has operations only if, on average, at most so many run at the same time.
constexpr int64_t max_at_once = 256;
/// Bands, and bins by name, get a part of the bytes.
constexpr size_t part_of_bands = 4;
constexpr size_t part_of_names = 4;
/// Dimensions with more labels are nearly as many as names.
constexpr size_t max_labels = 32;

/// To a key of several texts. The length comes first: texts may contain any byte.
void append_text(std::string& key, std::string_view text) {
  append_varint(key, text.size());
  key += text;
}

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
      for (const auto& label : name.labels) append_text(key, label.label);
      places.emplace(key, i);
    }
    names_.reserve(labelled.rows());
    for (uint32_t row = 0; row < labelled.rows(); ++row) {
      const trace::OperationName& name = trace.names.get(labelled.names[row]);
      begin(key, name.text, name.kind);
      for (const auto& labels : labelled.of_names()) append_text(key, labels.by_row[row].label);
      const auto found = places.find(key);
      names_.push_back(found != places.end() ? found->second : no_name);  // no operation has it
    }
  }
  uint32_t operator[](uint32_t row) const noexcept { return names_[row]; }

 private:
  static constexpr uint32_t no_name = UINT32_MAX;

  static void begin(std::string& key, std::string_view name, OperationKind kind) {
    key.assign(1, static_cast<char>('0' + static_cast<int>(kind)));
    append_text(key, name);
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
                    int64_t total_ns, size_t max_bytes, Timeline& timeline) {
  constexpr size_t min_bytes_of_operation = 3;
  if (run.trace.operations.size() > max_bytes / min_bytes_of_operation) return false;
  // Whoever sums operations by columns takes time for each column of each operation.
  if (total_ns / max_at_once > timeline.span_ns) return false;
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
  timeline.is_exact = bytes <= max_bytes;
  if (!timeline.is_exact) timeline.operations = {};
  return timeline.is_exact;
}

/// The dimensions with few labels.
std::vector<size_t> label_dimensions(const analyze::RunSummary& summary) {
  std::vector<size_t> dimensions;
  for (size_t i = 0; i < summary.name_dimensions(); ++i) {
    if (summary.dimensions[i].labels.size() <= max_labels) dimensions.push_back(i);
  }
  return dimensions;
}

/// By name: the first name with the same labels.
std::vector<uint32_t> first_with_labels(const analyze::RunSummary& summary,
                                        const std::vector<size_t>& dimensions) {
  std::unordered_map<std::string, uint32_t> known;
  std::vector<uint32_t> first;
  first.reserve(summary.names.size());
  std::string key;
  for (uint32_t i = 0; i < summary.names.size(); ++i) {
    key.clear();
    for (const size_t dimension : dimensions) {
      append_text(key, summary.names[i].labels[dimension].label);
    }
    first.push_back(known.try_emplace(key, i).first->second);
  }
  return first;
}

void take(BinSums& sums, size_t lanes, Bins& bins) {
  if (!sums.finish()) return;
  bins.width_ns = sums.width();
  bins.bins.reserve(sums.bins().size());
  for (const BinSums::Bin& bin : sums.bins()) bins.bins.push_back({bin.number, bin.first});
  bins.parts.reserve(sums.sums().size());
  for (const PlaceSum& sum : sums.sums()) {
    const auto lane = static_cast<uint32_t>(sum.place % lanes);
    const auto name = static_cast<uint32_t>(sum.place / lanes);
    bins.parts.push_back({lane, name == 0 ? busy : name - 1, sum.ns});
  }
}

void add_bins(const analyze::LabelledTrace& run, const Lanes& lanes, const NameOfRow& name_of,
              const analyze::RunSummary& summary, size_t max_bytes, Timeline& timeline) {
  const std::vector<size_t> dimensions = label_dimensions(summary);
  const std::vector<uint32_t> first = first_with_labels(summary, dimensions);
  bool shared = false;  // labels
  for (uint32_t i = 0; i < first.size(); ++i) shared |= first[i] != i;
  const size_t all_lanes = timeline.lanes.size();
  const size_t places = all_lanes * (summary.names.size() + 1);
  const size_t bytes_of_names = shared ? max_bytes / part_of_names : max_bytes;
  BinSums by_name(places, timeline.span_ns, bytes_of_names);
  BinSums by_labels(shared ? places : 0, timeline.span_ns, max_bytes - bytes_of_names);
  const auto add = [&](BinSums& sums, uint64_t place, int64_t start, int64_t end) {
    sums.add(static_cast<uint32_t>(place), start, end);
  };
  std::vector<analyze::UnionSweep> unions(lanes.devices());
  for_each_operation(run, lanes, name_of,
                     [&](uint32_t lane, uint32_t name, int64_t start, int64_t end) {
                       const uint32_t device = lanes.device(lane);
                       const uint32_t busy_place = lanes.first_of_device(device);
                       // What no earlier operation covers is at the end.
                       const int64_t fresh = unions[device].add(start, end);
                       by_name.advance(start);
                       add(by_name, place_of(all_lanes, lane, name), start, end);
                       if (fresh > 0) add(by_name, busy_place, end - fresh, end);
                       if (!shared) return;
                       by_labels.advance(start);
                       add(by_labels, place_of(all_lanes, lane, first[name]), start, end);
                       if (fresh > 0) add(by_labels, busy_place, end - fresh, end);
                     });
  take(by_name, all_lanes, timeline.by_name);
  if (!shared) return;
  take(by_labels, all_lanes, timeline.by_labels);
  for (const size_t dimension : dimensions) {
    timeline.label_dimensions.push_back(summary.dimensions[dimension].dimension);
  }
}

}  // namespace

Timeline make(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
              const analyze::RunSummary& summary, const Limits& limits) {
  Timeline timeline;
  const trace::Trace& trace = run.trace;
  timeline.span_ns = trace.last_end_ns - trace.first_start_ns;
  const size_t max_lanes =
      std::min(limits.lanes, std::max(min_lanes, max_places / (summary.names.size() + 1)));
  const Lanes lanes(trace, max_lanes, timeline);
  timeline.bands =
      make_bands(run.attribution(rules), trace, limits.bytes / part_of_bands, timeline);
  const NameOfRow name_of(trace, run.labelled, summary);
  const size_t left = limits.bytes - packed_bands(timeline).size();
  if (!add_operations(run, lanes, name_of, summary.gpu_total_ns, left, timeline)) {
    add_bins(run, lanes, name_of, summary, left, timeline);
  }
  return timeline;
}

std::string packed_operations(const Timeline& timeline) {
  std::string out;
  int64_t before = 0;
  for (const Interval& interval : timeline.operations) {
    append_varint(out, static_cast<uint64_t>(interval.start_ns - before));
    append_varint(out, static_cast<uint64_t>(interval.duration_ns));
    append_varint(out, place_of(timeline.lanes.size(), interval.lane, interval.name));
    before = interval.start_ns;
  }
  return out;
}

std::string packed_bins(const Bins& bins, size_t lanes) {
  std::string out;
  int64_t before = 0;
  for (size_t i = 0; i < bins.bins.size(); ++i) {
    const Bin& bin = bins.bins[i];
    const size_t end = i + 1 < bins.bins.size() ? bins.bins[i + 1].first : bins.parts.size();
    append_varint(out, static_cast<uint64_t>(bin.number - before));
    append_varint(out, end - bin.first);
    for (size_t at = bin.first; at < end; ++at) {
      append_varint(out, place_of(lanes, bins.parts[at].lane, bins.parts[at].name));
      append_varint(out, static_cast<uint64_t>(bins.parts[at].ns));
    }
    before = bin.number;
  }
  return out;
}

}  // namespace kr::timeline

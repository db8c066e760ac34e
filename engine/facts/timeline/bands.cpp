#include "timeline/bands.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "timeline/varint.hpp"

namespace kr::timeline {
namespace {

constexpr uint32_t unknown = classify::Attribution::none;

/// From the first start to the last end.
struct Extent {
  int64_t start;
  int64_t end;
};

/// The extents of numbered steps or layers, by device.
class Extents {
 public:
  using Key = std::pair<int32_t, uint32_t>;  // device, number

  explicit Extents(const trace::Trace& trace) : last_(trace.tracks.size(), {unknown, nullptr}) {}

  void add(const trace::Track& track, uint32_t track_number, uint32_t number, int64_t start,
           int64_t end) {
    // Operations of a stream follow each other: their step changes seldom.
    auto& [last, extent] = last_[track_number];
    if (last != number || extent == nullptr) {
      last = number;
      extent = &extents_.try_emplace({track.device, number}, Extent{start, end}).first->second;
    }
    join(*extent, {start, end});
  }
  /// Every step encloses those inside it.
  void include_inner(const classify::TraceSteps& steps) {
    // A step that encloses another one has a smaller number.
    for (auto at = extents_.rbegin(); at != extents_.rend(); ++at) {
      const auto [device, step] = at->first;
      if (steps[step].outer == unknown) continue;
      join(extents_.try_emplace({device, steps[step].outer}, at->second).first->second, at->second);
    }
  }
  const std::map<Key, Extent>& all() const noexcept { return extents_; }

 private:
  static void join(Extent& into, const Extent& other) noexcept {
    into.start = std::min(into.start, other.start);
    into.end = std::max(into.end, other.end);
  }

  std::map<Key, Extent> extents_;
  std::vector<std::pair<uint32_t, Extent*>> last_;  // by track
};

/// By step: the number of steps that enclose it.
std::vector<uint32_t> depths(const classify::TraceSteps& steps) {
  std::vector<uint32_t> depths(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].outer != unknown) depths[i] = std::min(depths[steps[i].outer] + 1, layer_row);
  }
  return depths;
}

uint32_t phase_number(std::string_view label, std::vector<std::string>& phases) {
  const auto known = std::find(phases.begin(), phases.end(), label);
  if (known != phases.end()) return static_cast<uint32_t>(known - phases.begin());
  phases.emplace_back(label);
  return static_cast<uint32_t>(phases.size() - 1);
}

bool same_row(const Band& a, const Band& b) noexcept {
  return a.device == b.device && a.row == b.row;
}

/// Joins neighbours that are together at most `max_ns` long.
void join_short(std::vector<Band>& bands, int64_t max_ns) {
  size_t joined = 0;
  for (size_t i = 1; i < bands.size(); ++i) {
    Band& last = bands[joined];
    const Band& band = bands[i];
    const int64_t end = std::max(last.end_ns, band.end_ns);
    if (!same_row(last, band) || end - last.start_ns > max_ns) {
      bands[++joined] = band;
      continue;
    }
    if (last.phase != band.phase) {
      last.phase = no_phase;
      last.number = -1;
    }
    last.end_ns = end;
    last.count += band.count;
  }
  bands.resize(std::min(bands.size(), joined + 1));
}

std::string pack(const std::vector<Band>& bands, const std::vector<Lane>& lanes) {
  std::string out;
  const auto number = [&out](auto value) { append_varint(out, static_cast<uint64_t>(value)); };
  uint32_t device = 0;
  size_t lane = 0;
  for (size_t i = 0; i < bands.size();) {
    const Band& first = bands[i];
    for (; lanes[lane].device != first.device; ++lane) {
      device += lanes[lane + 1].device != lanes[lane].device;
    }
    size_t end = i;
    while (end < bands.size() && same_row(bands[end], first)) ++end;
    number(device);
    number(first.row);
    number(end - i);
    int64_t before = 0;
    for (; i < end; ++i) {
      number(bands[i].start_ns - before);
      number(bands[i].end_ns - bands[i].start_ns);
      number(bands[i].phase + 1);  // no_phase: 0
      number(std::max<int64_t>(bands[i].number, -1) + 1);
      number(bands[i].count);
      before = bands[i].start_ns;
    }
  }
  return out;
}

}  // namespace

std::string packed_bands(const Timeline& timeline) {
  return pack(timeline.bands, timeline.lanes);
}

std::vector<Band> make_bands(const classify::Attribution& attribution, const trace::Trace& trace,
                             size_t max_bytes, Timeline& timeline) {
  if (attribution.steps.empty() && attribution.repeated_blocks.empty()) return {};
  Extents steps(trace);
  Extents layers(trace);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const int64_t start = operation.start_ns - trace.first_start_ns;
    const int64_t end = start + operation.duration_ns;
    const uint32_t track = operation.track.index;
    const uint32_t step = attribution.step_of[i];
    const uint32_t layer = attribution.layer_of[i];
    if (step != unknown) steps.add(trace.tracks[track], track, step, start, end);
    if (layer != unknown) layers.add(trace.tracks[track], track, layer, start, end);
  }
  steps.include_inner(attribution.steps);

  std::vector<Band> bands;
  bands.reserve(steps.all().size() + layers.all().size());
  const std::vector<uint32_t> depth = depths(attribution.steps);
  for (const auto& [key, extent] : steps.all()) {
    if (depth[key.second] >= layer_row) continue;
    const classify::Phase& phase = attribution.steps[key.second].phase;
    bands.push_back({key.first, depth[key.second], extent.start, extent.end,
                     phase_number(phase.label, timeline.phases), phase.step.value_or(-1)});
  }
  for (const auto& [key, extent] : layers.all()) {
    const auto number = static_cast<int64_t>(attribution.in_unit(key.second));
    bands.push_back({key.first, layer_row, extent.start, extent.end, no_phase, number});
  }
  const auto is_shown = [&](const Band& band) {
    const auto at =
        std::lower_bound(timeline.lanes.begin(), timeline.lanes.end(), band.device,
                         [](const Lane& lane, int32_t device) { return lane.device < device; });
    return at != timeline.lanes.end() && at->device == band.device;
  };
  bands.erase(
      std::remove_if(bands.begin(), bands.end(), [&](const Band& band) { return !is_shown(band); }),
      bands.end());
  std::stable_sort(bands.begin(), bands.end(), [](const Band& a, const Band& b) {
    return std::tie(a.device, a.row, a.start_ns) < std::tie(b.device, b.row, b.start_ns);
  });
  for (int64_t max_ns = timeline.span_ns / 4096 + 1; pack(bands, timeline.lanes).size() > max_bytes;
       max_ns *= 2) {
    if (max_ns > timeline.span_ns) {
      bands.clear();
      break;
    }
    join_short(bands, max_ns);
  }
  return bands;
}

}  // namespace kr::timeline

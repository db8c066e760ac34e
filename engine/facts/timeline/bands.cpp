#include "timeline/bands.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "classify/enclosing_steps.hpp"
#include "scopes/measures.hpp"
#include "scopes/sum_by.hpp"
#include "timeline/varint.hpp"

namespace kr::timeline {
namespace {

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
  const scopes::Scope devices = scopes::by_device(trace);
  const auto add = [&](scopes::Extent& extent, size_t i) { extent.add(trace.operations[i]); };
  const classify::EnclosingSteps enclosing(attribution.steps);
  std::vector<Band> bands;
  const auto band = [&](uint32_t device, uint32_t row, const scopes::Extent& extent) -> Band& {
    Band& one = bands.emplace_back();
    one.device = static_cast<int32_t>(devices.number(device));
    one.row = row;
    one.start_ns = extent.start_ns - trace.first_start_ns;
    one.end_ns = extent.end_ns - trace.first_start_ns;
    return one;
  };
  scopes::sum_by<scopes::Extent>(devices, scopes::by_step(trace, attribution), add)
      .each([&](uint32_t device, uint32_t step, const scopes::Extent& extent) {
        const size_t depth = enclosing.of(step).size() - 1;
        if (depth >= layer_row) return;
        const classify::Phase& phase = attribution.steps[step].phase;
        Band& one = band(device, static_cast<uint32_t>(depth), extent);
        one.phase = phase_number(phase.label, timeline.phases);
        one.number = phase.step.value_or(-1);
      });
  scopes::sum_by<scopes::Extent>(devices, scopes::by_layer(trace, attribution), add)
      .each([&](uint32_t device, uint32_t layer, const scopes::Extent& extent) {
        Band& one = band(device, layer_row, extent);
        one.phase = no_phase;
        one.number = static_cast<int64_t>(attribution.in_unit(layer));
      });
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

#include "trace/readers/csv_merge.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/integer.hpp"

namespace kr::trace {
namespace {

struct Device {
  std::string_view name;
  std::optional<int32_t> id;
};

Device device_of(std::string_view cell) {
  const size_t open = cell.rfind(" (");
  if (!cell.ends_with(')') || open == cell.npos) return {cell, {}};
  const auto id = integer_from<int32_t>(cell.substr(open + 2, cell.size() - open - 3));
  if (!id || *id < 0) return {cell, {}};
  return {cell.substr(0, open), id};
}

}  // namespace

void CsvMerge::restart(size_t parser) {
  if (parser >= parsers_.size()) parsers_.resize(parser + 1);
  parsers_[parser] = {};
}

void CsvMerge::add(const CsvRows& rows, size_t parser) {
  Numbers& numbers = parsers_[parser];
  for (const std::string_view name : rows.new_names) {
    numbers.names.push_back(out_->name(name, operation_kind_of(name)));
  }
  for (const CsvRows::NewTrack& found : rows.new_tracks) numbers.tracks.push_back(track(found));
  Operation* to = out_->add(rows.operations.size());
  for (const Operation& operation : rows.operations) {
    *to++ = {operation.start_ns, operation.duration_ns, numbers.names[operation.name.index],
             numbers.tracks[operation.track.index]};
  }
}

TrackId CsvMerge::track(const CsvRows::NewTrack& found) {
  const Device device = device_of(found.device);
  Track track{.device = 0, .stream = found.stream, .device_name = std::string(device.name)};
  if (device.id) {
    track.device = *device.id;
  } else {
    const auto next = static_cast<int32_t>(unnumbered_.size());
    const auto [known, added] = unnumbered_.try_emplace(track.device_name, next);
    track.device = -1 - known->second;
  }
  return out_->track(track);
}

void CsvMerge::finish() {
  if (unnumbered_.empty()) return;
  int32_t next = 0;
  for (const Track& track : out_->tracks()) {
    if (track.device >= next && track.device < std::numeric_limits<int32_t>::max()) {
      next = track.device + 1;
    }
  }
  std::vector<std::string> sorted;
  sorted.reserve(unnumbered_.size());
  for (const auto& [name, number] : unnumbered_) sorted.push_back(name);
  std::sort(sorted.begin(), sorted.end());
  for (Track& track : out_->tracks()) {
    if (track.device >= 0) continue;
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), track.device_name);
    track.device = next + static_cast<int32_t>(place - sorted.begin());
  }
}

}  // namespace kr::trace

// The plane of an XSpace that is being read: its lines, and their events with the stats of their
// names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/readers/xplane_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct XLine {
  int64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;
  std::string_view message;
  uint64_t events = 0;
};

struct XEvent {
  explicit XEvent(const XPlaneTables& tables) : stats(tables.stats()) {}

  int64_t metadata = 0;
  uint32_t place = XPlaneTables::none;  // of its name, in the tables
  int64_t offset_ps = 0;
  bool aggregated = false;
  int64_t duration_ps = 0;
  XStats stats;
};

class XPlane {
 public:
  XPlane() = default;
  /// An XPlane, which lives as long; `offset` is that of its first byte in the file. Throws
  /// WireFault.
  XPlane(std::string_view message, uint64_t offset);

  std::string_view name() const noexcept { return name_; }
  const std::vector<std::string_view>& lines() const noexcept { return lines_; }
  /// Its names and stats, and those of the plane itself. They are read now.
  XStats read_tables();
  const XPlaneTables& tables() const noexcept { return tables_; }

  /// Of bytes of it.
  uint64_t offset_of(std::string_view message) const {
    return offset_ + static_cast<uint64_t>(message.data() - bytes_.data());
  }

  /// With the stats of its name. False: it has no time, which is counted.
  bool read_event(std::string_view message, XEvent& event, TraceBuilder& out);

 private:
  std::string_view bytes_;
  uint64_t offset_ = 0;
  std::string_view name_;
  std::vector<std::string_view> lines_, events_, stat_names_, stats_;
  XPlaneTables tables_;
};

XLine xline_of(std::string_view message);

template <class Visit>
void each_event(const XLine& line, const Visit& visit) {
  each_field(line.message, "XLine", [&](const WireField& field) {
    if (field.number == 4) visit(field.bytes);
  });
}

/// Half a nanosecond rounds up.
constexpr int64_t rounded_ns(int64_t ps) {
  const int64_t down = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
  return down + (ps - down * 1000 >= 500 ? 1 : 0);
}

/// Of an event; what cannot be right is marked. Without a name and a track.
Operation xevent_times(const XLine& line, const XEvent& event);

}  // namespace kr::trace

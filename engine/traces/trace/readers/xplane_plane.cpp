#include "trace/readers/xplane_plane.hpp"

#include <limits>

namespace kr::trace {

XPlane::XPlane(std::string_view message, uint64_t offset) : bytes_(message), offset_(offset) {
  constexpr const char* what = "XPlane";
  each_field(message, what, [&](const WireField& field) {
    if (field.number < 2 || field.number > 6) return;
    const std::string_view bytes = bytes_of(field, message, what);
    switch (field.number) {
      case 2:
        name_ = bytes;
        break;
      case 3:
        lines_.push_back(bytes);
        break;
      case 4:
        events_.push_back(bytes);
        break;
      case 5:
        stat_names_.push_back(bytes);
        break;
      default:
        stats_.push_back(bytes);
        break;
    }
  });
}

XStats XPlane::read_tables() {
  tables_ = XPlaneTables(events_, stat_names_);
  XStats stats = tables_.stats();
  for (const std::string_view stat : stats_) tables_.read(stat, stats);
  return stats;
}

bool XPlane::read_event(std::string_view message, XEvent& event, TraceBuilder& out) {
  constexpr const char* what = "XEvent";
  event.metadata = 0;
  event.offset_ps = 0;
  event.aggregated = false;
  event.duration_ps = 0;
  bool begun = false;
  const auto begin = [&] {
    event.place = tables_.find(event.metadata);
    event.stats =
        event.place == XPlaneTables::none ? tables_.stats() : tables_.event(event.place).stats;
    begun = true;
  };
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    switch (field.number) {
      case 1:
        event.metadata = number_of(field, message, what);
        break;
      case 2:
        event.offset_ps = number_of(field, message, what);
        break;
      case 3:
        event.duration_ps = number_of(field, message, what);
        break;
      case 4:
        if (!begun) begin();
        tables_.read(bytes_of(field, message, what), event.stats);
        break;
      case 5:
        event.aggregated = true;
        break;
      default:
        break;
    }
  }
  if (reader.broken()) throw WireFault{message.data(), what};
  if (!begun) begin();
  if (event.aggregated) out.add_dropped("event without a time, only counted", offset_of(message));
  return !event.aggregated;
}

XLine xline_of(std::string_view message) {
  constexpr const char* what = "XLine";
  XLine line;
  line.message = message;
  std::string_view display_name;
  each_field(message, what, [&](const WireField& field) {
    switch (field.number) {
      case 1:
        line.id = number_of(field, message, what);
        break;
      case 2:
        line.name = bytes_of(field, message, what);
        break;
      case 3:
        line.timestamp_ns = number_of(field, message, what);
        break;
      case 4:
        bytes_of(field, message, what);
        ++line.events;
        break;
      case 11:
        display_name = bytes_of(field, message, what);
        break;
      default:
        break;
    }
  });
  if (line.name.empty()) line.name = display_name;
  return line;
}

Operation xevent_times(const XLine& line, const XEvent& event) {
  Operation operation{0, 0, {}, {}};
  int64_t start_ns = 0;
  int64_t end_ps = 0;
  if (__builtin_add_overflow(line.timestamp_ns, rounded_ns(event.offset_ps), &start_ns)) {
    operation.start_ns = no_start(TimeFault::too_large);
    return operation;
  }
  if (start_ns < 0) {
    operation.start_ns = no_start(TimeFault::negative);
    return operation;
  }
  operation.start_ns = start_ns;
  if (event.duration_ps < 0) {
    operation.duration_ns = no_duration(TimeFault::negative);
  } else if (__builtin_add_overflow(event.offset_ps, event.duration_ps, &end_ps)) {
    operation.duration_ns = no_duration(TimeFault::too_large);
  } else {
    operation.duration_ns = rounded_ns(end_ps) - rounded_ns(event.offset_ps);
    if (start_ns > std::numeric_limits<int64_t>::max() - operation.duration_ns) {
      operation.duration_ns = no_duration(TimeFault::too_large);
    }
  }
  return operation;
}

}  // namespace kr::trace

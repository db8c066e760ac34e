#include "trace/readers/xplane_plane.hpp"

#include <limits>

namespace kr::trace {
namespace {

/// The times in ns.
void set_times(int64_t timestamp_ns, XEvent& event) {
  event.start_ns = 0;
  event.duration_ns = 0;
  int64_t end_ps = 0;
  const int64_t offset_ns = rounded_ns(event.offset_ps);
  if (__builtin_add_overflow(timestamp_ns, offset_ns, &event.start_ns)) {
    event.start_ns = no_start(TimeFault::too_large);
  } else if (event.start_ns < 0) {
    event.start_ns = no_start(TimeFault::negative);
  } else if (event.duration_ps < 0) {
    event.duration_ns = no_duration(TimeFault::negative);
  } else if (__builtin_add_overflow(event.offset_ps, event.duration_ps, &end_ps)) {
    event.duration_ns = no_duration(TimeFault::too_large);
  } else {
    event.duration_ns = rounded_ns(end_ps) - offset_ns;
    if (event.start_ns > std::numeric_limits<int64_t>::max() - event.duration_ns) {
      event.duration_ns = no_duration(TimeFault::too_large);
    }
  }
}

}  // namespace

// The plane is decompressed already: no processor is busy with that.
XPlane::XPlane(const OpenOptions& options, std::string_view message, uint64_t offset)
    : block_size_(options.block_size),
      threads_(worker_threads(options.threads)),
      bytes_(message),
      offset_(offset) {
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
  std::vector<std::string_view> texts;
  for (const std::string_view stat : stats_) tables_.read(stat, stats, texts);
  tables_.take(texts, stats);
  return stats;
}

XLine XPlane::line(std::string_view message) const {
  constexpr const char* what = "XLine";
  XLine line;
  std::string_view display_name;
  WireReader reader(message);
  size_t begin = 0;  // of the last block
  for (WireField field; reader.next(field);) {
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
    const size_t end = message.size() - reader.left();
    if (end - begin < block_size_ && end != message.size()) continue;
    line.blocks.push_back(message.substr(begin, end - begin));
    begin = end;
  }
  if (reader.broken()) throw WireFault{message.data(), what};
  if (line.name.empty()) line.name = display_name;
  return line;
}

void XPlane::parse(int64_t timestamp_ns, const std::vector<XWanted>* wanted,
                   EventBlock& block) const {
  block.events.clear();
  block.texts.clear();
  // Most on a host are functions of Python, which nobody looks at: their id comes first.
  const auto skipped = [&](std::string_view message) {
    WireReader reader(message);
    WireField first;
    if (!reader.next(first) || first.number != 1 || first.type != WireField::Type::varint) {
      return false;
    }
    const uint32_t place = tables_.find(first.integer());
    return place == XPlaneTables::none || (*wanted)[place] == XWanted::none;
  };
  const auto looked_at = [&](const XEvent& event) {
    if (event.aggregated) return true;
    if (event.place == XPlaneTables::none) return false;
    const XWanted which = (*wanted)[event.place];
    return which == XWanted::all ||
           (which == XWanted::with_correlation && event.stats.number(XStat::correlation));
  };
  each_field(block.bytes, "XLine", [&](const WireField& field) {
    if (field.number != 4 || (wanted != nullptr && skipped(field.bytes))) return;
    XEvent& event = *block.events.extend(1);
    read_event(field.bytes, event, block.texts);
    if (wanted != nullptr && !looked_at(event)) {
      block.events.truncate(block.events.size() - 1);
      return;
    }
    set_times(timestamp_ns, event);
  });
}

void XPlane::read_event(std::string_view message, XEvent& event,
                        std::vector<std::string_view>& texts) const {
  constexpr const char* what = "XEvent";
  event.at = message.data();
  event.aggregated = false;
  event.offset_ps = 0;
  event.duration_ps = 0;
  int64_t metadata = 0;
  bool begun = false;
  const auto begin = [&] {
    event.place = tables_.find(metadata);
    event.stats = tables_.stats(event.place);
    begun = true;
  };
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    switch (field.number) {
      case 1:
        metadata = number_of(field, message, what);
        break;
      case 2:
        event.offset_ps = number_of(field, message, what);
        break;
      case 3:
        event.duration_ps = number_of(field, message, what);
        break;
      case 4:
        if (!begun) begin();
        tables_.read(bytes_of(field, message, what), event.stats, texts);
        reader = WireReader(
            tables_.read_short_ones(message.substr(message.size() - reader.left()), event.stats));
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
}

}  // namespace kr::trace

// The plane of an XSpace that is being read: its lines, and their events with the stats of their
// names. Events are decoded here alone, those of a long line on several threads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/open.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/xplane_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct XLine {
  int64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;
  uint64_t events = 0;
  std::vector<std::string_view> blocks;  // its fields, in pieces for one thread each
};

struct XEvent {
  const char* at;   // its message
  uint32_t place;   // of its name, in the tables; none: it has no name
  bool aggregated;  // it has no time
  int64_t offset_ps;
  int64_t duration_ps;
  // The same in ns, from the start of the profile; what cannot be right is marked.
  int64_t start_ns;
  int64_t duration_ns;
  XStats stats;

  int64_t end_ns() const noexcept { return start_ns + duration_ns; }
};

/// Which events of a name are looked at.
enum class XWanted : uint8_t { none, with_correlation, all };

class XPlane {
 public:
  XPlane() = default;
  /// An XPlane, which lives as long; `offset` is that of its first byte in the file. Throws
  /// WireFault.
  XPlane(const OpenOptions& options, std::string_view message, uint64_t offset);

  std::string_view name() const noexcept { return name_; }
  const std::vector<std::string_view>& lines() const noexcept { return lines_; }
  /// One of the lines. Throws WireFault.
  XLine line(std::string_view message) const;
  /// Its names and stats, and those of the plane itself. They are read now.
  XStats read_tables();
  const XPlaneTables& tables() const noexcept { return tables_; }

  /// Of a byte of it.
  uint64_t offset_of(const char* at) const {
    return offset_ + static_cast<uint64_t>(at - bytes_.data());
  }

  /// The events of a line, in their order, with the stats of their names. Those without a time are
  /// counted as dropped. `wanted`: by place of a name, and then events without a name are passed
  /// over; null: all are wanted. Throws WireFault.
  template <class Visit>
  void each_event(const XLine& line, TraceBuilder& out, const std::vector<XWanted>* wanted,
                  const Visit& visit);

 private:
  struct EventBlock {
    std::string_view bytes;
    GrowingArray<XEvent> events;
    std::vector<std::string_view> texts;  // of their stats
  };

  void parse(int64_t timestamp_ns, const std::vector<XWanted>* wanted, EventBlock& block) const;
  void read_event(std::string_view message, XEvent& event,
                  std::vector<std::string_view>& texts) const;

  size_t block_size_ = 0;
  unsigned threads_ = 0;
  std::string_view bytes_;
  uint64_t offset_ = 0;
  std::string_view name_;
  std::vector<std::string_view> lines_, events_, stat_names_, stats_;
  XPlaneTables tables_;
};

template <class Visit>
void XPlane::each_event(const XLine& line, TraceBuilder& out, const std::vector<XWanted>* wanted,
                        const Visit& visit) {
  BlockReader<EventBlock> reader(threads_, [&] {
    return [&](EventBlock& block) { parse(line.timestamp_ns, wanted, block); };
  });
  auto next = line.blocks.begin();
  reader.read(
      [&](EventBlock& block) {
        if (next == line.blocks.end()) return false;
        block.bytes = *next++;
        return true;
      },
      [&](EventBlock& block) {
        for (XEvent& event : block.events) {
          if (event.aggregated) {
            out.add_dropped("event without a time, only counted", offset_of(event.at));
            continue;
          }
          tables_.take(block.texts, event.stats);
          visit(event);
        }
        return true;
      });
}

/// Half a nanosecond rounds up.
constexpr int64_t rounded_ns(int64_t ps) {
  const int64_t down = ps / 1000 - (ps % 1000 < 0 ? 1 : 0);
  return down + (ps - down * 1000 >= 500 ? 1 : 0);
}

}  // namespace kr::trace

#include "export/perfetto_packets.hpp"

#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/wire_writer.hpp"

namespace kr::exports {
namespace {

// Perfetto's service packs less than 512 KiB at once.
constexpr size_t max_packed_together = 256 << 10;
constexpr size_t max_interned_together = 64 << 10;

constexpr int64_t realtime = 1;
constexpr int64_t boottime = 6;
// Clocks of the sequence alone. Those after the first count from the event before, each for one
// track; of tracks for which there is none, times are on the first.
constexpr int64_t own_clock = 64;
constexpr int64_t last_clock = 127;

constexpr int salt_bits = 21;

/// Fields of a TracePacket.
enum : uint32_t {
  of_trace = 1,
  clock_snapshot = 6,
  timestamp = 8,
  sequence = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  compressed_packets = 50,
  clock_id = 58,
  packet_defaults = 59,
  track_descriptor = 60,
  trace_attributes = 126,
};

std::string clock_reading(int64_t id, int64_t time_ns) {
  std::string clock;
  append_number(clock, 1, id);
  append_number(clock, 2, time_ns);
  constexpr int64_t incremental = 1;
  if (id > own_clock) append_number(clock, 3, incremental);
  return clock;
}

}  // namespace

PerfettoPackets::PerfettoPackets(int64_t base_ns, std::optional<int64_t> utc_ns, uint64_t salt,
                                 const std::vector<PerfettoAttribute>& attributes,
                                 const ByteSink& write)
    : salt_(salt & ((uint64_t{1} << salt_bits) - 1)), write_(write), last_clock_(own_clock) {
  KR_CHECK(base_ns >= 0);
  std::string fields;
  for (const PerfettoAttribute& one : attributes) {
    std::string attribute;
    append_bytes(attribute, 1, one.key);
    if (one.number) append_number(attribute, 2, *one.number);
    if (!one.number) append_bytes(attribute, 3, utf8_text(one.text));
    append_bytes(fields, 1, attribute);
  }
  packet_.clear();
  append_bytes(packet_, trace_attributes, fields);
  // As it is, so that a look at the head of the file shows who wrote it.
  std::string first;
  append_number(packet_, sequence, static_cast<int64_t>(1 + salt_ % 16000));
  append_bytes(first, of_trace, packet_);
  write_(first);

  std::string snapshot;
  append_bytes(snapshot, 1, clock_reading(boottime, base_ns));
  for (int64_t clock = own_clock; clock <= last_clock; ++clock) {
    append_bytes(snapshot, 1, clock_reading(clock, 0));
  }
  int64_t now_ns = 0;
  if (utc_ns && !__builtin_add_overflow(base_ns, *utc_ns, &now_ns) && now_ns >= 0) {
    append_bytes(snapshot, 1, clock_reading(realtime, now_ns));
  }
  std::string begins;
  constexpr int64_t state_is_cleared = 1;
  append_number(begins, sequence_flags, state_is_cleared);
  append_bytes(begins, clock_snapshot, snapshot);
  packet(begins);
}

uint64_t PerfettoPackets::track(const PerfettoTrack& track) {
  tracks_.emplace_back();
  const uint64_t id = tracks_.size() << salt_bits | salt_;
  std::string descriptor;
  append_number(descriptor, 1, static_cast<int64_t>(id));
  if (track.parent != 0) append_number(descriptor, 5, static_cast<int64_t>(track.parent));
  const std::string name = utf8_text(track.name);
  if (track.process) {
    std::string of;
    append_number(of, 1, *track.process);
    if (track.thread) append_number(of, 2, *track.thread);
    append_bytes(of, track.thread ? 5 : 6, name);
    append_bytes(descriptor, track.thread ? 4 : 3, of);
  } else {
    append_bytes(descriptor, 2, name);
  }
  constexpr int64_t by_rank = 3;
  append_number(descriptor, 11, by_rank);
  if (track.rank && *track.rank <= std::numeric_limits<int32_t>::max()) {
    append_number(descriptor, 12, static_cast<int64_t>(*track.rank));
  }
  std::string fields;
  append_bytes(fields, track_descriptor, descriptor);
  packet(fields);
  return id;
}

void PerfettoPackets::section(uint64_t track) {
  section_ = track;
  std::string event;
  append_number(event, 11, static_cast<int64_t>(track));
  std::string defaults;
  append_number(defaults, clock_id, now(track).clock);
  append_bytes(defaults, track_event, event);
  std::string fields;
  append_bytes(fields, packet_defaults, defaults);
  packet(fields);
}

PerfettoPackets::Now& PerfettoPackets::now(uint64_t track) {
  Now& now = tracks_[(track >> salt_bits) - 1];
  if (now.clock == 0) now.clock = last_clock_ < last_clock ? ++last_clock_ : own_clock;
  return now;
}

uint64_t PerfettoPackets::place(uint64_t track, uint64_t time_ns) {
  Now& now = this->now(track);
  if (track != section_) {
    append_number(event_, 11, static_cast<int64_t>(track));
    append_number(fields_, clock_id, now.clock);
  }
  if (now.clock == own_clock) return time_ns;
  return time_ns - std::exchange(now.last_ns, time_ns);
}

void PerfettoPackets::begin(uint64_t track, uint64_t time_ns, std::string_view head,
                            std::string_view more) {
  constexpr int64_t slice_begin = 1;
  constexpr int64_t needs_state = 2;
  event_.clear();
  fields_.clear();
  append_number(fields_, timestamp, static_cast<int64_t>(place(track, time_ns)));
  append_number(fields_, sequence_flags, needs_state);
  append_number(event_, 9, slice_begin);
  event_ += head;
  event_ += more;
  append_bytes(fields_, track_event, event_);
  packet(fields_);
}

void PerfettoPackets::end(uint64_t track, uint64_t time_ns) {
  constexpr int64_t slice_end = 2;
  event_.clear();
  fields_.clear();
  append_number(fields_, timestamp, static_cast<int64_t>(place(track, time_ns)));
  append_number(event_, 9, slice_end);
  append_bytes(fields_, track_event, event_);
  packet(fields_);
}

uint32_t PerfettoPackets::number(Table& table, std::string_view text) {
  const size_t before = table.texts.size();
  const uint32_t number = table.texts.add(text) + 1;
  if (table.texts.size() == before) return number;
  if (interned_.size() > max_interned_together) packet({});
  std::string entry;
  append_number(entry, 1, number);
  append_bytes(entry, 2, utf8_text(text));
  append_bytes(interned_, table.field, entry);
  return number;
}

void PerfettoPackets::refer(std::string& to, uint32_t field, Table& table, std::string_view text) {
  append_number(to, field, number(table, text));
}

void PerfettoPackets::annotation(std::string& to, std::string_view key, std::string_view value) {
  std::string one;
  append_number(one, 1, number(keys_, key));
  one += value;
  append_bytes(to, 4, one);
}

void PerfettoPackets::annotate(std::string& to, std::string_view key, int64_t value) {
  std::string field;
  append_number(field, 4, value);
  annotation(to, key, field);
}

void PerfettoPackets::annotate(std::string& to, std::string_view key, std::string_view value) {
  std::string field;
  refer(field, 17, strings_, value);
  annotation(to, key, field);
}

void PerfettoPackets::annotate(std::string& to, std::string_view key,
                               const std::vector<std::pair<std::string, std::string>>& values) {
  std::string entries;
  for (const auto& [name, text] : values) {
    std::string entry;
    append_number(entry, 1, number(keys_, name));
    refer(entry, 17, strings_, text);
    append_bytes(entries, 11, entry);
  }
  annotation(to, key, entries);
}

void PerfettoPackets::annotate(std::string& to, std::string_view key,
                               const std::vector<std::string_view>& list) {
  std::string items;
  for (const std::string_view text : list) {
    std::string item;
    refer(item, 17, strings_, text);
    append_bytes(items, 12, item);
  }
  annotation(to, key, items);
}

void PerfettoPackets::arrow_begins(std::string& to, uint64_t number) const {
  append_fixed(to, 47, (number + 1) << salt_bits | salt_);
}

void PerfettoPackets::arrow_ends(std::string& to, uint64_t number) const {
  append_fixed(to, 48, (number + 1) << salt_bits | salt_);
}

void PerfettoPackets::packet(std::string_view fields) {
  packet_.assign(fields);
  append_number(packet_, sequence, static_cast<int64_t>(1 + salt_ % 16000));
  if (!interned_.empty()) {
    append_bytes(packet_, interned_data, interned_);
    interned_.clear();
  }
  append_bytes(packets_, of_trace, packet_);
  if (packets_.size() >= max_packed_together) write_packed();
}

void PerfettoPackets::write_packed() {
  packed_.clear();
  append_zlib(packed_, packets_);
  std::string outer;
  append_bytes(outer, compressed_packets, packed_);
  std::string field;
  append_bytes(field, of_trace, outer);
  write_(field);
  packets_.clear();
}

void PerfettoPackets::finish() {
  if (!interned_.empty()) packet({});
  if (!packets_.empty()) write_packed();
}

}  // namespace kr::exports

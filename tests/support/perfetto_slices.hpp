// Slices of a Perfetto trace that kr wrote, as Perfetto pairs them: on each track an end closes
// what began last. Packets have to be in the order of time on each track.
#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/readers/wire.hpp"

namespace kr::test {

class PerfettoSlices {
 public:
  struct Slice {
    uint64_t track = 0;
    std::string category = {};
    std::string name = {};
    int64_t start_ns = 0, end_ns = 0;
  };

  explicit PerfettoSlices(std::string_view bytes) {
    packets(bytes);
    for (const auto& [track, stack] : open_) CHECK(stack.empty());
  }

  std::vector<Slice> slices;  // by end, track by track as the file has them
  size_t interned = 0;        // categories and names

 private:
  using Field = trace::WireField;

  void packets(std::string_view bytes) {
    trace::WireReader trace(bytes);
    for (Field field; trace.next(field);) {
      REQUIRE(field.number == 1);
      packet(field.bytes);
    }
    REQUIRE(!trace.broken());
  }

  void packet(std::string_view bytes) {
    std::string_view event;
    uint64_t time = 0;
    uint64_t clock = default_clock_;
    trace::WireReader packet(bytes);
    for (Field field; packet.next(field);) {
      if (field.number == 50) unpack(field.bytes);
      if (field.number == 6) snapshot(field.bytes);
      if (field.number == 12) intern(field.bytes);
      if (field.number == 59) defaults(field.bytes);
      if (field.number == 8) time = field.value;
      if (field.number == 58) clock = field.value;
      if (field.number == 11) event = field.bytes;
    }
    if (event.empty()) return;
    const int64_t now_ns = static_cast<int64_t>(clocks_[clock] + time);
    if (clock > 64) clocks_[clock] += time;
    take(event, now_ns);
  }

  void unpack(std::string_view packed) {
    std::string out(size_t{1} << 20, '\0');
    auto size = static_cast<uLongf>(out.size());
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())) == Z_OK);
    packets(std::string_view(out).substr(0, size));
  }

  void snapshot(std::string_view bytes) {
    std::map<uint64_t, uint64_t> times;
    trace::WireReader message(bytes);
    for (Field field; message.next(field);) {
      uint64_t id = 0;
      trace::WireReader clock(field.bytes);
      for (Field part; clock.next(part);) {
        if (part.number == 1) id = part.value;
        if (part.number == 2) times[id] = part.value;
      }
    }
    for (const auto& [id, time] : times) clocks_[id] = times[6] - time;
  }

  void defaults(std::string_view bytes) {
    trace::WireReader message(bytes);
    for (Field field; message.next(field);) {
      if (field.number == 58) default_clock_ = field.value;
      if (field.number != 11) continue;
      trace::WireReader event(field.bytes);
      for (Field part; event.next(part);) default_track_ = part.value;
    }
  }

  void intern(std::string_view bytes) {
    trace::WireReader message(bytes);
    for (Field field; message.next(field);) {
      uint64_t id = 0;
      trace::WireReader entry(field.bytes);
      for (Field part; entry.next(part);) {
        if (part.number == 1) id = part.value;
        if (part.number == 2) texts_[field.number][id] = part.bytes;
      }
      interned += field.number <= 2 ? 1 : 0;
    }
  }

  void take(std::string_view event, int64_t now_ns) {
    uint64_t type = 0;
    Slice slice{.track = default_track_, .start_ns = now_ns};
    trace::WireReader message(event);
    for (Field field; message.next(field);) {
      if (field.number == 9) type = field.value;
      if (field.number == 11) slice.track = field.value;
      if (field.number == 3) slice.category = texts_[1].at(field.value);
      if (field.number == 10) slice.name = texts_[2].at(field.value);
    }
    auto [last, first] = last_ns_.try_emplace(slice.track, now_ns);
    CHECK(last->second <= now_ns);
    last->second = now_ns;
    std::vector<Slice>& stack = open_[slice.track];
    if (type == 1) return stack.push_back(std::move(slice));
    REQUIRE(type == 2);
    REQUIRE(!stack.empty());
    stack.back().end_ns = now_ns;
    slices.push_back(std::move(stack.back()));
    stack.pop_back();
  }

  std::map<uint64_t, uint64_t> clocks_;
  std::map<uint32_t, std::map<uint64_t, std::string>> texts_;
  std::map<uint64_t, std::vector<Slice>> open_;
  std::map<uint64_t, int64_t> last_ns_;
  uint64_t default_clock_ = 6, default_track_ = 0;
};

}  // namespace kr::test

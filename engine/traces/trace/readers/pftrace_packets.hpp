// Packets of a Perfetto trace, decoded without the packets before them, so that several threads can
// do it, for a block of packets each. What they refer to, and their times, follow later, in the
// order of the file (perfetto_trace.cpp).
//
// All texts are in the bytes of the block, or in what was unpacked of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trace/readers/pftrace_notes.hpp"

namespace kr::trace {

/// Unpacked bytes, whose room is used again.
class PftraceUnpacked {
 public:
  /// Perfetto packs some hundred KiB at a time; anything larger is refused.
  static constexpr size_t most = size_t{64} << 20;

  std::string_view bytes() const noexcept { return {bytes_.get(), size_}; }
  /// False: it is damaged, or too large.
  bool zlib(std::string_view packed);
  bool zstd(std::string_view packed);

 private:
  std::span<char> room();
  void wrote(size_t bytes) noexcept { size_ += bytes; }

  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

/// What one packet has of a list that the packets of a block share.
struct PftraceRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

/// By its id, or as a text.
struct PftraceCategory {
  uint64_t id = 0;
  std::optional<std::string_view> text;
};

/// A TrackEvent.
struct PftraceTrackEvent {
  uint64_t type = 0;
  std::optional<uint64_t> track;
  std::optional<uint64_t> name_id;
  std::optional<std::string_view> name;
  std::optional<double> value;
  std::string_view legacy;
  PftraceRange categories, annotations;
  PftraceRange submitted;  // ids of render stages
};

/// A GpuRenderStageEvent.
struct PftraceStage {
  enum Number : uint8_t {
    event,
    duration,
    old_queue,
    old_stage,
    context,
    gpu,
    queue,
    stage,
    kernel,
    name,
    numbers,
  };
  std::array<uint64_t, numbers> values;
  uint16_t known = 0;
  std::optional<std::string_view> name_text;
  std::optional<std::string_view> specifications;
  std::string_view launch;
  PftraceRange extras;

  std::optional<uint64_t> operator[](Number number) const noexcept {
    return (known >> number & 1) != 0 ? std::optional(values[number]) : std::nullopt;
  }
};

/// What few packets have; messages as they are.
struct PftraceRare {
  std::optional<std::string_view> defaults;
  std::string_view interned, snapshot, descriptor, counters, attributes;
  // What was too much to be unpacked with the block.
  std::string_view zlib, zstd;
  // The packet could not be read: what is counted as dropped.
  const char* dropped = nullptr;
};

struct PftracePacket {
  static constexpr uint32_t none = UINT32_MAX;

  uint64_t offset = 0;  // of the outermost packet, in the file
  uint64_t timestamp = 0;
  uint64_t clock = 0;
  uint64_t sequence = 0;
  uint32_t event = none, stage = none, rare = none;
  bool has_timestamp = false;
  bool has_clock = false;
  bool cleared = false;  // what was interned so far
  bool lost = false;     // packets before it
  bool refers = false;   // to what was interned
};

class PftracePackets {
 public:
  void clear();
  /// A TracePacket, and before it those that are packed in it. Its bytes have to stay.
  void add(std::string_view packet, uint64_t offset) { add(packet, offset, false); }
  /// One that was packed in another.
  void add_inner(std::string_view packet, uint64_t offset) { add(packet, offset, true); }

  const std::vector<PftracePacket>& packets() const noexcept { return packets_; }
  const PftraceTrackEvent& event(const PftracePacket& packet) const {
    return events_[packet.event];
  }
  const PftraceStage& stage(const PftracePacket& packet) const { return stages_[packet.stage]; }
  const PftraceRare* rare(const PftracePacket& packet) const {
    return packet.rare == PftracePacket::none ? nullptr : &rare_[packet.rare];
  }
  std::span<const PftraceCategory> categories(PftraceRange range) const {
    return part(categories_, range);
  }
  std::span<const std::string_view> annotations(PftraceRange range) const {
    return part(annotations_, range);
  }
  std::span<const uint64_t> submitted(PftraceRange range) const { return part(submitted_, range); }
  std::span<const PftraceExtra> extras(PftraceRange range) const { return part(extras_, range); }

 private:
  template <class Item>
  static std::span<const Item> part(const std::vector<Item>& all, PftraceRange range) {
    return std::span(all).subspan(range.first, range.count);
  }

  void add(std::string_view packet, uint64_t offset, bool inner);
  PftraceRare& rare_of(PftracePacket& packet);
  void drop(const char* what, uint64_t offset);
  void unpack(std::string_view packed, bool (PftraceUnpacked::*how)(std::string_view),
              uint64_t offset);
  void add_event(std::string_view bytes);
  void add_submitted(std::string_view bytes);
  void add_stage(std::string_view bytes);

  std::vector<PftracePacket> packets_;
  std::vector<PftraceTrackEvent> events_;
  std::vector<PftraceStage> stages_;
  std::vector<PftraceRare> rare_;
  std::vector<PftraceCategory> categories_;
  std::vector<std::string_view> annotations_;
  std::vector<uint64_t> submitted_;
  std::vector<PftraceExtra> extras_;
  std::vector<std::unique_ptr<PftraceUnpacked>> unpacked_;
  size_t unpacked_count_ = 0;  // of `unpacked_`, those in use
  size_t unpacked_bytes_ = 0;
};

}  // namespace kr::trace

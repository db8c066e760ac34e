// Perfetto's protobuf traces (`.pftrace`): of PyTorch, rocprofv3, Proton and what else writes
// render stages of GPUs or slices of the categories of these.
//
//     message Trace { repeated TracePacket packet = 1; }
//
// Several traces one after the other are one. Packets are read one at a time, in the order of the
// file, which is not that of time; what they refer to is the state of their sequence
// (pftrace_sequence.hpp). Packets of packets are unpacked in place.
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "trace/format.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/pftrace_events.hpp"
#include "trace/readers/wire_stream.hpp"

namespace kr::trace {
namespace {

/// Perfetto packs some hundred KiB at a time; more than this is no packet of it.
constexpr size_t max_unpacked = size_t{64} << 20;

/// Of which each has tables of its own. A sequence is a thread that writes.
constexpr size_t max_sequences = size_t{1} << 16;

/// Unpacked bytes, whose room is used again.
class Unpacked {
 public:
  std::string_view bytes() const noexcept { return {bytes_.get(), size_}; }
  void clear() noexcept { size_ = 0; }
  /// Where more can be written.
  std::span<char> room() {
    if (size_ == capacity_) {
      const size_t capacity = std::max(size_t{1} << 18, 2 * capacity_);
      auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
      std::copy_n(bytes_.get(), size_, bytes.get());
      bytes_ = std::move(bytes);
      capacity_ = capacity;
    }
    return {bytes_.get() + size_, capacity_ - size_};
  }
  void wrote(size_t bytes) noexcept { size_ += bytes; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
};

/// False: it is damaged, or too large.
bool unpack_zlib(std::string_view packed, Unpacked& out) {
  const auto state = std::make_unique_for_overwrite<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(packed.data()));
  if (packed.size() > UINT32_MAX) return false;
  state->avail_in = static_cast<uint32_t>(packed.size());
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (out.bytes().size() >= max_unpacked) return false;
    const std::span<char> room = out.room();
    state->next_out = reinterpret_cast<uint8_t*>(room.data());
    state->avail_out = static_cast<uint32_t>(room.size());
    const int code = isal_inflate(state.get());
    const size_t got = room.size() - state->avail_out;
    out.wrote(got);
    if (code < 0 || (got == 0 && state->block_state != ISAL_BLOCK_FINISH)) return false;
  }
  return true;
}

bool unpack_zstd(std::string_view packed, Unpacked& out) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return false;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (true) {
    if (out.bytes().size() >= max_unpacked) return false;
    const std::span<char> room = out.room();
    ZSTD_outBuffer to{room.data(), room.size(), 0};
    const size_t code = ZSTD_decompressStream(stream.get(), &to, &in);
    out.wrote(to.pos);
    if (ZSTD_isError(code) != 0) return false;
    if (code == 0 && in.pos == in.size) return true;
    if (to.pos == 0 && in.pos == in.size) return false;  // cut off
  }
}

/// The fields of a TracePacket that are read.
struct PacketFields {
  std::optional<uint64_t> timestamp, clock;
  uint64_t sequence = 0;
  uint64_t flags = 0;
  bool cleared = false;
  bool lost = false;
  std::string_view defaults, interned, snapshot, event, descriptor, stage, counter, zlib, zstd,
      attributes;
  bool has_defaults = false;

  /// False: it is no message.
  bool read(std::string_view bytes) {
    WireReader message(bytes);
    for (WireField field; message.next(field);) {
      if (field.type == WireType::varint) {
        switch (field.number) {
          case 8:
            timestamp = field.value;
            break;
          case 10:
            sequence = field.value;
            break;
          case 13:
            flags = field.value;
            break;
          case 41:
            cleared = field.value != 0;
            break;
          case 42:
            lost = field.value != 0;
            break;
          case 58:
            clock = field.value;
            break;
          default:
            break;
        }
      } else if (field.type == WireType::bytes) {
        switch (field.number) {
          case 6:
            snapshot = field.bytes;
            break;
          case 11:
            event = field.bytes;
            break;
          case 12:
            interned = field.bytes;
            break;
          case 50:
            zlib = field.bytes;
            break;
          case 52:
            counter = field.bytes;
            break;
          case 53:
            stage = field.bytes;
            break;
          case 59:
            defaults = field.bytes;
            has_defaults = true;
            break;
          case 60:
            descriptor = field.bytes;
            break;
          case 126:
            attributes = field.bytes;
            break;
          case 133:
            zstd = field.bytes;
            break;
          default:
            break;
        }
      }
    }
    return !message.broken();
  }
};

/// What kr says of a trace that it wrote.
class OwnAttributes {
 public:
  /// False: kr did not write them.
  bool take(std::string_view bytes) {
    const int before = traces_;
    WireReader message(bytes);
    for (WireField field; message.next(field);) {
      if (field.number == 1 && field.type == WireType::bytes) attribute(field.bytes);
    }
    return traces_ > before;
  }

  void finish(TraceBuilder& out) const {
    for (Track& track : out.tracks()) {
      const auto name = devices_.find(track.device);
      if (name != devices_.end()) track.device_name = name->second;
    }
    if (!lost_streams_.empty()) out.lost_streams(lost_streams_);
    // Of traces one after the other each says where it belongs.
    if (traces_ == 1) out.distributed() = distributed_;
  }

 private:
  void attribute(std::string_view bytes) {
    std::string_view key, text;
    std::optional<int64_t> number;
    WireReader message(bytes);
    for (WireField field; message.next(field);) {
      if (field.number == 1 && field.type == WireType::bytes) key = field.bytes;
      if (field.number == 2 && field.type == WireType::varint) number = field.integer();
      if (field.number == 3 && field.type == WireType::bytes) text = field.bytes;
    }
    constexpr std::string_view device = "kr.device.";
    if (key == "kr.version") ++traces_;
    if (key == "kr.rank" && number && *number >= 0) distributed_.rank = number;
    if (key == "kr.world_size" && number && *number > 0) distributed_.world_size = number;
    if (key == "kr.backend") distributed_.backend = text;
    if (key == "kr.lost_streams") lost_streams_ = text;
    if (!key.starts_with(device)) return;
    if (const auto id = integer_from<int32_t>(key.substr(device.size()))) devices_[*id] = text;
  }

  int traces_ = 0;
  Distributed distributed_;
  std::string lost_streams_;
  std::map<int32_t, std::string> devices_;
};

class PerfettoReader {
 public:
  PerfettoReader(Input& input, TraceBuilder& out)
      : input_(input), out_(out), stream_(input), events_(input, out) {}

  void run() {
    for (WireField field; stream_.next(field);) {
      if (field.number == 1 && field.type == WireType::bytes) packet(field.bytes, false);
    }
    if (stream_.cut_off() || input_.truncated()) {
      out_.warn("truncated", fmt::format("{} is cut off: its last whole packet ends at byte {}",
                                         input_.shown(), stream_.offset()));
    }
    events_.finish(sequences_);
    attributes_.finish(out_);
    out_.clock({utc_ns()});
    if (out_.operations() == 0) {
      out_.warn("no-gpu-work",
                fmt::format("The trace contains no GPU work that kr knows: none of its {} slices "
                            "and render stages is a kernel, copy or set.",
                            events_.events()));
    }
  }

 private:
  void drop(std::string_view what) { out_.add_dropped(what, stream_.offset()); }

  void unpack(std::string_view packed, bool (*how)(std::string_view, Unpacked&)) {
    unpacked_.clear();
    if (!how(packed, unpacked_)) return drop("compressed packets that are damaged or too large");
    WireReader message(unpacked_.bytes());
    for (WireField field; message.next(field);) {
      if (field.number == 1 && field.type == WireType::bytes) packet(field.bytes, true);
    }
    if (message.broken()) drop("compressed packets that are no trace");
  }

  /// `inner`: it was compressed.
  void packet(std::string_view bytes, bool inner) {
    PacketFields fields;
    if (!fields.read(bytes)) return drop("packet that is no message");
    if (!fields.zlib.empty() || !fields.zstd.empty()) {
      if (inner) return drop("compressed packets within others");
      if (!fields.zlib.empty()) unpack(fields.zlib, unpack_zlib);
      if (!fields.zstd.empty()) unpack(fields.zstd, unpack_zstd);
    }
    if (last_ == nullptr || fields.sequence != last_id_) {
      last_ = &sequences_[fields.sequence];
      last_id_ = fields.sequence;
      if (sequences_.size() > max_sequences) {
        throw Error(input_.shown(), Error::Place{.line = {}, .offset = stream_.offset()},
                    fmt::format("has more than {} sequences of packets", max_sequences),
                    "the file may be damaged: copy it again");
      }
    }
    PftraceSequence& sequence = last_->state;
    if (fields.lost) sequence.valid = false;
    if (fields.cleared || (fields.flags & 1) != 0) sequence.clear();
    if ((fields.flags & 2) != 0 && !sequence.valid) {
      return drop("packet that refers to what was lost");
    }
    if (fields.has_defaults) sequence.take_defaults(fields.defaults);
    if (!fields.snapshot.empty()) clocks_.take(fields.snapshot, sequence.clocks);
    if (!fields.interned.empty()) events_.interned(sequence, fields.interned);
    PftraceEvents::Packet one{fields.sequence, last_, {}, stream_.offset()};
    if (fields.timestamp) {
      one.time_ns = sequence.time(clocks_, fields.clock, *fields.timestamp);
      if (one.time_ns) last_time_ns_ = *one.time_ns;
    }
    if (!fields.attributes.empty() && attributes_.take(fields.attributes)) last_->run.nested = true;
    if (!fields.descriptor.empty()) events_.descriptor(fields.descriptor);
    if (!fields.event.empty()) events_.track_event(one, fields.event);
    if (!fields.stage.empty()) events_.render_stage(one, fields.stage);
    if (!fields.counter.empty()) events_.counters(one, fields.counter);
  }

  /// Without a snapshot: no machine has been up for so long that this is not the time since 1970.
  std::optional<int64_t> utc_ns() const {
    constexpr int64_t year_2001_ns = 1'000'000'000'000'000'000;
    if (clocks_.utc_ns()) return clocks_.utc_ns();
    return last_time_ns_ > year_2001_ns ? std::optional<int64_t>(0) : std::nullopt;
  }

  Input& input_;
  TraceBuilder& out_;
  WireStream stream_;
  Unpacked unpacked_;
  PftraceEvents events_;
  PftraceClocks clocks_;
  OwnAttributes attributes_;
  std::map<uint64_t, PftraceEvents::Sequence> sequences_;
  PftraceEvents::Sequence* last_ = nullptr;
  uint64_t last_id_ = 0;
  int64_t last_time_ns_ = 0;
};

// What the first packets contain. An XSpace begins with the same byte: its planes have a number as
// field 1, a name as field 2 and messages as fields 3 to 6.

/// 0: a field that contradicts a TracePacket; 1: one that says nothing; 2: one of a TracePacket.
int judge_field(uint32_t number, unsigned type) {
  constexpr unsigned varint = 0;
  constexpr unsigned bytes = 2;
  constexpr std::array<uint32_t, 9> numbers{3, 8, 10, 13, 41, 42, 58, 79, 87};
  constexpr std::array<uint32_t, 14> messages{6,  11, 12, 33, 36,  50,  52,
                                              53, 59, 60, 89, 128, 133, 71};
  if (std::ranges::find(numbers, number) != numbers.end()) return type == varint ? 2 : 0;
  if (std::ranges::find(messages, number) != messages.end()) return type == bytes ? 2 : 0;
  if (number == 1 || number == 2) return type == bytes ? 1 : 0;
  return type == 0 || type == 1 || type == 2 || type == 5 ? 1 : 0;
}

bool take_varint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// The fields of packets up to one that only a TracePacket has, or to the end of the head.
bool may_be_perfetto(std::string_view head) noexcept {
  if (!head.starts_with('\n')) return false;
  while (head.starts_with('\n')) {
    head.remove_prefix(1);
    uint64_t size = 0;
    if (!take_varint(head, size) || size > UINT32_MAX) return false;
    const bool whole = size <= head.size();
    std::string_view packet = head.substr(0, static_cast<size_t>(size));
    head.remove_prefix(packet.size());
    int best = 1;
    while (!packet.empty()) {
      uint64_t tag = 0;
      uint64_t value = 0;
      if (!take_varint(packet, tag)) return !whole && best == 2;
      const auto type = static_cast<unsigned>(tag & 7);
      const int one = tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3
                          ? 0
                          : judge_field(static_cast<uint32_t>(tag >> 3), type);
      if (one == 0) return false;
      best = std::max(best, one);
      uint64_t skipped = type == 1 ? 8 : type == 5 ? 4 : 0;
      if ((type == 0 || type == 2) && !take_varint(packet, value)) return !whole && best == 2;
      if (type == 2) {
        // The name of a plane is none of a process tree, nor of ftrace events.
        if (tag >> 3 == 2 && packet.starts_with('/')) return false;
        skipped = value;
      }
      if (skipped > packet.size()) {
        if (whole) return false;
        return best == 2;
      }
      packet.remove_prefix(static_cast<size_t>(skipped));
    }
    if (best == 2) return head.empty() || head.starts_with('\n');
  }
  return false;
}

constexpr std::array<std::string_view, 3> perfetto_extensions{".pftrace", ".perfetto-trace",
                                                              ".perfetto"};

}  // namespace

const TraceFormat perfetto_format{
    .name = "perfetto",
    .kind = "Perfetto traces",
    .summary = "Perfetto's protobuf trace (.pftrace) of PyTorch, rocprofv3 or Proton",
    .extensions = perfetto_extensions,
    .carries = "launches, streams, modules, steps, shapes, costs, collectives, metrics, call sites",
    .sniff = may_be_perfetto,
    .read = [](Input& input, TraceBuilder& out) {
      out.times_from_zero();
      PerfettoReader(input, out).run();
    }};

}  // namespace kr::trace

// Perfetto's protobuf traces (`.pftrace`): of PyTorch, rocprofv3, Proton and what else writes
// render stages of GPUs or slices of the categories of these.
//
//     message Trace { repeated TracePacket packet = 1; }
//
// Several traces one after the other are one. Packets are decoded by several threads
// (pftrace_packets.hpp), and taken one at a time, in the order of the file, which is not that of
// time; what they refer to is the state of their sequence (pftrace_sequence.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "trace/format.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/pftrace_events.hpp"
#include "trace/readers/pftrace_packets.hpp"
#include "trace/readers/wire_stream.hpp"

namespace kr::trace {
namespace {

/// Of which each has tables of its own. A sequence is a thread that writes.
constexpr size_t max_sequences = size_t{1} << 16;

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

/// Packets that are decoded at once, by one thread.
struct PacketBlock {
  WireBlock bytes;
  PftracePackets packets;

  void decode() {
    packets.clear();
    const std::string_view all = bytes.fields();
    WireReader fields(all);
    uint64_t offset = bytes.offset();
    for (WireField field; fields.next(field);
         offset = bytes.offset() + all.size() - fields.left()) {
      if (field.number == 1 && field.type == WireType::bytes) packets.add(field.bytes, offset);
    }
  }
};

class PerfettoReader {
 public:
  PerfettoReader(Input& input, TraceBuilder& out)
      : input_(input), out_(out), stream_(input), events_(input, out) {}

  void run() {
    // This thread has as much to do as one that decodes.
    constexpr bool busy = true;
    BlockReader<PacketBlock> reader(worker_threads(input_.options().threads, busy),
                                    [] { return [](PacketBlock& block) { block.decode(); }; });
    reader.read([&](PacketBlock& block) { return stream_.next(block.bytes); },
                [&](const PacketBlock& block) {
                  take(block.packets);
                  return true;
                });
    if (stream_.cut_off() || input_.truncated()) {
      out_.warn("truncated",
                fmt::format("The file is cut off: its last whole packet ends at byte {}.",
                            stream_.offset()));
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
  void take(const PftracePackets& all) {
    for (const PftracePacket& one : all.packets()) packet(one, all);
  }

  /// One at a time: what is unpacked here is large.
  void unpack(bool whole, uint64_t offset) {
    if (!whole) {
      return out_.add_dropped("compressed packets that are damaged or too large", offset);
    }
    WireReader message(unpacked_.bytes());
    for (WireField field; message.next(field);) {
      if (field.number != 1 || field.type != WireType::bytes) continue;
      inner_.clear();
      inner_.add_inner(field.bytes, offset);
      take(inner_);
    }
    if (message.broken()) out_.add_dropped("compressed packets that cannot be decoded", offset);
  }

  PftraceEvents::Sequence& sequence_of(const PftracePacket& packet) {
    if (last_ == nullptr || packet.sequence != last_id_) {
      last_ = &sequences_[packet.sequence];
      last_id_ = packet.sequence;
      if (sequences_.size() > max_sequences) {
        throw Error(input_.shown(), Error::Place{.line = {}, .offset = packet.offset},
                    fmt::format("has more than {} sequences of packets", max_sequences),
                    "the file may be damaged: copy it again");
      }
    }
    return *last_;
  }

  void packet(const PftracePacket& packet, const PftracePackets& all) {
    static const PftraceRare nothing;
    const PftraceRare* const found = all.rare(packet);
    const PftraceRare& rare = found != nullptr ? *found : nothing;
    if (rare.dropped != nullptr) return out_.add_dropped(rare.dropped, packet.offset);
    if (!rare.zlib.empty()) unpack(unpacked_.zlib(rare.zlib), packet.offset);
    if (!rare.zstd.empty()) unpack(unpacked_.zstd(rare.zstd), packet.offset);
    PftraceEvents::Sequence& of = sequence_of(packet);
    PftraceSequence& sequence = of.state;
    if (packet.lost) sequence.valid = false;
    if (packet.cleared) sequence.clear();
    if (packet.refers && !sequence.valid) {
      return out_.add_dropped("packet that refers to what was lost", packet.offset);
    }
    if (rare.defaults) sequence.take_defaults(*rare.defaults);
    if (!rare.snapshot.empty()) clocks_.take(rare.snapshot, sequence.clocks);
    if (!rare.interned.empty()) events_.interned(sequence, rare.interned);
    PftraceEvents::Packet one{packet.sequence, &of, {}, packet.offset};
    if (packet.has_timestamp) {
      const auto clock = packet.has_clock ? std::optional(packet.clock) : std::nullopt;
      one.time_ns = sequence.time(clocks_, clock, packet.timestamp);
      if (one.time_ns) last_time_ns_ = *one.time_ns;
    }
    if (!rare.attributes.empty() && attributes_.take(rare.attributes)) of.run.nested = true;
    if (!rare.descriptor.empty()) events_.descriptor(rare.descriptor);
    if (packet.event != PftracePacket::none) events_.track_event(one, all.event(packet), all);
    if (packet.stage != PftracePacket::none) {
      const PftraceStage& stage = all.stage(packet);
      events_.render_stage(one, stage, all.extras(stage.extras));
    }
    if (!rare.counters.empty()) events_.counters(one, rare.counters);
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
  PftraceUnpacked unpacked_;
  PftracePackets inner_;
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

#include "trace/readers/pftrace_packets.hpp"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>

#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

/// What is unpacked with a block: a packet may be a thousand times as large as it is packed.
constexpr size_t most_unpacked = size_t{8} << 20;

/// The number of a field of GpuRenderStageEvent; `numbers`: none that is read.
PftraceStage::Number stage_number(uint32_t field) {
  switch (field) {
    case 1:
      return PftraceStage::event;
    case 2:
      return PftraceStage::duration;
    case 3:
      return PftraceStage::old_queue;
    case 4:
      return PftraceStage::old_stage;
    case 5:
      return PftraceStage::context;
    case 11:
      return PftraceStage::gpu;
    case 13:
      return PftraceStage::queue;
    case 14:
      return PftraceStage::stage;
    case 19:
      return PftraceStage::kernel;
    case 20:
      return PftraceStage::name;
    default:
      return PftraceStage::numbers;
  }
}

template <class Item>
PftraceRange begin_of(const std::vector<Item>& all) {
  return {static_cast<uint32_t>(all.size()), 0};
}

}  // namespace

std::span<char> PftraceUnpacked::room() {
  if (size_ == capacity_) {
    const size_t capacity = std::max(size_t{1} << 18, 2 * capacity_);
    auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
    std::copy_n(bytes_.get(), size_, bytes.get());
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  }
  return {bytes_.get() + size_, capacity_ - size_};
}

bool PftraceUnpacked::zlib(std::string_view packed) {
  size_ = 0;
  const auto state = std::make_unique_for_overwrite<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_ZLIB;
  state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(packed.data()));
  if (packed.size() > UINT32_MAX) return false;
  state->avail_in = static_cast<uint32_t>(packed.size());
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (size_ >= most) return false;
    const std::span<char> to = room();
    state->next_out = reinterpret_cast<uint8_t*>(to.data());
    state->avail_out = static_cast<uint32_t>(to.size());
    const int code = isal_inflate(state.get());
    const size_t got = to.size() - state->avail_out;
    wrote(got);
    if (code < 0 || (got == 0 && state->block_state != ISAL_BLOCK_FINISH)) return false;
  }
  return true;
}

bool PftraceUnpacked::zstd(std::string_view packed) {
  size_ = 0;
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return false;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (true) {
    if (size_ >= most) return false;
    const std::span<char> to = room();
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const size_t code = ZSTD_decompressStream(stream.get(), &out, &in);
    wrote(out.pos);
    if (ZSTD_isError(code) != 0) return false;
    if (code == 0 && in.pos == in.size) return true;
    if (out.pos == 0 && in.pos == in.size) return false;  // cut off
  }
}

void PftracePackets::clear() {
  packets_.clear();
  events_.clear();
  stages_.clear();
  rare_.clear();
  categories_.clear();
  annotations_.clear();
  submitted_.clear();
  extras_.clear();
  unpacked_count_ = 0;
  unpacked_bytes_ = 0;
}

PftraceRare& PftracePackets::rare_of(PftracePacket& packet) {
  if (packet.rare == PftracePacket::none) {
    packet.rare = static_cast<uint32_t>(rare_.size());
    rare_.emplace_back();
  }
  return rare_[packet.rare];
}

void PftracePackets::drop(const char* what, uint64_t offset) {
  PftracePacket packet;
  packet.offset = offset;
  rare_of(packet).dropped = what;
  packets_.push_back(packet);
}

void PftracePackets::add(std::string_view bytes, uint64_t offset, bool inner) {
  PftracePacket packet;
  packet.offset = offset;
  std::string_view event, stage, zlib, zstd;
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.type == WireType::varint) {
      switch (field.number) {
        case 8:
          packet.timestamp = field.value;
          packet.has_timestamp = true;
          break;
        case 10:
          packet.sequence = field.value;
          break;
        case 13:
          packet.cleared = packet.cleared || (field.value & 1) != 0;
          packet.refers = (field.value & 2) != 0;
          break;
        case 41:
          packet.cleared = packet.cleared || field.value != 0;
          break;
        case 42:
          packet.lost = field.value != 0;
          break;
        case 58:
          packet.clock = field.value;
          packet.has_clock = true;
          break;
        default:
          break;
      }
    } else if (field.type == WireType::bytes) {
      switch (field.number) {
        case 6:
          rare_of(packet).snapshot = field.bytes;
          break;
        case 11:
          event = field.bytes;
          break;
        case 12:
          rare_of(packet).interned = field.bytes;
          break;
        case 50:
          zlib = field.bytes;
          break;
        case 52:
          rare_of(packet).counters = field.bytes;
          break;
        case 53:
          stage = field.bytes;
          break;
        case 59:
          rare_of(packet).defaults = field.bytes;
          break;
        case 60:
          rare_of(packet).descriptor = field.bytes;
          break;
        case 126:
          rare_of(packet).attributes = field.bytes;
          break;
        case 133:
          zstd = field.bytes;
          break;
        default:
          break;
      }
    }
  }
  if (message.broken()) return drop("packet that cannot be decoded", offset);
  if (!zlib.empty() || !zstd.empty()) {
    if (inner) return drop("compressed packets within others", offset);
    if (unpacked_bytes_ < most_unpacked) {
      if (!zlib.empty()) unpack(zlib, &PftraceUnpacked::zlib, offset);
      if (!zstd.empty()) unpack(zstd, &PftraceUnpacked::zstd, offset);
    } else {
      rare_of(packet).zlib = zlib;
      rare_of(packet).zstd = zstd;
    }
  }
  if (!event.empty()) {
    packet.event = static_cast<uint32_t>(events_.size());
    add_event(event);
  }
  if (!stage.empty()) {
    packet.stage = static_cast<uint32_t>(stages_.size());
    add_stage(stage);
  }
  packets_.push_back(packet);
}

void PftracePackets::unpack(std::string_view packed, bool (PftraceUnpacked::*how)(std::string_view),
                            uint64_t offset) {
  if (unpacked_count_ == unpacked_.size()) {
    unpacked_.push_back(std::make_unique<PftraceUnpacked>());
  }
  PftraceUnpacked& unpacked = *unpacked_[unpacked_count_++];
  const bool whole = (unpacked.*how)(packed);
  unpacked_bytes_ += unpacked.bytes().size();
  if (!whole) return drop("compressed packets that are damaged or too large", offset);
  WireReader message(unpacked.bytes());
  for (WireField field; message.next(field);) {
    if (field.number == 1 && field.type == WireType::bytes) add(field.bytes, offset, true);
  }
  if (message.broken()) drop("compressed packets that cannot be decoded", offset);
}

void PftracePackets::add_event(std::string_view bytes) {
  PftraceTrackEvent& event = events_.emplace_back();
  event.categories = begin_of(categories_);
  event.annotations = begin_of(annotations_);
  event.submitted = begin_of(submitted_);
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.type == WireType::varint) {
      switch (field.number) {
        case 3:
          categories_.push_back({field.value, {}});
          break;
        case 9:
          event.type = field.value;
          break;
        case 10:
          event.name_id = field.value;
          event.name.reset();
          break;
        case 11:
          event.track = field.value;
          break;
        case 30:
          event.value = static_cast<double>(field.integer());
          break;
        default:
          break;
      }
    } else if (field.type == WireType::bytes) {
      switch (field.number) {
        case 3: {
          WireReader packed(field.bytes);
          for (uint64_t id = 0; packed.packed(id);) categories_.push_back({id, {}});
          break;
        }
        case 4:
          annotations_.push_back(field.bytes);
          break;
        case 6:
          event.legacy = field.bytes;
          break;
        case 22:
          categories_.push_back({0, field.bytes});
          break;
        case 23:
          event.name = field.bytes;
          event.name_id.reset();
          break;
        case 3000:
          add_submitted(field.bytes);
          break;
        default:
          break;
      }
    } else if (field.type == WireType::eight_bytes && field.number == 44) {
      event.value = field.real();
    }
  }
  const auto end = [](PftraceRange& range, size_t size) {
    range.count = static_cast<uint32_t>(size) - range.first;
  };
  end(event.categories, categories_.size());
  end(event.annotations, annotations_.size());
  end(event.submitted, submitted_.size());
}

void PftracePackets::add_submitted(std::string_view bytes) {
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.number != 1) continue;
    if (field.type == WireType::bytes) {
      WireReader packed(field.bytes);
      for (uint64_t id = 0; packed.packed(id);) submitted_.push_back(id);
    } else if (field.type == WireType::varint) {
      submitted_.push_back(field.value);
    }
  }
}

void PftracePackets::add_stage(std::string_view bytes) {
  PftraceStage& stage = stages_.emplace_back();
  stage.extras = begin_of(extras_);
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.type == WireType::varint) {
      const PftraceStage::Number number = stage_number(field.number);
      if (number == PftraceStage::numbers) continue;
      stage.values[number] = field.value;
      stage.known |= static_cast<uint16_t>(1U << number);
      if (number == PftraceStage::name) stage.name_text.reset();
    } else if (field.type == WireType::bytes) {
      switch (field.number) {
        case 6: {
          const PftraceExtra extra = pftrace_extra(field.bytes);
          if (extra.key != NoteKey::ignored) extras_.push_back(extra);
          break;
        }
        case 7:
          stage.specifications = field.bytes;
          break;
        case 17:
          stage.name_text = field.bytes;
          stage.known &= static_cast<uint16_t>(~(1U << PftraceStage::name));
          break;
        case 21:
          stage.launch = field.bytes;
          break;
        default:
          break;
      }
    }
  }
  stage.extras.count = static_cast<uint32_t>(extras_.size()) - stage.extras.first;
}

}  // namespace kr::trace

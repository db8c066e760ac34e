// Tables of InternedData: ids of a sequence, by which its events name categories, names, kernels
// and counters.
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "trace/readers/pftrace_events.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

/// Of a table of InternedData: its id and its text, which is the last of `fields`.
struct InternedEntry {
  uint64_t id = 0;
  std::string_view text;
  bool named = false;
};
InternedEntry interned_entry(std::string_view bytes, uint32_t better = 0) {
  InternedEntry found;
  bool best = false;
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.number == 1 && field.type == WireType::varint) found.id = field.value;
    if (field.type != WireType::bytes) continue;
    if ((field.number == 2 && !best) || (better != 0 && field.number == better)) {
      found.text = field.bytes;
      found.named = true;
      best = field.number == better;
    }
  }
  return found;
}

}  // namespace

void PftraceEvents::interned(PftraceSequence& sequence, std::string_view data) {
  WireReader message(data);
  for (WireField field; message.next(field);) {
    if (field.type != WireType::bytes) continue;
    const auto put = [&](InternedIds& ids, uint32_t better = 0) {
      const InternedEntry one = interned_entry(field.bytes, better);
      if (one.named) ids.set(one.id, texts_.add(one.text));
    };
    switch (field.number) {
      case 1:
        put(sequence.categories);
        break;
      case 2:
        put(sequence.names);
        break;
      case 3:
        put(sequence.keys);
        break;
      case 29:
        put(sequence.strings);
        break;
      case 24:
        put(sequence.stages);
        break;
      case 1000:
        put(sequence.kernels, 3);
        break;
      case 1001:
        put(sequence.arguments);
        break;
      case 23: {
        uint64_t id = 0;
        std::optional<int64_t> pid;
        WireReader context(field.bytes);
        for (WireField part; context.next(part);) {
          if (part.number == 1 && part.type == WireType::varint) id = part.value;
          if (part.number == 2 && part.type == WireType::varint)
            pid = static_cast<int32_t>(part.value);
        }
        if (pid) sequence.contexts.set(id, work_.process(*pid));
        break;
      }
      case 47: {
        uint64_t id = 0;
        PftraceCounters counters;
        WireReader descriptor(field.bytes);
        for (WireField part; descriptor.next(part);) {
          if (part.number == 1 && part.type == WireType::varint) id = part.value;
          if (part.number == 2 && part.type == WireType::bytes) counters.take(part.bytes, texts_);
          if (part.number == 3 && part.type == WireType::varint) counters.gpu = part.integer();
        }
        sequence.counters.set(id, static_cast<uint32_t>(counters_.size()));
        counters_.push_back(std::move(counters));
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace kr::trace

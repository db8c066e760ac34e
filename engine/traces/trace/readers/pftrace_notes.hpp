// What a Perfetto trace says of one event beside its time and name: debug annotations of a
// TrackEvent, and the extra data of a render stage, whose values are all texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/collectives.hpp"
#include "trace/operation_details.hpp"
#include "trace/readers/pftrace_sequence.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {

enum class NoteKey : uint8_t {
  other,    // an annotation of the program's own
  ignored,  // known, and not read
  device,
  stream,
  original_stream,  // where `stream` is a lane
  annotated_stream,
  correlation,
  graph,
  graph_node,
  context,
  bytes,
  grid,
  block,
  registers,
  dynamic_shared,
  static_shared,
  sync_kind,
  python,
  op,    // only ops of PyTorch have it
  call,  // only calls have it
  begin_ns,
  end_ns,
  agent,
  source_agent,
  destination_agent,
  queue,
  process,
  call_stack,
  module_path,  // of a trace that kr wrote: lists of what is around an operation
  annotations,
  range_form,  // likewise, of NVTX
  range_domain,
  range_text,
  inputs,                   // and the next three
  collective = inputs + 4,  // and the next eleven: see collective_of
  count = collective + 12,
};

/// Of the texts that may stand in a trace as keys. The same of every writer.
NoteKey note_key(std::string_view key) noexcept;

struct NoteValue {
  enum class Kind : uint8_t { none, integer, real, text, list };

  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;  // of `list`, the DebugAnnotation that contains it

  /// A whole number, or a text that is one.
  std::optional<int64_t> number() const noexcept;
  std::string written() const;
};

/// One of the extra data of a render stage. No packet before it has to be known to read it.
struct PftraceExtra {
  NoteKey key = NoteKey::ignored;
  std::string_view name, text;
};
PftraceExtra pftrace_extra(std::string_view bytes);

/// The notes of one event. Its texts are valid as long as the packet's.
class PftraceNotes {
 public:
  /// `keys`: by text, what it means; grows.
  PftraceNotes(const DistinctTexts& texts, std::vector<NoteKey>& keys)
      : texts_(&texts), keys_(&keys) {}

  void clear();
  void take_annotation(std::string_view annotation, const PftraceSequence& sequence);
  void take_extra(const PftraceExtra& extra);

  bool has(NoteKey key) const noexcept { return (known_ >> static_cast<unsigned>(key) & 1) != 0; }
  const NoteValue& operator[](NoteKey key) const noexcept {
    static constexpr NoteValue none;
    return has(key) ? values_[static_cast<size_t>(key)] : none;
  }
  std::optional<int64_t> number(NoteKey key) const noexcept { return (*this)[key].number(); }
  /// Of `other` keys, in their order.
  const std::vector<std::pair<std::string_view, NoteValue>>& others() const noexcept {
    return others_;
  }
  /// Outermost first.
  const std::vector<std::string_view>& call_stack() const noexcept { return call_stack_; }
  /// The texts of a list, in its order; empty: it is none.
  std::vector<std::string_view> list(NoteKey key, const PftraceSequence& sequence) const;
  /// Of a key whose id has no entry; cleared by the call.
  uint64_t missing() noexcept { return std::exchange(missing_, 0); }

  void take_shape(OperationDetail& detail) const;
  /// Whether there is anything of it.
  bool is_collective() const noexcept;
  CollectiveCall collective_call() const;
  std::optional<int64_t> collective_sequence() const noexcept;
  /// The arguments of an op as the JSON that Kineto writes: dims, types, strides, concrete.
  std::array<std::string, 4> inputs() const;

 private:
  bool surely_ignored(std::string_view annotation, const PftraceSequence& sequence);
  NoteKey key_of(uint32_t text);
  void put(NoteKey key, std::string_view name, const NoteValue& value);

  const DistinctTexts* texts_;
  std::vector<NoteKey>* keys_;
  uint64_t known_ = 0;
  std::array<NoteValue, static_cast<size_t>(NoteKey::count)> values_;
  std::vector<std::pair<std::string_view, NoteValue>> others_;
  std::vector<std::string_view> call_stack_;
  uint64_t missing_ = 0;
};

}  // namespace kr::trace

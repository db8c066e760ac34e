#include "trace/readers/pftrace_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "base/integer.hpp"

namespace kr::trace {
namespace {

using NoteKind = NoteValue::Kind;

struct KnownNote {
  std::string_view text;
  NoteKey key;
};

constexpr NoteKey note_after(NoteKey first, int place) {
  return static_cast<NoteKey>(static_cast<int>(first) + place);
}

// By length: a search compares few of them.
constexpr KnownNote known_keys[] = {
    {"tid", NoteKey::ignored},
    {"Seq", note_after(NoteKey::collective, 10)},
    {"cbid", NoteKey::call},
    {"arch", NoteKey::ignored},
    {"grid", NoteKey::grid},
    {"kind", NoteKey::ignored},
    {"Rank", note_after(NoteKey::collective, 11)},
    {"bytes", NoteKey::bytes},
    {"block", NoteKey::block},
    {"dtype", note_after(NoteKey::collective, 4)},
    {"agent", NoteKey::agent},
    {"queue", NoteKey::queue},
    {"device", NoteKey::device},
    {"stream", NoteKey::stream},
    {"queued", NoteKey::ignored},
    {"Ev Idx", NoteKey::ignored},
    {"end_ns", NoteKey::end_ns},
    {"corr_id", NoteKey::correlation},
    {"kr.form", NoteKey::range_form},
    {"kr.text", NoteKey::range_text},
    {"context", NoteKey::context},
    {"channel", NoteKey::ignored},
    {"graph id", NoteKey::graph},
    {"begin_ns", NoteKey::begin_ns},
    {"delta_ns", NoteKey::ignored},
    {"priority", NoteKey::ignored},
    {"inDevice", NoteKey::ignored},
    {"toDevice", NoteKey::ignored},
    {"Src Rank", note_after(NoteKey::collective, 8)},
    {"Dst Rank", note_after(NoteKey::collective, 9)},
    {"stream id", NoteKey::stream},
    {"device id", NoteKey::device},
    {"kr.domain", NoteKey::range_domain},
    {"stream_ID", NoteKey::stream},
    {"src_agent", NoteKey::source_agent},
    {"dst_agent", NoteKey::destination_agent},
    {"operation", NoteKey::ignored},
    {"kernel_id", NoteKey::ignored},
    {"grid_size", NoteKey::ignored},
    {"Python id", NoteKey::python},
    {"context id", NoteKey::context},
    {"process_id", NoteKey::process},
    {"copy_bytes", NoteKey::bytes},
    {"fromDevice", NoteKey::ignored},
    {"Input Dims", NoteKey::inputs},
    {"Input dims", NoteKey::inputs},
    {"Input type", note_after(NoteKey::inputs, 1)},
    {"Group size", note_after(NoteKey::collective, 5)},
    {"correlation", NoteKey::correlation},
    {"External id", NoteKey::ignored},
    {"VGPR_Count", NoteKey::registers},
    {"SGPR_Count", NoteKey::ignored},
    {"agent_type", NoteKey::ignored},
    {"ancestor_id", NoteKey::ignored},
    {"module_path", NoteKey::module_path},
    {"annotations", NoteKey::annotations},
    {"Scratch_Size", NoteKey::ignored},
    {"channel_type", NoteKey::ignored},
    {"process_name", NoteKey::ignored},
    {"warps per SM", NoteKey::ignored},
    {"blocks per SM", NoteKey::ignored},
    {"In msg nelems", note_after(NoteKey::collective, 6)},
    {"graph node id", NoteKey::graph_node},
    {"shared memory", NoteKey::ignored},
    {"In split size", NoteKey::ignored},
    {"Fwd thread id", NoteKey::op},
    {"Input Strides", note_after(NoteKey::inputs, 2)},
    {"Out msg nelems", note_after(NoteKey::collective, 7)},
    {"Out split size", NoteKey::ignored},
    {"cuda_sync_kind", NoteKey::sync_kind},
    {"LDS_Block_Size", NoteKey::static_shared},
    {"workgroup_size", NoteKey::ignored},
    {"Sequence number", NoteKey::op},
    {"Collective name", note_after(NoteKey::collective, 0)},
    {"original_stream", NoteKey::original_stream},
    {"Concrete Inputs", note_after(NoteKey::inputs, 3)},
    {"annotated_stream", NoteKey::annotated_stream},
    {"Python parent id", NoteKey::python},
    {"Python module id", NoteKey::python},
    {"Accum_VGPR_Count", NoteKey::ignored},
    {"Record function id", NoteKey::ignored},
    {"Process Group Name", note_after(NoteKey::collective, 1)},
    {"shared_mem_dynamic", NoteKey::dynamic_shared},
    {"shared_mem_static", NoteKey::static_shared},
    {"group_segment_size", NoteKey::static_shared},
    {"Process Group Ranks", note_after(NoteKey::collective, 3)},
    {"registers per thread", NoteKey::registers},
    {"registers_per_thread", NoteKey::registers},
    {"private_segment_size", NoteKey::ignored},
    {"memory bandwidth (GB/s)", NoteKey::ignored},
    {"Process Group Description", note_after(NoteKey::collective, 2)},
    {"est. achieved occupancy %", NoteKey::ignored},
};

constexpr size_t max_key = 25;

/// By length, the keys: [first, last) of `places`.
struct ByLength {
  std::array<uint8_t, std::size(known_keys)> places{};
  std::array<uint8_t, max_key + 2> first{};
};
constexpr ByLength by_length() {
  ByLength all;
  uint8_t next = 0;
  for (size_t length = 0; length <= max_key; ++length) {
    all.first[length] = next;
    for (size_t i = 0; i < std::size(known_keys); ++i) {
      if (known_keys[i].text.size() == length) all.places[next++] = static_cast<uint8_t>(i);
    }
  }
  all.first[max_key + 1] = next;
  return all;
}
constexpr ByLength lengths = by_length();
static_assert(lengths.first[max_key + 1] == std::size(known_keys));

/// A field of a DebugAnnotation that is its value, but for lists.
void take_value(const WireField& field, const DistinctTexts& texts, const PftraceSequence& sequence,
                NoteValue& value) {
  if (field.type == WireType::varint) {
    switch (field.number) {
      case 2:
        value = {NoteKind::text, 0, 0, field.value != 0 ? "True" : "False"};
        break;
      case 3:
      case 4:
      case 7:
        value = {NoteKind::integer, field.integer(), 0, {}};
        break;
      case 17:
        if (const uint32_t text = sequence.strings.find(field.value); text != InternedIds::none) {
          value = {NoteKind::text, 0, 0, texts.text(text)};
        }
        break;
      default:
        break;
    }
  } else if (field.type == WireType::eight_bytes) {
    if (field.number == 5) value = {NoteKind::real, 0, field.real(), {}};
  } else if (field.type == WireType::bytes && (field.number == 6 || field.number == 9)) {
    value = {NoteKind::text, 0, 0, field.bytes};
  }
}

void append_text(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  out += '"';
}

/// An array within an annotation as JSON. No array of arguments is deeper.
void append_json(std::string_view annotation, std::string& out, int depth = 0) {
  constexpr int max_depth = 8;
  bool any = false;
  bool array = false;
  WireReader message(annotation);
  for (WireField field; message.next(field);) {
    if (field.number == 12 && field.type == WireType::bytes && depth < max_depth) {
      out += array ? ',' : '[';
      append_json(field.bytes, out, depth + 1);
      any = array = true;
    } else if (field.type == WireType::varint && (field.number == 3 || field.number == 4)) {
      out += fmt::format("{}", field.integer());
      any = true;
    } else if (field.type == WireType::varint && field.number == 2) {
      out += field.value != 0 ? "true" : "false";
      any = true;
    } else if (field.type == WireType::eight_bytes && field.number == 5) {
      out += fmt::format("{}", field.real());
      any = true;
    } else if (field.type == WireType::bytes && field.number == 6) {
      append_text(field.bytes, out);
      any = true;
    }
  }
  if (array) out += ']';
  if (!any) out += "[]";
}

/// Up to three numbers, of a list or of the text of one.
void take_axes(const NoteValue& value, OperationDetail& detail, DetailField first) {
  constexpr int axes = 3;
  int axis = 0;
  const auto put = [&](int64_t number) {
    if (axis < axes) detail[static_cast<DetailField>(static_cast<int>(first) + axis++)] = number;
  };
  if (value.kind == NoteKind::list) {
    WireReader message(value.text);
    for (WireField field; message.next(field);) {
      if (field.number != 12 || field.type != WireType::bytes) continue;
      WireReader item(field.bytes);
      for (WireField part; item.next(part);) {
        if (part.type == WireType::varint && (part.number == 3 || part.number == 4)) {
          put(part.integer());
        }
      }
    }
    return;
  }
  if (value.kind != NoteKind::text || !value.text.starts_with('[')) return;
  std::string_view rest = value.text.substr(1);
  while (!rest.empty() && axis < axes) {
    const size_t end = std::min(rest.find_first_of(",]"), rest.size());
    std::string_view one = rest.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const auto number = integer_from(one);
    if (!number) return;
    put(*number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

NoteKey note_key(std::string_view key) noexcept {
  if (key.starts_with("call_stack_")) return NoteKey::call_stack;
  if (key.size() > max_key) return NoteKey::other;
  for (size_t i = lengths.first[key.size()]; i < lengths.first[key.size() + 1]; ++i) {
    const KnownNote& known = known_keys[lengths.places[i]];
    if (known.text == key) return known.key;
  }
  return NoteKey::other;
}

std::optional<int64_t> NoteValue::number() const noexcept {
  if (kind == NoteKind::integer) return integer;
  return kind == NoteKind::text ? integer_from(text) : std::nullopt;
}

std::string NoteValue::written() const {
  switch (kind) {
    case NoteKind::none:
      break;
    case NoteKind::integer:
      return fmt::format("{}", integer);
    case NoteKind::real:
      return fmt::format("{}", real);
    case NoteKind::text:
      return std::string(text);
    case NoteKind::list: {
      std::string out;
      append_json(text, out);
      return out;
    }
  }
  return {};
}

void PftraceNotes::clear() {
  known_ = 0;
  others_.clear();
  call_stack_.clear();
}

void PftraceNotes::take_annotation(std::string_view annotation, const PftraceSequence& sequence) {
  if (surely_ignored(annotation, sequence)) return;
  NoteKey key = NoteKey::ignored;
  std::string_view name;
  NoteValue value;
  WireReader message(annotation);
  for (WireField field; message.next(field);) {
    if (field.number == 10 && field.type == WireType::bytes) {
      name = field.bytes;
      key = note_key(name);
    } else if (field.number == 1 && field.type == WireType::varint) {
      const uint32_t text = sequence.keys.find(field.value);
      if (text == InternedIds::none) {
        ++missing_;
        return;
      }
      name = texts_->text(text);
      key = key_of(text);
    } else if (field.type == WireType::bytes && (field.number == 11 || field.number == 12)) {
      value = {NoteKind::list, 0, 0, annotation};
      continue;
    } else {
      take_value(field, *texts_, sequence, value);
      continue;
    }
    if (key == NoteKey::ignored) return;
  }
  if (key != NoteKey::ignored) put(key, name, value);
}

/// By its first bytes, as writers have them: `1: id` or `10: text`, both of one byte of length.
bool PftraceNotes::surely_ignored(std::string_view annotation, const PftraceSequence& sequence) {
  if (annotation.size() < 2 || static_cast<unsigned char>(annotation[1]) >= 0x80) return false;
  const auto second = static_cast<unsigned char>(annotation[1]);
  if (annotation[0] == '\x08') {
    const uint32_t text = sequence.keys.find(second);
    return text != InternedIds::none && key_of(text) == NoteKey::ignored;
  }
  return annotation[0] == '\x52' && annotation.size() >= size_t{2} + second &&
         note_key(annotation.substr(2, second)) == NoteKey::ignored;
}

NoteKey PftraceNotes::key_of(uint32_t text) {
  if (text >= keys_->size()) keys_->resize(texts_->size(), NoteKey::count);
  NoteKey& known = (*keys_)[text];
  if (known == NoteKey::count) known = note_key(texts_->text(text));
  return known;
}

PftraceExtra pftrace_extra(std::string_view bytes) {
  PftraceExtra extra;
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.type != WireType::bytes) continue;
    if (field.number == 1) extra.name = field.bytes;
    if (field.number == 2) extra.text = field.bytes;
  }
  extra.key = note_key(extra.name);
  return extra;
}

void PftraceNotes::take_extra(const PftraceExtra& extra) {
  put(extra.key, extra.name, {NoteKind::text, 0, 0, extra.text});
}

void PftraceNotes::put(NoteKey key, std::string_view name, const NoteValue& value) {
  if (key == NoteKey::other) {
    others_.emplace_back(name, value);
    return;
  }
  if (key == NoteKey::call_stack) call_stack_.push_back(value.text);
  // Of a key that stands twice, the later counts, as in Python.
  values_[static_cast<size_t>(key)] = value;
  known_ |= uint64_t{1} << static_cast<unsigned>(key);
}
static_assert(static_cast<size_t>(NoteKey::count) <= 64);

void PftraceNotes::take_shape(OperationDetail& detail) const {
  take_axes((*this)[NoteKey::grid], detail, DetailField::grid_x);
  take_axes((*this)[NoteKey::block], detail, DetailField::block_x);
  const auto take = [&](NoteKey key, DetailField field) {
    if (const auto value = number(key)) detail[field] = *value;
  };
  take(NoteKey::registers, DetailField::registers);
  take(NoteKey::dynamic_shared, DetailField::dynamic_shared);
  take(NoteKey::static_shared, DetailField::static_shared);
  take(NoteKey::bytes, DetailField::bytes);
  take(NoteKey::context, DetailField::context);
  if (auto node = number(NoteKey::graph_node)) {
    // Some write the graph apart: the node is a number of 32 bits within it.
    const auto graph = number(NoteKey::graph);
    if (graph && *graph > 0 && *graph <= INT32_MAX && *node >= 0 && *node <= UINT32_MAX) {
      *node |= *graph << 32;
    }
    detail[DetailField::graph_node] = *node;
  }
}

std::vector<std::string_view> PftraceNotes::list(NoteKey key,
                                                 const PftraceSequence& sequence) const {
  std::vector<std::string_view> texts;
  if ((*this)[key].kind != NoteKind::list) return texts;
  WireReader message((*this)[key].text);
  for (WireField field; message.next(field);) {
    if (field.number != 12 || field.type != WireType::bytes) continue;
    NoteValue value;
    WireReader item(field.bytes);
    for (WireField part; item.next(part);) take_value(part, *texts_, sequence, value);
    if (value.kind == NoteKind::text) texts.push_back(value.text);
  }
  return texts;
}

bool PftraceNotes::is_collective() const noexcept {
  // By hand, no name of the collective is written, but its sizes or its group.
  for (const int place : {0, 2, 3, 6, 7}) {
    if (has(note_after(NoteKey::collective, place))) return true;
  }
  return false;
}

CollectiveCall PftraceNotes::collective_call() const {
  const auto text = [&](int place) {
    return (*this)[note_after(NoteKey::collective, place)].written();
  };
  const auto value = [&](int place) {
    const auto found = number(note_after(NoteKey::collective, place));
    return found && *found >= 0 ? found : std::nullopt;
  };
  CollectiveCall call{text(0),  text(1),  text(2),  text(3),  text(4),  value(5),
                      value(6), value(7), value(8), value(9), value(11)};
  if (call.name.empty()) {
    const auto named =
        std::ranges::find(others_, "name", [](const auto& one) { return one.first; });
    if (named != others_.end()) call.name = named->second.written();
  }
  return call;
}

std::optional<int64_t> PftraceNotes::collective_sequence() const noexcept {
  const auto found = number(note_after(NoteKey::collective, 10));
  return found && *found >= 0 ? found : std::nullopt;
}

std::array<std::string, 4> PftraceNotes::inputs() const {
  std::array<std::string, 4> all;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = (*this)[note_after(NoteKey::inputs, static_cast<int>(i))].written();
  }
  return all;
}

}  // namespace kr::trace

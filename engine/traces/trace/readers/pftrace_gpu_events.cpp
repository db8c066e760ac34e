// What GPU drivers write to Perfetto traces: the stages that GPUs run, and samples of counters.
#include <algorithm>
#include <cmath>
#include <limits>

#include "trace/readers/pftrace_events.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

bool is_not_work(std::string_view stage) {
  return stage == "Annotation" || stage == "EventRecord" || stage == "HostNode";
}

OperationKind kind_of_stage(std::string_view stage) {
  if (stage == "Memcpy") return OperationKind::memcpy;
  return stage == "Memset" ? OperationKind::memset : OperationKind::kernel;
}

}  // namespace

void PftraceEvents::render_stage(const Packet& packet, const PftraceStage& stage,
                                 std::span<const PftraceExtra> extras) {
  PftraceSequence& sequence = packet.sequence->state;
  if (stage.specifications) take_specifications(sequence, *stage.specifications);
  const auto event = stage[PftraceStage::event];
  const auto duration = stage[PftraceStage::duration];
  if (stage.specifications && !event && !duration) return;
  ++events_;
  if (!packet.time_ns) return drop("operation without a time that is known", packet.offset);
  const auto find = [](const InternedIds& ids, std::optional<uint64_t> id) {
    return id ? ids.find(*id) : InternedIds::none;
  };
  const auto old = [](const std::vector<uint32_t>& names, std::optional<uint64_t> place) {
    return place && *place < names.size() ? names[static_cast<size_t>(*place)] : InternedIds::none;
  };
  const auto numbered = stage[PftraceStage::stage];
  const uint32_t stage_text = numbered ? sequence.stages.find(*numbered)
                                       : old(sequence.old_stages, stage[PftraceStage::old_stage]);
  const std::string_view stage_name =
      stage_text != InternedIds::none ? texts_.text(stage_text) : std::string_view();
  if (is_not_work(stage_name)) return;
  const auto queue = stage[PftraceStage::queue];
  const uint32_t queue_text = queue ? sequence.stages.find(*queue)
                                    : old(sequence.old_queues, stage[PftraceStage::old_queue]);
  const uint32_t kernel = find(sequence.kernels, stage[PftraceStage::kernel]);
  const uint32_t name = stage.name_text ? texts_.add(*stage.name_text)
                                        : find(sequence.names, stage[PftraceStage::name]);
  const bool missing = (stage[PftraceStage::kernel] && kernel == InternedIds::none) ||
                       (stage[PftraceStage::name] && name == InternedIds::none);
  if (missing) drop("operation whose name is not in the trace", packet.offset);
  uint32_t text = kernel != InternedIds::none ? kernel : name;
  if (text == InternedIds::none) text = stage_text;
  if (text == InternedIds::none) text = texts_.add("(unnamed operation)");

  PftraceWork::Work work;
  work.name = work_.name(texts_, text, kind_of_stage(stage_name));
  work.start_ns = *packet.time_ns < 0 ? no_start(TimeFault::negative) : *packet.time_ns;
  const uint64_t longest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max() -
                                                 std::max(*packet.time_ns, int64_t{0}));
  work.duration_ns = duration.value_or(0) > longest ? no_duration(TimeFault::too_large)
                                                    : static_cast<int64_t>(duration.value_or(0));
  notes_.clear();
  for (const PftraceExtra& extra : extras) notes_.take_extra(extra);
  std::optional<uint64_t> gpu = stage[PftraceStage::gpu];
  if (!gpu) {
    const auto device = notes_.number(NoteKey::device);
    gpu = static_cast<uint64_t>(device.value_or(0));
  }
  int32_t device = 0;
  if (*gpu <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    device = static_cast<int32_t>(*gpu);
  } else {
    drop("operation without a device number: assigned to device 0", packet.offset);
  }
  std::optional<int64_t> stream = notes_.number(NoteKey::stream);
  const int64_t lane = lane_number(queue_text);
  if (stream) {
    ++with_stream_;
    drawn_on_lanes_ = drawn_on_lanes_ || (lane >= 0 && lane != *stream);
  } else {
    ++without_stream_;
    stream = std::max(lane, int64_t{0});
  }
  uint32_t process = find(sequence.contexts, stage[PftraceStage::context]);
  if (process == InternedIds::none) {
    const auto pid = notes_.number(NoteKey::process);
    process = pid ? work_.process(*pid) : work_.process_of(sequence);
  }
  work.track = work_.track(device, *stream, process);
  work.correlation = notes_.number(NoteKey::correlation).value_or(Launch::no_correlation);
  if (work.correlation == Launch::no_correlation) work.event = event;
  OperationDetail detail;
  if (options_.operation_details) take_launch(sequence, stage.launch, detail);
  work_.take_notes(notes_, sequence, detail, work);
  work_.add(work);
}

/// Names of queues and stages as lists, of older traces.
void PftraceEvents::take_specifications(PftraceSequence& sequence, std::string_view bytes) {
  sequence.old_queues.clear();
  sequence.old_stages.clear();
  WireReader lists(bytes);
  for (WireField list; lists.next(list);) {
    if (list.type != WireType::bytes || (list.number != 2 && list.number != 3)) continue;
    uint32_t text = InternedIds::none;
    WireReader description(list.bytes);
    for (WireField part; description.next(part);) {
      if (part.number == 1 && part.type == WireType::bytes) text = texts_.add(part.bytes);
    }
    (list.number == 2 ? sequence.old_queues : sequence.old_stages).push_back(text);
  }
}

/// The shape of a launch, and what the driver calls its arguments.
void PftraceEvents::take_launch(const PftraceSequence& sequence, std::string_view launch,
                                OperationDetail& detail) const {
  WireReader parts(launch);
  for (WireField part; parts.next(part);) {
    if (part.type != WireType::bytes || part.number < 1 || part.number > 3) continue;
    uint32_t argument = InternedIds::none;
    std::optional<int64_t> value;
    std::string_view argument_name;
    WireReader one(part.bytes);
    for (WireField axis; one.next(axis);) {
      if (part.number < 3) {
        if (axis.type != WireType::varint || axis.number < 1 || axis.number > 3) continue;
        const auto first =
            static_cast<uint32_t>(part.number == 1 ? DetailField::grid_x : DetailField::block_x);
        detail[static_cast<DetailField>(first + axis.number - 1)] = axis.integer();
        continue;
      }
      if (axis.type == WireType::varint && axis.number == 1) {
        argument = sequence.arguments.find(axis.value);
      }
      if (axis.type == WireType::bytes && axis.number == 2) argument_name = axis.bytes;
      if (axis.type == WireType::varint && (axis.number == 3 || axis.number == 4)) {
        value = axis.integer();
      }
    }
    if (part.number != 3 || !value) continue;
    if (argument != InternedIds::none) argument_name = texts_.text(argument);
    const NoteKey key = note_key(argument_name);
    if (key == NoteKey::registers) detail[DetailField::registers] = *value;
    if (key == NoteKey::dynamic_shared) detail[DetailField::dynamic_shared] = *value;
    if (key == NoteKey::static_shared) detail[DetailField::static_shared] = *value;
  }
}

/// Of a queue, whose name may be that of a stream or a lane: `[0060] tp`, `stream 0007`. -1: none.
int64_t PftraceEvents::lane_number(uint32_t queue) {
  if (queue == InternedIds::none) return -1;
  const auto [at, added] = lanes_.try_emplace(queue, -1);
  if (added) {
    const std::string_view name = texts_.text(queue);
    auto number = name.starts_with('[') ? number_after(name, "[") : std::nullopt;
    if (!number) number = number_after(name, "stream ");
    at->second = number ? *number : static_cast<int64_t>(last_queue_++);
  }
  return at->second;
}

void PftraceEvents::counters(const Packet& packet, std::string_view bytes) {
  if (!options_.gpu_metrics) return;
  PftraceSequence& sequence = packet.sequence->state;
  const PftraceCounters* known = nullptr;
  std::optional<int64_t> gpu;
  std::string_view descriptor;
  WireReader message(bytes);
  for (WireField field; message.next(field);) {
    if (field.number == 1 && field.type == WireType::bytes) descriptor = field.bytes;
    if (field.number == 3 && field.type == WireType::varint) gpu = field.integer();
    if (field.number == 4 && field.type == WireType::varint) {
      const uint32_t place = sequence.counters.find(field.value);
      if (place != InternedIds::none) known = &counters_[place];
    }
  }
  const std::pair key(packet.id, gpu.value_or(0));
  if (!descriptor.empty()) {
    PftraceCounters& own = own_counters_[key];
    own.take(descriptor, texts_);
    own.gpu = gpu.value_or(0);
  }
  if (known == nullptr) {
    const auto own = own_counters_.find(key);
    if (own != own_counters_.end()) known = &own->second;
  }
  WireReader values(bytes);
  for (WireField field; values.next(field);) {
    if (field.number != 2 || field.type != WireType::bytes) continue;
    uint64_t id = 0;
    std::optional<double> value;
    WireReader counter(field.bytes);
    for (WireField part; counter.next(part);) {
      if (part.number == 1 && part.type == WireType::varint) id = part.value;
      if (part.number == 2 && part.type == WireType::varint) {
        value = static_cast<double>(part.integer());
      }
      if (part.number == 3 && part.type == WireType::eight_bytes) value = part.real();
    }
    const PftraceCounter* spec = nullptr;
    if (known != nullptr) {
      const auto at = std::ranges::find(known->counters, id, &PftraceCounter::id);
      if (at != known->counters.end()) spec = &*at;
    }
    if (spec == nullptr) {
      drop("GPU metric sample of an unknown metric", packet.offset);
    } else if (!packet.time_ns || *packet.time_ns < 0) {
      drop("GPU metric sample without a valid time", packet.offset);
    } else if (!value || !std::isfinite(*value) || *value < 0) {
      drop("GPU metric sample without a valid value", packet.offset);
    } else {
      const int64_t number = gpu.value_or(known->gpu);
      const bool fits = number >= 0 && number <= std::numeric_limits<int32_t>::max();
      work_.sample(fits ? number : 0, texts_.text(spec->name), spec->looks_ahead,
                   {*packet.time_ns, *value});
    }
  }
}

/// `COPY BYTES to GPU [0] (GPU)`: a value holds from its time on.
void PftraceEvents::track_counter(const Packet& packet, uint32_t track) {
  if (!options_.gpu_metrics || !event_.value) return;
  const std::string& name = tracks_.name(track);
  auto gpu = number_after(name, "GPU [");
  if (!gpu) gpu = number_after(name, "GPU ");
  if (!gpu || *gpu > std::numeric_limits<int32_t>::max()) {
    return drop("sample of a counter that is of no GPU", packet.offset);
  }
  double value = *event_.value;
  if (const auto& counter = tracks_.counter(track)) {
    value *= static_cast<double>(counter->multiplier);
    if (counter->incremental) {
      if (track >= counter_values_.size()) counter_values_.resize(tracks_.size(), 0);
      value += static_cast<double>(counter_values_[track]);
      constexpr double most = 9e18;
      if (std::abs(value) < most) counter_values_[track] = static_cast<int64_t>(value);
    }
  }
  if (!std::isfinite(value) || value < 0) {
    return drop("GPU metric sample without a valid value", packet.offset);
  }
  work_.sample(*gpu, name, true, {std::max(*packet.time_ns, int64_t{0}), value});
}

}  // namespace kr::trace

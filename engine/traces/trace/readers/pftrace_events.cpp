#include "trace/readers/pftrace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "trace/call_sites.hpp"
#include "trace/readers/kineto_arguments.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

void make_room(std::vector<uint32_t>& numbers, uint32_t text, size_t texts) {
  if (text >= numbers.size()) numbers.resize(texts, InternedIds::none);
}

/// A new one, in the place of one that is no more where there is any.
template <class Thing>
uint32_t take_place(std::vector<Thing>& all, std::vector<uint32_t>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<uint32_t>(all.size() - 1);
  }
  const uint32_t place = free.back();
  free.pop_back();
  all[place] = Thing();
  return place;
}

std::optional<int64_t> time_between(int64_t end, int64_t start) {
  int64_t result = 0;
  if (__builtin_sub_overflow(end, start, &result)) return std::nullopt;
  return result;
}

}  // namespace

PftraceEvents::PftraceEvents(const Input& input, TraceBuilder& out)
    : options_(input.options()),
      out_(out),
      notes_(texts_, keys_),
      work_(input.options(), out, tracks_) {}

// Slices of tracks.

SliceClass PftraceEvents::class_of_category(uint32_t text) {
  if (text >= classes_of_categories_.size())
    classes_of_categories_.resize(texts_.size(), UINT8_MAX);
  uint8_t& known = classes_of_categories_[text];
  if (known == UINT8_MAX) {
    known = static_cast<uint8_t>(slice_class_of_category(texts_.text(text)));
  }
  return static_cast<SliceClass>(known);
}

SliceClass PftraceEvents::class_of_name(uint32_t text) {
  if (text == InternedIds::none) return SliceClass::unknown;
  if (text >= classes_of_names_.size()) classes_of_names_.resize(texts_.size(), UINT8_MAX);
  uint8_t& known = classes_of_names_[text];
  if (known == UINT8_MAX) {
    known = static_cast<uint8_t>(slice_class_of_name(texts_.text(text)));
  }
  return static_cast<SliceClass>(known);
}

void PftraceEvents::take_event(const PftraceSequence& sequence, const PftraceTrackEvent& event,
                               const PftracePackets& packets) {
  event_.type = event.type;
  event_.track = event.track.value_or(sequence.default_track);
  event_.name = event.name      ? texts_.add(*event.name)
                : event.name_id ? sequence.names.find(*event.name_id)
                                : InternedIds::none;
  event_.missing_name = event.name_id && event_.name == InternedIds::none;
  event_.value = event.value;
  event_.annotations = packets.annotations(event.annotations);
  event_.submitted = packets.submitted(event.submitted);
  event_.legacy = event.legacy;
  // The first that is known; others say what slices are for as well.
  event_.category.reset();
  for (const PftraceCategory& one : packets.categories(event.categories)) {
    const uint32_t text = one.text ? texts_.add(*one.text) : sequence.categories.find(one.id);
    if (text == InternedIds::none) continue;
    if (!event_.category || *event_.category == SliceClass::ignored) {
      event_.category = class_of_category(text);
    }
  }
}

void PftraceEvents::track_event(const Packet& packet, const PftraceTrackEvent& event,
                                const PftracePackets& packets) {
  take_event(packet.sequence->state, event, packets);
  if (!packet.time_ns) return drop("event without a time that is known", packet.offset);
  if (!event_.legacy.empty() && event_.type == 0) return legacy(packet);
  const uint32_t track = tracks_.find(event_.track);
  if (event_.type == 1) return begin(packet, track, std::nullopt);
  if (event_.type == 2) {
    const PftraceSlices::Mark mark{*packet.time_ns, track, PftraceSlices::none, packet.offset};
    slices_.end(packet.sequence->run, mark,
                [&](uint32_t slice, const PftraceSlices::Mark& end) { whole(slice, end); });
    return;
  }
  if (event_.type == 4) track_counter(packet, track);
}

/// Of the form before tracks, which names its thread.
void PftraceEvents::legacy(const Packet& packet) {
  constexpr int64_t ns_per_us = 1000;
  uint64_t phase = 0;
  std::optional<int64_t> duration_ns;
  int64_t pid = 0;
  int64_t tid = 0;
  WireReader message(event_.legacy);
  for (WireField field; message.next(field);) {
    if (field.type != WireType::varint) continue;
    if (field.number == 2) phase = field.value;
    if (field.number == 18) pid = static_cast<int32_t>(field.value);
    if (field.number == 19) tid = static_cast<int32_t>(field.value);
    if (field.number == 3 && field.integer() >= 0 &&
        field.integer() <= std::numeric_limits<int64_t>::max() / ns_per_us) {
      duration_ns = field.integer() * ns_per_us;
    }
  }
  const uint32_t track =
      pid != 0 || tid != 0 ? tracks_.of_thread(pid, tid) : tracks_.find(event_.track);
  if (phase == 'X' && duration_ns) return begin(packet, track, duration_ns);
  if (phase == 'B') return begin(packet, track, std::nullopt);
  if (phase == 'E') {
    const PftraceSlices::Mark mark{*packet.time_ns, track, PftraceSlices::none, packet.offset};
    slices_.end(packet.sequence->run, mark,
                [&](uint32_t slice, const PftraceSlices::Mark& end) { whole(slice, end); });
  }
}

/// With a duration, it is whole.
void PftraceEvents::begin(const Packet& packet, uint32_t track,
                          std::optional<int64_t> duration_ns) {
  ++events_;
  uint32_t number = take_place(pool_, free_);
  Slice& slice = pool_[number];
  slice.start_ns = *packet.time_ns;
  slice.track = track;
  const bool wanted = read_slice(packet, track, slice);
  if (!wanted || duration_ns) {
    if (wanted) {
      int64_t end_ns = 0;
      const bool fits = !__builtin_add_overflow(slice.start_ns, *duration_ns, &end_ns);
      emit(slice, fits ? std::optional(end_ns) : std::nullopt, packet.offset);
    }
    free_.push_back(number);
    number = PftraceSlices::none;
  }
  if (duration_ns) return;
  slices_.begin(packet.sequence->run, {*packet.time_ns, track, number, packet.offset},
                [&](uint32_t one, const PftraceSlices::Mark& end) { whole(one, end); });
}

/// False: it is not asked for.
bool PftraceEvents::read_slice(const Packet& packet, uint32_t track, Slice& slice) {
  SliceClass what = event_.category.value_or(SliceClass::unknown);
  if (what == SliceClass::unknown) what = class_of_name(event_.name);
  // A call by its word: it submitted something.
  const bool call = !event_.submitted.empty();
  if (call && (what == SliceClass::unknown || what == SliceClass::ignored))
    what = SliceClass::runtime;
  if (what == SliceClass::ignored) return false;
  const bool gpu = what == SliceClass::kernel || what == SliceClass::copy ||
                   what == SliceClass::set || is_own_slice(what);
  const bool asked = options_.host != HostDetail::none;
  if (!gpu && what != SliceClass::unknown) {
    work_.host_slice(packet.sequence->state, track);
    if (!asked) return false;
    if (what == SliceClass::op && !options_.ops && !options_.reference &&
        (event_.name == InternedIds::none ||
         !texts_.text(event_.name).starts_with(slice_step_head))) {
      return false;
    }
    if (what == SliceClass::frame && !is_wanted_frame(event_.name)) return false;
  }
  notes_.clear();
  for (const std::string_view one : event_.annotations) {
    notes_.take_annotation(one, packet.sequence->state);
  }
  if (const uint64_t missing = notes_.missing(); missing > 0) {
    out_.add_dropped("annotation whose name is not in the trace", packet.offset, missing);
  }
  if (what == SliceClass::unknown) {
    // The first form of PyTorch's monitor: what ran on a stream is a slice without a category.
    if (notes_.has(NoteKey::sync_kind)) return false;
    if (notes_.has(NoteKey::device) && notes_.has(NoteKey::stream)) {
      const std::string_view name =
          event_.name != InternedIds::none ? texts_.text(event_.name) : std::string_view();
      what = name.starts_with("Memcpy")   ? SliceClass::copy
             : name.starts_with("Memset") ? SliceClass::set
                                          : SliceClass::kernel;
      return read_operation(packet, what, slice);
    }
    work_.host_slice(packet.sequence->state, track);
    if (notes_.has(NoteKey::python) || event_.name == InternedIds::none) return false;
    if (notes_.has(NoteKey::call)) what = SliceClass::runtime;  // of another name
    const bool op = what == SliceClass::unknown &&
                    (notes_.has(NoteKey::op) || notes_.has(NoteKey::inputs) ||
                     notes_.has(NoteKey::collective) ||
                     texts_.text(event_.name).find("::") != std::string_view::npos);
    if (what == SliceClass::unknown) what = op ? SliceClass::op : SliceClass::annotation;
    if (!asked || (op && !options_.ops && !options_.reference)) return false;
  }
  if (gpu) return read_operation(packet, what, slice);
  return read_host(what, track, slice);
}

int32_t PftraceEvents::device_of_slice() const {
  // `GPU-0`, or a number.
  const auto number = [&](NoteKey key) -> std::optional<int64_t> {
    const NoteValue& value = notes_[key];
    if (value.kind != NoteValue::Kind::text) return value.number();
    return value.text.starts_with("CPU") ? std::nullopt : number_after(value.text, "GPU-");
  };
  std::optional<int64_t> device = notes_.number(NoteKey::device);
  if (!device) device = number(NoteKey::agent);
  if (!device) {
    // A copy to the host has the processor for its destination.
    const bool to_host = event_.name != InternedIds::none &&
                         texts_.text(event_.name).find("DEVICE_TO_HOST") != std::string_view::npos;
    device = number(to_host ? NoteKey::source_agent : NoteKey::destination_agent);
    if (!device) device = number(to_host ? NoteKey::destination_agent : NoteKey::source_agent);
  }
  const bool fits = device && *device >= 0 && *device <= std::numeric_limits<int32_t>::max();
  return fits ? static_cast<int32_t>(*device) : -1;
}

int64_t PftraceEvents::stream_of_slice(uint32_t track) {
  real_streams_ = real_streams_ || notes_.has(NoteKey::original_stream) ||
                  notes_.has(NoteKey::annotated_stream);
  if (notes_.number(NoteKey::graph_node).value_or(0) > 0 && !notes_.others().empty()) {
    lanes_for_streams_ = true;
  }
  std::optional<int64_t> stream = notes_.number(NoteKey::original_stream);
  if (!stream) stream = notes_.number(NoteKey::stream);
  // Proton's rows are named by the stream.
  if (!stream) stream = number_after(tracks_.name(track), "GPU Stream ");
  if (stream) {
    ++with_stream_;
    return *stream;
  }
  ++without_stream_;
  return notes_.number(NoteKey::queue).value_or(0);
}

bool PftraceEvents::read_operation(const Packet& packet, SliceClass what, Slice& slice) {
  slice.what = Slice::What::operation;
  const OperationKind kind = kind_of_slice(what);
  if (event_.missing_name) drop("operation whose name is not in the trace", packet.offset);
  const uint32_t name =
      event_.name != InternedIds::none ? event_.name : texts_.add("(unnamed operation)");
  slice.work = take_place(works_, free_works_);
  PftraceWork::Work& work = works_[slice.work];
  work.name =
      is_own_slice(what) ? out_.name(texts_.text(name), kind) : work_.name(texts_, name, kind);
  const auto own_device = notes_.number(NoteKey::device);
  int32_t device = is_own_slice(what) && own_device && std::in_range<int32_t>(*own_device)
                       ? static_cast<int32_t>(*own_device)
                       : device_of_slice();
  if (device < 0 && !is_own_slice(what)) {
    // Rows of Proton name no device while there is one.
    if (notes_.call_stack().empty()) {
      drop("operation without a device number: assigned to device 0", packet.offset);
    }
    device = 0;
  }
  work.track =
      work_.track(device, stream_of_slice(slice.track), work_.process_of(packet.sequence->state));
  work.correlation = notes_.number(NoteKey::correlation).value_or(Launch::no_correlation);
  slice.dispatch = what == SliceClass::kernel && notes_.has(NoteKey::agent) &&
                   notes_.has(NoteKey::stream) && notes_.has(NoteKey::end_ns);
  OperationDetail detail;
  work_.take_notes(notes_, packet.sequence->state, detail, work);
  slice.begin_ns = notes_.number(NoteKey::begin_ns).value_or(no_time);
  slice.end_ns = notes_.number(NoteKey::end_ns).value_or(no_time);
  return true;
}

/// A module, or, where they are asked for, a call site.
bool PftraceEvents::is_wanted_frame(uint32_t text) const {
  if (text == InternedIds::none) return false;
  const std::string_view name = texts_.text(text);
  return name.starts_with(slice_frame_head) ||
         (options_.call_sites && options_.host == HostDetail::all && is_call_site(name));
}

/// Of a category that is asked for, but maybe not in this detail.
bool PftraceEvents::read_host(SliceClass what, uint32_t track, Slice& slice) {
  if (event_.name == InternedIds::none) return false;
  std::string_view name = texts_.text(event_.name);
  const bool call = what == SliceClass::runtime || what == SliceClass::driver;
  const bool site = what == SliceClass::frame && !name.starts_with(slice_frame_head);
  const bool module = what == SliceClass::frame && !site;
  if (module) name.remove_prefix(slice_frame_head.size());
  if (options_.host == HostDetail::range_names) {
    if (!call &&
        (what != SliceClass::op || options_.reference || name.starts_with(slice_step_head))) {
      out_.range_name(name);
    }
    return false;
  }
  slice.begin_ns = notes_.number(NoteKey::begin_ns).value_or(no_time);
  slice.end_ns = notes_.number(NoteKey::end_ns).value_or(no_time);
  if (site) {
    slice.what = Slice::What::site;
    slice.op = out_.frame(name);
    return true;
  }
  if (call) {
    slice.what = Slice::What::call;
    std::vector<uint32_t>& calls = what == SliceClass::driver ? driver_calls_ : calls_;
    make_room(calls, event_.name, texts_.size());
    uint32_t& known = calls[event_.name];
    if (known == InternedIds::none) {
      known = out_.call({std::string(name), what == SliceClass::driver, {}, {}});
    }
    slice.name = known;
    const auto correlation = notes_.number(NoteKey::correlation);
    slice.correlation = correlation                 ? *correlation
                        : !event_.submitted.empty() ? work_.submitted(track, event_.submitted)
                                                    : Launch::no_correlation;
    return true;
  }
  slice.what = Slice::What::range;
  const bool op = what == SliceClass::op && !name.starts_with(slice_step_head);
  slice.kind = op       ? HostRange::Kind::op
               : module ? HostRange::Kind::module
                        : HostRange::Kind::annotation;
  slice.as_range = !op || options_.reference;
  if (op && options_.ops) add_op(slice);
  if (slice.as_range && notes_.has(NoteKey::range_form)) {
    slice.form = notes_[NoteKey::range_form].text == "push_pop" ? HostRange::Form::push_pop
                                                                : HostRange::Form::start_end;
  }
  if (slice.as_range && (notes_.has(NoteKey::range_domain) || notes_.has(NoteKey::range_text))) {
    slice.name = out_.range_name(name, {std::string(notes_[NoteKey::range_text].text),
                                        std::string(notes_[NoteKey::range_domain].text)});
  } else if (slice.as_range) {
    make_room(range_names_, event_.name, texts_.size());
    uint32_t& known = range_names_[event_.name];
    if (known == InternedIds::none) known = out_.range_name(name);
    slice.name = known;
  }
  return true;
}

void PftraceEvents::add_op(Slice& slice) {
  const std::array<std::string, 4> inputs = notes_.inputs();
  const std::string_view name = texts_.text(event_.name);
  std::string key(name);
  KinetoInputs views;
  for (size_t i = 0; i < inputs.size(); ++i) {
    views[i] = inputs[i];
    key.append(1, '\0').append(inputs[i]);
  }
  slice.op = out_.op(key, {std::string(name), kineto_arguments(views)});
}

void PftraceEvents::whole(uint32_t slice, const PftraceSlices::Mark& end) {
  emit(pool_[slice], end.time_ns, end.offset);
  free_.push_back(slice);
}

void PftraceEvents::emit(Slice& slice, std::optional<int64_t> end_ns, uint64_t offset) {
  // What the writer measured is truer than where it drew it.
  if (slice.begin_ns != no_time && slice.end_ns != no_time) {
    slice.start_ns = slice.begin_ns;
    end_ns = slice.end_ns;
  }
  const auto duration = end_ns ? time_between(*end_ns, slice.start_ns) : std::nullopt;
  if (slice.what == Slice::What::operation) {
    PftraceWork::Work& work = works_[slice.work];
    free_works_.push_back(slice.work);
    work.start_ns = slice.start_ns;
    work.duration_ns = !duration       ? no_duration(TimeFault::too_large)
                       : *duration < 0 ? no_duration(TimeFault::backwards)
                                       : *duration;
    if (slice.start_ns < 0) work.start_ns = no_start(TimeFault::negative);
    if (slice.dispatch && duration && *duration >= 0) see_dispatch(work);
    work_.add(work);
    return;
  }
  if (!duration || *duration < 0 || slice.start_ns < 0) {
    return drop("call or range without a valid time", offset);
  }
  if (slice.what == Slice::What::call) {
    work_.add(Launch{slice.correlation, slice.start_ns, *duration, slice.name, slice.track});
    return;
  }
  if (slice.what == Slice::What::site) {
    return work_.add_frame({slice.start_ns, *end_ns, slice.op, slice.track});
  }
  if (slice.op != PftraceWork::none) {
    work_.add(OpCall{slice.start_ns, *end_ns, slice.op, slice.track});
  }
  if (slice.as_range) {
    work_.add(HostRange{slice.start_ns, *end_ns, slice.name, slice.track, HostRange::none,
                        slice.kind, slice.form});
  }
}

void PftraceEvents::see_dispatch(const PftraceWork::Work& work) {
  if (work.track >= ends_of_dispatches_.size()) ends_of_dispatches_.resize(work.track + 1, no_time);
  int64_t& end_ns = ends_of_dispatches_[work.track];
  ++dispatches_;
  touching_ += end_ns == work.start_ns ? 1 : 0;
  end_ns = work.start_ns + work.duration_ns;
}

std::optional<int64_t> PftraceEvents::number_after(std::string_view text, std::string_view head) {
  const size_t at = text.find(head);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + head.size());
  size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  return integer_from(text.substr(0, digits));
}

void PftraceEvents::finish(std::map<uint64_t, Sequence>& sequences) {
  const auto whole_slice = [&](uint32_t slice, const PftraceSlices::Mark& end) {
    whole(slice, end);
  };
  for (auto& [id, sequence] : sequences) slices_.close(sequence.run, whole_slice);
  slices_.finish(whole_slice, [&](const PftraceSlices::Mark& mark, bool begins) {
    if (begins && mark.slice == PftraceSlices::none) return;  // not asked for
    drop(begins ? "slice that does not end" : "end of a slice that has not begun", mark.offset);
  });
  if (without_stream_ > 0 && with_stream_ == 0) {
    out_.lost_streams(
        "the trace says on which queue of the hardware, or lane of a display, operations ran, not "
        "on which stream");
  } else if (without_stream_ > 0) {
    out_.add_dropped("operation without a stream number: its queue or lane stands for it", 0,
                     without_stream_);
    out_.made_up_streams();
  } else if (lanes_for_streams_ && !real_streams_ && !drawn_on_lanes_) {
    out_.lost_streams(
        "the annotations of CUDA graphs were written into the trace later, which replaces the "
        "streams of their operations by lanes of a display");
  }
  if (drawn_on_lanes_) {
    out_.warn("clamped-durations",
              "Operations are drawn on lanes of a display, not on their streams. The writer ends "
              "each where the next one of its lane begins, so some durations are cut, down to 0: "
              "durations and their sums are lower bounds.");
  }
  if (touching_ > 0) {
    out_.warn(
        "moved-boundaries",
        fmt::format("{} of {} kernels begin exactly where the one before on their stream "
                    "ends. Where two overlapped, rocprofv3 has moved that boundary to the "
                    "middle of both, and the trace does not say where: the durations of "
                    "these are lower bounds. Its CSV, JSON and rocpd have the measured times.",
                    touching_, dispatches_),
        "info");
  }
  work_.finish();
}

}  // namespace kr::trace

// Packets of a Perfetto trace as operations, calls, ranges and samples: slices of tracks
// (TrackEvent), and what GPU drivers write (GpuRenderStageEvent, GpuCounterEvent).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/call_kinds.hpp"
#include "trace/input.hpp"
#include "trace/readers/pftrace_classes.hpp"
#include "trace/readers/pftrace_notes.hpp"
#include "trace/readers/pftrace_packets.hpp"
#include "trace/readers/pftrace_sequence.hpp"
#include "trace/readers/pftrace_slices.hpp"
#include "trace/readers/pftrace_tracks.hpp"
#include "trace/readers/pftrace_work.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class PftraceEvents {
 public:
  PftraceEvents(const Input& input, TraceBuilder& out);

  struct Sequence {
    PftraceSequence state;
    PftraceSlices::Run run;
  };
  /// What every event of a packet has.
  struct Packet {
    uint64_t id;  // of the sequence
    Sequence* sequence;
    std::optional<int64_t> time_ns;
    uint64_t offset;
  };

  void interned(PftraceSequence& sequence, std::string_view data);
  void descriptor(std::string_view bytes) { tracks_.take(bytes); }
  void track_event(const Packet& packet, const PftraceTrackEvent& event,
                   const PftracePackets& packets);
  void render_stage(const Packet& packet, const PftraceStage& stage,
                    std::span<const PftraceExtra> extras);
  void counters(const Packet& packet, std::string_view bytes);
  void finish(std::map<uint64_t, Sequence>& sequences);
  uint64_t events() const noexcept { return events_; }

 private:
  static constexpr int64_t no_time = PftraceSlices::no_time;

  /// A slice that has begun. A whole category of them may be open at once.
  struct Slice {
    enum class What : uint8_t { operation, call, range, site };

    int64_t start_ns = 0;
    int64_t begin_ns = no_time;  // the writer's own
    int64_t end_ns = no_time;
    int64_t correlation = Launch::no_correlation;  // of a call
    uint32_t track = 0;
    uint32_t name = 0;                  // of a range, or a call
    uint32_t op = PftraceWork::none;    // of an op, or a call site
    uint32_t work = PftraceWork::none;  // of an operation, in `works_`
    What what = What::range;
    bool dispatch = false;  // a kernel of rocprofv3
    bool as_range = true;   // of an op: whether it is wanted as a range, too
    HostRange::Kind kind = HostRange::Kind::annotation;
    HostRange::Form form = HostRange::Form::call;
  };
  /// A TrackEvent, in texts and classes.
  struct Event {
    uint64_t type = 0;
    uint64_t track = 0;
    uint32_t name = InternedIds::none;  // a text
    bool missing_name = false;
    std::optional<SliceClass> category;
    std::optional<double> value;
    std::span<const std::string_view> annotations;
    std::span<const uint64_t> submitted;  // ids of render stages
    std::string_view legacy;
  };

  void take_event(const PftraceSequence& sequence, const PftraceTrackEvent& event,
                  const PftracePackets& packets);
  SliceClass class_of_category(uint32_t text);
  SliceClass class_of_name(uint32_t text);
  void begin(const Packet& packet, uint32_t track, std::optional<int64_t> duration_ns);
  void legacy(const Packet& packet);
  bool read_slice(const Packet& packet, uint32_t track, Slice& slice);
  bool read_operation(const Packet& packet, SliceClass what, Slice& slice);
  int32_t device_of_slice() const;
  int64_t stream_of_slice(uint32_t track);
  bool is_wanted_frame(uint32_t text) const;
  bool read_host(SliceClass what, uint32_t track, Slice& slice);
  void whole(uint32_t slice, const PftraceSlices::Mark& end);
  void emit(Slice& slice, std::optional<int64_t> end_ns, uint64_t offset);
  void track_counter(const Packet& packet, uint32_t track);
  void take_specifications(PftraceSequence& sequence, std::string_view bytes);
  void take_launch(const PftraceSequence& sequence, std::string_view launch,
                   OperationDetail& detail) const;
  int64_t lane_number(uint32_t queue);
  /// The number that is after `head`, of any text behind it.
  static std::optional<int64_t> number_after(std::string_view text, std::string_view head);
  void drop(std::string_view what, uint64_t offset) { out_.add_dropped(what, offset); }
  void add_op(Slice& slice);
  void see_dispatch(const PftraceWork::Work& work);

  const OpenOptions& options_;
  TraceBuilder& out_;
  DistinctTexts texts_;
  std::vector<NoteKey> keys_;  // by text
  std::vector<uint8_t> classes_of_categories_, classes_of_names_;
  PftraceTracks tracks_;
  PftraceNotes notes_;
  PftraceWork work_;
  PftraceSlices slices_;
  std::vector<Slice> pool_;
  std::vector<PftraceWork::Work> works_;
  std::vector<uint32_t> free_, free_works_;
  Event event_;
  std::vector<PftraceCounters> counters_;
  std::map<std::pair<uint64_t, int64_t>, PftraceCounters> own_counters_;  // by sequence and GPU
  std::vector<int64_t> counter_values_;                                   // by track
  std::vector<uint32_t> range_names_, calls_, driver_calls_;              // by text
  std::unordered_map<uint32_t, int64_t> lanes_;                           // by queue
  uint64_t events_ = 0;
  uint64_t with_stream_ = 0, without_stream_ = 0;
  bool real_streams_ = false;  // some annotation says where the real stream is
  bool lanes_for_streams_ = false;
  bool drawn_on_lanes_ = false;
  // Kernels of rocprofv3, which names streams since 2025, and the end of the last by track.
  std::vector<int64_t> ends_of_dispatches_;
  uint64_t dispatches_ = 0, touching_ = 0;
  uint64_t last_queue_ = 0;
};

}  // namespace kr::trace

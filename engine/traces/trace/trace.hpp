// A trace as kr stores it: what the GPUs did, in nanoseconds, with every name stored once.
//
// An operation is one record of 24 bytes. Every consumer reads all of its fields, and it is sorted
// in place. A report takes these, and what the host did, where the format has it (see
// docs/performance.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/growing_array.hpp"
#include "base/id.hpp"
#include "base/operation_kind.hpp"
#include "base/warning.hpp"
#include "trace/collectives.hpp"
#include "trace/gpu_metrics.hpp"
#include "trace/host_trace.hpp"
#include "trace/memory.hpp"
#include "trace/ncu_profile.hpp"
#include "trace/operation_details.hpp"
#include "trace/range_names.hpp"
#include "trace/time_fault.hpp"

namespace kr::trace {

struct NameTag;
struct TrackTag;
using NameId = Id<NameTag>;
using TrackId = Id<TrackTag>;

struct Operation {
  int64_t start_ns;
  int64_t duration_ns;
  NameId name;
  TrackId track;

  int64_t end_ns() const noexcept { return start_ns + duration_ns; }
};
static_assert(sizeof(Operation) == 24);

/// A name with the kind of operation it was met as: one spelling of two kinds is two names.
struct OperationName {
  std::string_view text;  // owned by the NameTable; any bytes
  OperationKind kind;
};

/// Where an operation ran.
struct Track {
  int32_t device = 0;
  int64_t stream = 0;
  std::string device_name;  // may be empty
  /// Of a file with several processes, whose devices have nothing to do with each other: its
  /// member (trace/rank_place.hpp). Empty in a finished trace.
  std::string member = {};

  friend auto operator<=>(const Track&, const Track&) = default;
};

/// What a valid source leaves unsaid and the reader had to leave out or make up.
struct DroppedRecords {
  std::string what;  // `kernel name id without a string`
  uint64_t count = 0;
  uint64_t first_offset = 0;  // byte in the decompressed text, or row id of a table
};

/// To the records of the same `what`, where there is one.
void add_dropped(std::vector<DroppedRecords>& dropped, std::string_view what, uint64_t offset,
                 uint64_t count);

/// Distinct (text, kind), numbered in the order first met.
class NameTable {
 public:
  NameId add(std::string_view text, OperationKind kind);
  const OperationName& get(NameId id) const { return names_.get(id); }
  size_t size() const noexcept { return names_.size(); }
  auto begin() const noexcept { return names_.begin(); }
  auto end() const noexcept { return names_.end(); }

 private:
  DistinctTexts texts_;
  std::vector<std::array<NameId, operation_kinds.size()>> ids_;  // by text and kind
  Store<OperationName, NameTag> names_;
};

/// The place of a process in a job that is parallel in several ways, if it is known.
struct RankPlace {
  std::optional<int64_t> data;      // DP
  std::optional<int64_t> expert;    // EP
  std::optional<int64_t> pipeline;  // PP
  std::optional<int64_t> tensor;    // TP

  bool empty() const noexcept { return !data && !expert && !pipeline && !tensor; }
  friend auto operator<=>(const RankPlace&, const RankPlace&) = default;
};

/// What a source says of its process among those of a distributed job.
struct Distributed {
  std::optional<int64_t> rank;        // from 0
  std::optional<int64_t> world_size;  // processes
  std::string backend;                // `nccl`; may be empty
  RankPlace place = {};
  std::string member = {};  // of a file with several processes, what it calls this one: `TP01-DP00`

  friend bool operator==(const Distributed&, const Distributed&) = default;
};

/// What the times of a trace count from.
struct Clock {
  /// To be added to a time to have nanoseconds since 1970, on the clock of its host; nullopt: it
  /// is not known what they count from.
  std::optional<int64_t> utc_ns;

  friend bool operator==(const Clock&, const Clock&) = default;
};

struct Trace {
  std::string source;                  // the path as given, `-` for standard input
  std::string format;                  // `nsys-gpu-trace-csv`, `nsys-sqlite`
  GrowingArray<Operation> operations;  // by start; ties: the longer first, then by name
  /// Places of operations whose time could not be right, rising: their duration is 0, and their
  /// start moves nothing (see trace/time_faults.hpp).
  std::vector<uint32_t> untimed;
  std::string untimed_why = {};  // how many of which; empty: there are none
  NameTable names;
  std::vector<Track> tracks;
  std::vector<DroppedRecords> dropped;
  std::string inexact;  // why times are not exact to the ns; empty: they are
  /// Why streams are not those on which operations ran, but lanes of a display; empty: they are.
  std::string lost_streams;
  std::vector<Warning> warnings;
  Distributed distributed;
  Clock clock;
  std::string model_text;  // what the trace's context says of the model, for `detect`
  /// With HostDetail::all, where the format has calls or ranges of the host.
  std::unique_ptr<HostTrace> host;
  /// With OpenOptions::gpu_metrics, where the format has samples of GPUs; null: there are none.
  std::unique_ptr<GpuMetrics> gpu_metrics;
  /// With OpenOptions::memory, where the format has events of memory; null: there are none.
  std::unique_ptr<Memory> memory;
  /// With OpenOptions::operation_details, where the format has them.
  std::unique_ptr<OperationDetails> details;
  /// With OpenOptions::collectives, where the format says more of them than their names.
  std::unique_ptr<Collectives> collectives;
  /// Of pages of ncu.
  std::unique_ptr<NcuProfile> ncu;
  /// With HostDetail::range_names: the distinct names of ranges, in no order.
  std::vector<std::string> range_names;

  const Track& track(TrackId id) const { return tracks[id.index]; }
  /// First start and last end of all operations; 0 and 0 where there are none.
  int64_t first_start_ns = 0;
  int64_t last_end_ns = 0;
};

struct FaultyOperation;

/// What readers fill. Operations may come in any order; `finish` sorts them, and leaves those out
/// of time whose times cannot be right (trace/time_faults.hpp): readers hand them on, marked where
/// there is no time.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::string source, std::string format);
  /// Of a source whose format is known only once it is read.
  void format(std::string_view name) { trace_.format = name; }

  NameId name(std::string_view text, OperationKind kind) { return trace_.names.add(text, kind); }
  TrackId track(const Track& track);
  /// All tracks so far, for readers that learn of a device's number only at the end.
  std::vector<Track>& tracks() noexcept { return trace_.tracks; }
  /// All operations so far, for readers that learn of the unit of their times only later.
  GrowingArray<Operation>& added() noexcept { return trace_.operations; }
  /// Theirs, with a host trace.
  const GrowingArray<int64_t>& correlations() const noexcept { return correlations_; }
  const NameTable& names() const noexcept { return trace_.names; }
  void add(const Operation& operation) { trace_.operations.push_back(operation); }
  /// Room for a batch of operations; the caller writes all of them.
  Operation* add(size_t count) { return trace_.operations.extend(count); }
  /// The host trace, to be filled in any order. With it, each operation needs a correlation.
  HostTrace& host();
  void clock(const Clock& clock) { trace_.clock = clock; }
  void gpu_metrics(GpuMetrics metrics) {
    trace_.gpu_metrics = std::make_unique<GpuMetrics>(std::move(metrics));
  }
  /// Puts it in order.
  void memory(Memory memory) {
    memory.order();
    trace_.memory = std::make_unique<Memory>(std::move(memory));
  }
  // Numbers of its texts.
  uint32_t call(const HostCall& call);
  uint32_t thread(const HostThread& thread);
  /// The ops, once there are any to add.
  HostOps& ops();
  /// `key` identifies it.
  uint32_t op(std::string_view key, const HostOp& op);
  /// Python's functions likewise, by their names as PyTorch writes them.
  HostOps& frames();
  uint32_t frame(std::string_view name);
  /// Without a host trace, the name is one of Trace::range_names.
  uint32_t range_name(std::string_view name, const RangeText& text = {});
  /// The operation that was added as number `operation` runs a node of a graph that was created
  /// there: a number in HostTrace::creations. At most once for each.
  void created(size_t operation, uint32_t creation);
  /// Of the operations added last: Launch::no_correlation where there is none.
  void add_correlations(const int64_t* values, size_t count);
  /// Once called, each operation needs a detail and its correlation.
  OperationDetails& details();
  void add_details(const uint32_t* details, const uint32_t* correlations, size_t count);
  uint32_t collective_call(const CollectiveCall& call);
  /// Of the operation that was added as number `operation`; in rising order.
  void collective(uint64_t operation, uint32_t call, int64_t sequence);
  void collective_request(const CollectiveRequest& request) {
    trace_.collectives->requests.push_back(request);
  }
  void add_dropped(std::string_view what, uint64_t offset, uint64_t count = 1);
  void warn(std::string code, std::string text, std::string severity = "warning") {
    trace_.warnings.push_back({std::move(code), std::move(text), std::move(severity)});
  }
  void ncu(std::unique_ptr<NcuProfile> profile) { trace_.ncu = std::move(profile); }
  void inexact(std::string why) { trace_.inexact = std::move(why); }
  /// What cannot be right is an Error.
  void strict() noexcept { strict_ = true; }
  /// Some operations have no stream of their own: what a stream has may overlap.
  void made_up_streams() noexcept { known_streams_ = false; }
  /// As Trace::lost_streams.
  void lost_streams(std::string why) {
    known_streams_ = false;
    trace_.lost_streams = std::move(why);
  }
  /// Times count from the first of them: a start of 0 is one like others.
  void times_from_zero() noexcept { from_zero_ = true; }
  Distributed& distributed() noexcept { return trace_.distributed; }
  void model_text(std::string text) { trace_.model_text = std::move(text); }
  size_t operations() const noexcept { return trace_.operations.size(); }

  Trace finish() &&;
  /// One trace for each member of a merged source (see Track::member), in the order of their
  /// places; one where it has no members. What was dropped and warned of is in the first.
  std::vector<Trace> finish_members() &&;

 private:
  friend class MemberSplit;
  class NumberRead;
  void check_numbered() const;
  void sort_numbered();
  std::vector<FaultyOperation> find_faulty(const uint32_t* tracks);
  void leave_out_of_time(const std::vector<FaultyOperation>& faulty, const uint32_t* tracks);
  void place_untimed();
  [[noreturn]] void refuse(const FaultyOperation& faulty, const uint32_t* tracks) const;
  void note_untimed(const std::vector<FaultyOperation>& faulty, const uint32_t* tracks);
  std::string shown(const Operation& operation, const uint32_t* tracks) const;
  void link(const NumberRead& numbers);
  void place_collectives(const NumberRead& numbers);

  Trace trace_;
  GrowingArray<int64_t> correlations_;  // by operation, where there is a host trace
  GrowingArray<uint32_t> creation_of_;  // by operation, where there is any
  std::map<Track, TrackId> tracks_;
  std::map<HostCall, uint32_t> calls_;
  std::map<HostThread, uint32_t> threads_;
  std::map<CollectiveCall, uint32_t> collective_calls_;
  DistinctRangeNames range_names_;
  DistinctTexts op_keys_;
  DistinctTexts frame_names_;
  bool strict_ = false;
  bool known_streams_ = true;
  bool from_zero_ = false;
};

}  // namespace kr::trace

// What a Perfetto trace was found to contain, until its end says which process is which:
// operations, calls, ranges and samples with numbers of tracks and processes that become the
// trace's own then.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/open.hpp"
#include "trace/operation_places.hpp"
#include "trace/readers/pftrace_notes.hpp"
#include "trace/readers/pftrace_sequence.hpp"
#include "trace/readers/pftrace_tracks.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class PftraceWork {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  PftraceWork(const OpenOptions& options, TraceBuilder& out, const PftraceTracks& tracks);

  struct Work {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    NameId name;
    uint32_t track = none;  // of `track`
    int64_t correlation = Launch::no_correlation;
    std::optional<uint64_t> event;  // its id, where there is no correlation
    uint32_t detail = 0;
    uint32_t place = none;  // of `place`
    uint32_t collective = none;
    int64_t sequence = CollectiveOperation::no_sequence;
  };

  bool all_of_host() const noexcept { return options_.host == HostDetail::all; }
  const OpenOptions& options() const noexcept { return options_; }
  TraceBuilder& out() noexcept { return out_; }

  // Processes. What says none of its own has that of the host's slices in its sequence.

  uint32_t process(int64_t pid);
  uint32_t process_of(PftraceSequence& sequence);
  void host_slice(PftraceSequence& sequence, uint32_t track);

  /// By its text, and cut to what the kernel is called.
  NameId name(const DistinctTexts& texts, uint32_t text, OperationKind kind);
  uint32_t track(int32_t device, int64_t stream, uint32_t process);
  /// Of the notes: what is wanted of details, places and collectives.
  void take_notes(const PftraceNotes& notes, const PftraceSequence& sequence,
                  OperationDetail& detail, Work& work);
  void add(const Work& work);
  /// Threads are tracks, until the end.
  void add(const Launch& launch) { out_.host().launches.push_back(launch); }
  void add(const HostRange& range) { out_.host().ranges.push_back(range); }
  void add(const OpCall& call) { out_.ops().calls.push_back(call); }
  void add_frame(const OpCall& call) { out_.frames().calls.push_back(call); }
  /// A call that names what it submitted; returns the correlation of both.
  int64_t submitted(uint32_t track, std::span<const uint64_t> events);
  void sample(int64_t gpu, std::string_view name, bool looks_ahead, const MetricSample& sample);

  void finish();

 private:
  struct Process {
    std::optional<int64_t> pid;
    uint32_t track = none;  // the first of the host's slices
    uint32_t last = none;   // the last of them
  };
  struct OwnTrack {
    int32_t device;
    int64_t stream;
    uint32_t process;

    friend auto operator<=>(const OwnTrack&, const OwnTrack&) = default;
  };
  struct PlaceLevels {
    std::vector<std::pair<HostRange::Kind, std::string>> levels;
  };
  struct Metric {
    GpuMetric metric;
    bool looks_ahead;
  };

  uint32_t place_of(const PftraceNotes& notes, const PftraceSequence& sequence);
  std::optional<int64_t> pid_of(const Process& process) const;
  void find_members();
  std::string member_of(const std::optional<int64_t>& pid) const;
  void finish_tracks();
  void finish_links();
  void finish_threads();
  void finish_places();
  void finish_metrics();

  const OpenOptions& options_;
  TraceBuilder& out_;
  const PftraceTracks& tracks_;
  std::vector<Process> processes_;
  std::map<int64_t, uint32_t> process_numbers_;
  std::vector<OwnTrack> own_;
  std::map<OwnTrack, uint32_t> own_numbers_;
  uint32_t last_own_ = none;
  std::vector<std::array<NameId, operation_kinds.size()>> names_;  // by text
  GrowingArray<int64_t> correlations_;                             // by operation
  struct EventOf {
    uint64_t operation;
    uint64_t event;
  };
  std::vector<EventOf> events_;
  struct Submission {
    uint64_t event;
    uint32_t track;
    int64_t correlation;
  };
  std::vector<Submission> submissions_;
  int64_t next_submission_ = INT64_MIN + 1;
  std::map<std::string, uint32_t, std::less<>> place_numbers_;
  std::vector<PlaceLevels> places_;
  std::vector<std::pair<uint64_t, uint32_t>> place_of_operation_;
  std::map<std::pair<int64_t, std::string>, Metric, std::less<>> metrics_;
  std::map<int64_t, std::string> members_;    // by pid; empty: the trace is of one process
  std::vector<std::optional<int64_t>> pids_;  // by process
};

}  // namespace kr::trace

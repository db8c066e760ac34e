// What each stream of a device did, and what ran at once.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyze/concurrency.hpp"
#include "facts/fact.hpp"

namespace kr::analyze {

/// A stream with operations.
struct StreamUse {
  int32_t device = 0;
  int64_t stream = 0;
  int64_t operations = 0;
  int64_t total_ns = 0;
  int64_t span_ns = 0;
  int64_t busy_ns = 0;  // of the union of its operations
  int64_t longest_gap_ns = 0;

  int64_t idle_ns() const noexcept { return span_ns - busy_ns; }
};

/// All streams of a run.
struct StreamUses {
  static facts::Computed<StreamUses> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<StreamUse> streams;    // by device, then stream
  std::vector<Concurrency> devices;  // by device
};

/// `kinds` is by row of the labels (kinds_by_row).
StreamUses measure_streams(const trace::Trace& trace, const classify::Labelled& labelled,
                           const std::vector<Kind>& kinds);

/// What the streams of a device, of several devices, or of several runs did: sums, which add up
/// from each to the next.
struct StreamTotals {
  int64_t devices = 0;
  int64_t streams = 0;
  int64_t operations = 0;
  int64_t total_ns = 0;
  int64_t stream_busy_ns = 0;    // of each stream
  int64_t stream_idle_ns = 0;    // of each stream, within its span
  int64_t busy_ns = 0;           // of each device
  int64_t communication_ns = 0;  // in which a stream communicates, of each stream
  int64_t overlap_ns = 0;        // of this, while any stream of its device computes
  int64_t max_at_once = 0;       // operations of a device

  void add(const StreamTotals& other) noexcept;
  friend bool operator==(const StreamTotals&, const StreamTotals&) = default;
};

/// By device.
std::vector<std::pair<int32_t, StreamTotals>> total_streams(const StreamUses& uses);

}  // namespace kr::analyze

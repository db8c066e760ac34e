// How many operations of a device ran at once, and what computed while it communicated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/sweep.hpp"
#include "classify/classify.hpp"
#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// Of one device, whose times are those of its span.
struct Concurrency {
  int32_t device = 0;
  std::vector<int64_t> in_flight_ns;  // by the number of operations that ran; the sum is the span

  /// Communication of one stream, and what computed at the same time: one stream, or any of them.
  struct Overlap {
    int64_t communication_stream = 0;
    std::optional<int64_t> compute_stream;  // nullopt: any
    int64_t communication_ns = 0;           // in which the first communicates
    int64_t overlap_ns = 0;                 // of these, in which the other computes
  };
  /// By stream; the one without a compute stream first. Only pairs that have time in common.
  std::vector<Overlap> overlaps;

  /// A part of the span. All have the same length, but the last.
  struct Bin {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t operation_ns = 0;  // of all operations within it
    int64_t most = 0;          // that ran at once
  };
  std::vector<Bin> bins;  // at most `max_bins`

  static constexpr int64_t max_bins = 100;
};

/// In saved runs.
void save_concurrency(facts::Fields& io, const RunSummary& run, Concurrency& one);

/// By device. `kinds` is by row of the labels (kinds_by_row).
std::vector<Concurrency> measure_concurrency(const trace::Trace& trace,
                                             const classify::Labelled& labelled,
                                             const std::vector<Kind>& kinds);

}  // namespace kr::analyze

// What each stream of each device ran over the span of a run, in a size that does not depend on the
// number of operations.
//
// If all operations fit, a timeline has them. Otherwise it has bins of one width, a power of two of
// ns, with exact times: the sum over all bins is the sum of durations, and wider bins are sums of
// these. There are two sets of bins: the time of every name, and, in narrower ones, the time of
// names with the same labels together. A dimension with many labels is not among the latter's.
//
// Times are from the first start of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analyze/run.hpp"

namespace kr::timeline {

/// One stream of a device.
struct Lane {
  int32_t device = 0;
  int64_t stream = 0;
};

/// An operation that takes time.
struct Interval {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  uint32_t lane = 0;  // in Timeline::lanes
  uint32_t name = 0;  // in RunSummary::names
};

/// Not a name: the time in which any operation ran on a device, at the first lane of the device.
inline constexpr uint32_t busy = std::numeric_limits<uint32_t>::max();

/// The time of one name in one bin. Operations that overlap on a lane all count.
struct Part {
  uint32_t lane = 0;
  uint32_t name = 0;  // in RunSummary::names, or `busy`
  int64_t ns = 0;
};

struct Bin {
  int64_t number = 0;  // it begins at number * Bins::width_ns
  size_t first = 0;    // in Bins::parts; the parts end where those of the next bin begin
};

/// Empty if there are too many names: even bins of a 64th of the span take more than the limit.
struct Bins {
  int64_t width_ns = 0;
  std::vector<Bin> bins;  // by number; those in which anything ran
  std::vector<Part> parts;
};

/// From the first start to the last end of the operations of a step or a layer on one device, or
/// of several that follow each other, if there are too many.
struct Band {
  int32_t device = 0;
  uint32_t row = 0;  // `layer_row`, or the number of steps that enclose it
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  uint32_t phase = 0;   // in Timeline::phases; `no_phase` for layers and different phases
  int64_t number = -1;  // of the step or layer, the first of several; -1: it has none
  uint32_t count = 1;   // of steps or layers
};
inline constexpr uint32_t layer_row = 3;  // steps that more steps enclose have no bands
inline constexpr uint32_t no_phase = std::numeric_limits<uint32_t>::max();

struct Timeline {
  int64_t span_ns = 0;               // to the last end
  std::vector<Lane> lanes;           // by device and stream; those with operations
  size_t omitted_lanes = 0;          // beyond Limits::lanes: those with the least time
  bool is_exact = false;             // it has `operations`, otherwise `bins`
  std::vector<Interval> operations;  // by start
  Bins by_name;
  Bins by_labels;  // a part's name is the first with the same labels in `label_dimensions`
  std::vector<std::string> label_dimensions;  // empty: no two names share these labels
  std::vector<std::string> phases;
  std::vector<Band> bands;  // by device, row and start
};

struct Limits {
  size_t bytes = 2'000'000;  // of all that is packed
  size_t lanes = 256;
};

/// `summary` is that of the run. One pass over the operations, after one that finds the lanes.
/// Memory depends on `limits`, names and steps, not on the number of operations, but for that of
/// the attribution.
Timeline make(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
              const analyze::RunSummary& summary, const Limits& limits);

/// Numbers of 7 bits per byte, the lowest first; the highest bit is set in all bytes of a number
/// but the last. A place is (name + 1) * lanes + lane, or the lane for `busy`.
///   operations: for each its start minus that of the one before, its duration, its place
///   bins: for each its number minus that of the one before, the number of its parts, and for each
///         of these its place and ns
std::string packed_operations(const Timeline& timeline);
std::string packed_bins(const Bins& bins, size_t lanes);

/// Bands in groups of one device and row, written as above: device, row, number of bands, and for
/// each its start minus that of the one before, its length, phase + 1, number + 1 (0: none), count.
/// The device is its place among those of the lanes.
std::string packed_bands(const Timeline& timeline);

}  // namespace kr::timeline

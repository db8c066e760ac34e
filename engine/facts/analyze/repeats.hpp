// The repeats of the block that takes most of the time of a run without steps: equal work, of which
// a run has many, as it has steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/run.hpp"
#include "base/warning.hpp"

namespace kr::analyze {

/// One repeat, of all of its kernels, which ran on one stream.
struct BlockRepeat {
  int64_t period = 0;  // kernels of the repeat
  int32_t device = 0;
  int64_t start_ns = 0;
  /// To the start of the next repeat; nothing of the last one in a row.
  std::optional<int64_t> wall_ns;
  int64_t busy_ns = 0;   // of the union of its kernels
  int64_t total_ns = 0;  // the sum of their durations
};

struct Repeats {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<Repeats> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  /// See find_repeats. Of a saved run with very many a sample.
  std::vector<BlockRepeat> all;
  // Of all of them, in the sample or not.
  int64_t count = 0;
  int64_t total_ns = 0;

  bool is_sample() const noexcept { return count > static_cast<int64_t>(all.size()); }
};

/// Repeats as a saved run keeps them, and what is to be said of them, if there are too many to keep
/// each of them.
std::optional<std::pair<Repeats, Warning>> with_sample(const Repeats& repeats);

/// By start. Empty: the run has steps, or no block has half of its time. Blocks of the same kernels
/// are one block, on all streams, devices and launches of graphs.
std::vector<BlockRepeat> find_repeats(const trace::Trace& trace,
                                      const classify::Attribution& attribution);

}  // namespace kr::analyze

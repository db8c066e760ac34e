// What a change of time consists of: more or fewer calls, other names, more or less time per call.
#pragma once

#include <cstdint>
#include <span>

namespace kr::changes {

/// Of one run.
struct Amount {
  int64_t instances = 0;
  int64_t total_ns = 0;

  /// Throws Error where a sum exceeds 64 bits.
  Amount& operator+=(const Amount& other);
};

/// The same label or name in two runs; a run without it has 0.
struct Pair {
  Amount a;
  Amount b;

  int64_t change_ns() const noexcept { return b.total_ns - a.total_ns; }
};

/// Adds up to the change, to the ns. The parts of a label are the sums of those of its names, and
/// those of a run are the sums of those of its labels, as long as a name has one label in both
/// runs.
struct Parts {
  /// Of names that both runs have: what the change would be if each call of the second run took as
  /// long as the mean call of its name in the first.
  int64_t calls_ns = 0;
  /// All time of names that only the second run has, less that of names that only the first has.
  int64_t names_ns = 0;
  /// Of names that both have: what comes from calls that take more or less time.
  int64_t time_per_call_ns = 0;
};

/// `names` are the names of one label, or a single name. Parts are at most 2^61 ns, which is 73
/// years.
Parts parts_of(std::span<const Pair> names);

}  // namespace kr::changes

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

/// Adds up to the change, to the ns.
struct Parts {
  /// What the change would be if each call of the second run took as long as the mean call of the
  /// first. Where only one run has calls, all of the change.
  int64_t calls_ns = 0;
  /// What comes from calls of other names, or of the same in other numbers, each as long as in the
  /// first run. A name that only the second run has counts here with all that its calls differ
  /// from the mean call of the first run.
  int64_t mix_ns = 0;
  /// What comes from calls of the same name that take more or less time.
  int64_t time_per_call_ns = 0;
};

/// `names` are the names of one label, or a single name. Parts are at most 2^61 ns, which is 73
/// years.
Parts parts_of(std::span<const Pair> names);

}  // namespace kr::changes

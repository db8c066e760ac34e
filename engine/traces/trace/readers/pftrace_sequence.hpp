// What packets of a Perfetto trace refer to: the state of each sequence of packets (interned
// things, defaults, clocks of its own), and the clocks that all share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {

using WireType = WireField::Type;

/// By the id that a sequence gave it, the number of an interned thing.
class InternedIds {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  void set(uint64_t id, uint32_t number) {
    ++count_;
    // Ids mostly count up. What a few large ones need may not be more than they take in the file.
    if (id >= dense_.size() && id < 4 * count_ + 64) {
      dense_.resize(static_cast<size_t>(id) + 1, none);
    }
    if (id < dense_.size()) {
      dense_[static_cast<size_t>(id)] = number;
    } else {
      sparse_[id] = number;
    }
  }
  uint32_t find(uint64_t id) const {
    if (id < dense_.size() && dense_[static_cast<size_t>(id)] != none) {
      return dense_[static_cast<size_t>(id)];
    }
    if (sparse_.empty()) return none;
    const auto at = sparse_.find(id);
    return at != sparse_.end() ? at->second : none;
  }
  void clear() {
    dense_.clear();
    sparse_.clear();
    count_ = 0;
  }

 private:
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
  uint64_t count_ = 0;
};

/// The name of one counter, and how its values are to be read.
struct PftraceCounter {
  uint64_t id = 0;
  uint32_t name = InternedIds::none;  // a text
  bool looks_ahead = false;           // a value holds from its time on, not until it
};
struct PftraceCounters {
  std::vector<PftraceCounter> counters;
  int64_t gpu = 0;

  void take(std::string_view descriptor, DistinctTexts& texts);
};

/// One of the clocks that count only within a sequence.
struct SequenceClock {
  int64_t to_boot_ns = 0;  // to be added
  int64_t last_ns = 0;     // of an incremental clock: the time so far
  int64_t unit_ns = 1;
  bool incremental = false;
};

/// Times are those of Perfetto's clock BOOTTIME, or what the file uses as such.
class PftraceClocks {
 public:
  static constexpr uint64_t realtime = 1;
  static constexpr uint64_t boottime = 6;

  static constexpr bool of_sequence(uint64_t clock) noexcept { return clock >= 64 && clock < 128; }
  /// Takes a ClockSnapshot of a sequence, whose own clocks are begun anew.
  void take(std::string_view snapshot, std::map<uint64_t, SequenceClock>& own);
  /// Nullopt: no snapshot says what the clock has to do with the others, or it does not fit.
  std::optional<int64_t> time(uint64_t clock, uint64_t timestamp) const;
  /// What is to be added to a time to have ns since 1970.
  std::optional<int64_t> utc_ns() const noexcept { return utc_ns_; }

 private:
  std::map<uint64_t, int64_t> to_boot_ns_;
  std::optional<int64_t> utc_ns_;
};

struct PftraceSequence {
  /// What was interned is known. It is not before it was cleared for the first time, and not after
  /// a packet was lost.
  bool valid = false;
  // Texts, but contexts (processes) and counters (places in a list of all).
  InternedIds categories, names, keys, strings, stages, kernels, arguments, contexts, counters;
  std::optional<uint64_t> default_clock;
  uint64_t default_track = 0;
  std::map<uint64_t, SequenceClock> clocks;
  // Names of older traces, by place.
  std::vector<uint32_t> old_queues, old_stages;
  uint32_t epoch = InternedIds::none;  // the process of the calls: PftraceWork::process_of
  // The clock that was asked for last.
  uint64_t last_id = 0;
  SequenceClock* last_clock = nullptr;

  void clear();
  void take_defaults(std::string_view defaults);
  std::optional<int64_t> time(const PftraceClocks& clocks, std::optional<uint64_t> clock,
                              uint64_t timestamp);
};

}  // namespace kr::trace

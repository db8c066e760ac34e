// Unions of intervals in order of start, in constant memory. It is enough to know the end of the
// covered time: until the next start, the covered time of each class is one interval that begins
// now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace kr::analyze {

/// The classes of the dimension `kind`.
enum class Kind : uint8_t { compute, communication, memory };

inline Kind kind_from(std::string_view label) noexcept {
  if (label == "communication") return Kind::communication;
  return label == "memory" ? Kind::memory : Kind::compute;
}

/// The union of intervals that are added in order of start.
class UnionSweep {
 public:
  /// The length of the part of [start, end) that no earlier interval covers.
  int64_t add(int64_t start, int64_t end) noexcept {
    const int64_t fresh = std::max<int64_t>(0, end - std::max(start, covered_to_));
    covered_to_ = std::max(covered_to_, end);
    covered_ += fresh;
    return fresh;
  }
  int64_t covered_ns() const noexcept { return covered_; }
  /// End of the last interval.
  int64_t covered_to() const noexcept { return covered_to_; }

 private:
  // Far below any time, so that differences do not overflow.
  int64_t covered_to_ = std::numeric_limits<int64_t>::min() / 4;
  int64_t covered_ = 0;
};

/// The time from the first start to the last end of operations, by activity:
/// span = compute + exposed communication + exposed memory + idle = busy + idle.
struct Breakdown {
  int64_t operations = 0;
  int64_t span_ns = 0;
  int64_t busy_ns = 0;
  int64_t compute_ns = 0;
  int64_t communication_ns = 0;
  int64_t exposed_communication_ns = 0;
  int64_t memory_ns = 0;
  int64_t exposed_memory_ns = 0;
  int64_t idle_ns = 0;

  friend bool operator==(const Breakdown&, const Breakdown&) = default;
};

/// Adds the operations of one device, or of one step.
class DeviceSweep {
 public:
  /// In order of start. Returns the part that no earlier operation of this device covers.
  int64_t add(Kind kind, int64_t start, int64_t end) noexcept {
    if (operations_++ == 0) first_ = now_ = start;
    advance(start);
    of(kind).add(start, end);
    return all_.add(start, end);
  }
  /// After the last operation: adds the time to the end of the span.
  void finish() noexcept {
    if (operations_ > 0) advance(all_.covered_to());
  }

  /// Of the first operation; 0 where there is none.
  int64_t first_start_ns() const noexcept { return first_; }
  /// After `finish`.
  Breakdown breakdown() const noexcept {
    return {.operations = operations_,
            .span_ns = operations_ > 0 ? all_.covered_to() - first_ : 0,
            .busy_ns = all_.covered_ns(),
            .compute_ns = compute_.covered_ns(),
            .communication_ns = communication_.covered_ns(),
            .exposed_communication_ns = exposed_communication_,
            .memory_ns = memory_.covered_ns(),
            .exposed_memory_ns = exposed_memory_,
            .idle_ns = idle_};
  }

 private:
  UnionSweep& of(Kind kind) noexcept {
    if (kind == Kind::communication) return communication_;
    return kind == Kind::memory ? memory_ : compute_;
  }

  /// Adds [now, to): first compute covers it, then communication is exposed, then memory, and then
  /// the device is idle.
  void advance(int64_t to) noexcept {
    int64_t at = now_;
    const auto up_to = [&](int64_t covered_to) {
      const int64_t stop = std::clamp(covered_to, at, to);
      const int64_t length = stop - at;
      at = stop;
      return length;
    };
    up_to(compute_.covered_to());
    exposed_communication_ += up_to(communication_.covered_to());
    exposed_memory_ += up_to(memory_.covered_to());
    idle_ += to - at;
    now_ = to;
  }

  UnionSweep compute_, communication_, memory_, all_;
  int64_t operations_ = 0;
  int64_t first_ = 0;
  int64_t now_ = 0;
  int64_t exposed_communication_ = 0;
  int64_t exposed_memory_ = 0;
  int64_t idle_ = 0;
};

}  // namespace kr::analyze

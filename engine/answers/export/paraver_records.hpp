// Records of a Paraver trace before they are text, and their order.
#pragma once

#include <cstdint>
#include <tuple>

namespace kr::exports {

/// 56 bytes. Numbers of labels are those of ParaverLabels, 0 where there is none.
struct ParaverRecord {
  /// At one time: ends come before begins, and what has no length is between them.
  enum class Order : uint8_t { end, whole, begin, communication };
  enum class Kind : uint8_t {
    kernel,
    collective,
    copy,
    call,
    range,   // an annotation of the host
    module,  // the same of a module
    metric,
    in_flight,
    kernel_launch,
    copy_launch,
  };
  static constexpr int64_t none = INT64_MIN;

  int64_t time_ns = 0;
  uint32_t row = 0;  // in ParaverRows
  Order order = Order::begin;
  Kind kind = Kind::kernel;
  uint16_t unused = 0;
  /// Of the type of its kind; of a metric its type; of kernels in flight the phase, 0: all; of a
  /// launch the other row.
  uint32_t value = 0;
  uint32_t labels = 0;  // of the operation in all dimensions
  uint32_t phase = 0;
  uint32_t layer = 0;
  uint32_t module = 0;
  uint32_t domain = 0;    // of a range
  int64_t number = none;  // correlation; the value of a metric or count; of a launch the other time
  int64_t bytes = none;   // of a copy or set
};
static_assert(sizeof(ParaverRecord) == 56);

/// Total, but for records that are equal.
struct ParaverOrder {
  bool operator()(const ParaverRecord& a, const ParaverRecord& b) const noexcept {
    if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
    return std::tie(a.order, a.row, a.value, a.number, a.labels, a.bytes, a.kind) <
           std::tie(b.order, b.row, b.value, b.number, b.labels, b.bytes, b.kind);
  }
};

}  // namespace kr::exports

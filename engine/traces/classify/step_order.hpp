// Which step follows which: what the wall time of a step is measured by, in every result.
//
// A turn of the engine's loop is one step, however many annotations enclose it or are inside it: of
// nested annotations the outermost counts. The wall time of a step lasts from the start of its
// first operation to the start of the first operation of the next step, so wall times add up to the
// run, with the idle time between steps. The last step has none.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "classify/attribution.hpp"
#include "classify/enclosing_steps.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

class StepOrder {
 public:
  StepOrder(const trace::Trace& trace, const Attribution& attribution);

  /// Of the same thread, by the first start of operations. Attribution::none: the step is inside
  /// another one, launched nothing, is the last, or was cut (HostTrace::cut_steps).
  uint32_t next(size_t step) const noexcept { return next_[step]; }
  /// The outermost step around a step: itself, if none is around it.
  uint32_t outermost(size_t step) const noexcept { return enclosing_.outermost(step); }
  const EnclosingSteps& enclosing() const noexcept { return enclosing_; }
  size_t steps() const noexcept { return next_.size(); }

 private:
  EnclosingSteps enclosing_;
  std::vector<uint32_t> next_;
};

/// The first start of the operations of each outermost step, for times other than the measured
/// ones, too. The order and the attribution have to outlive it.
class StepStarts {
 public:
  StepStarts(const StepOrder& order, const Attribution& attribution)
      : order_(order), attribution_(attribution), first_ns_(order.steps(), not_begun) {}

  void add(size_t operation, int64_t start_ns) noexcept {
    const uint32_t step = attribution_.step_of[operation];
    if (step == Attribution::none) return;
    int64_t& first_ns = first_ns_[order_.outermost(step)];
    first_ns = first_ns < start_ns ? first_ns : start_ns;
  }
  /// After all operations.
  std::optional<int64_t> wall_ns(size_t step) const noexcept {
    const uint32_t next = order_.next(step);
    if (next == Attribution::none) return std::nullopt;
    return first_ns_[next] - first_ns_[step];
  }

 private:
  static constexpr int64_t not_begun = std::numeric_limits<int64_t>::max();
  const StepOrder& order_;
  const Attribution& attribution_;
  std::vector<int64_t> first_ns_;
};

}  // namespace kr::classify

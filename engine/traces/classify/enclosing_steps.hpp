// Which steps enclose a step. Nothing else follows the outer steps of steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kr::classify {

/// An operation counts for at most this many steps, the innermost ones. Real traces have two or
/// three.
inline constexpr size_t max_enclosing_steps = 64;

/// Memory: 4 bytes per step and step that encloses it, and 12 more per step.
class EnclosingSteps {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  /// `steps` has a size and steps by place. A step has a member `outer`, the place of the step that
  /// encloses it, if there is one. That step began earlier, and so comes before it.
  template <class Steps>
  explicit EnclosingSteps(const Steps& steps) {
    ends_.reserve(steps.size());
    outermost_.reserve(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) add(place(steps[i].outer));
  }

  size_t size() const noexcept { return outermost_.size(); }
  /// The step itself, then those that enclose it, outwards: at most `max_enclosing_steps` in all.
  std::span<const uint32_t> of(size_t step) const noexcept {
    const size_t begin = step == 0 ? 0 : ends_[step - 1];
    return {steps_.data() + begin, ends_[step] - begin};
  }
  /// `none`: it is an outermost step.
  uint32_t outer(size_t step) const noexcept {
    const std::span<const uint32_t> own = of(step);
    return own.size() > 1 ? own[1] : none;
  }
  /// Itself, if no step encloses it.
  uint32_t outermost(size_t step) const noexcept { return outermost_[step]; }
  /// Whether `is` holds for a step that encloses it, besides itself.
  template <class Is>
  bool is_inside(size_t step, const Is& is) const {
    const std::span<const uint32_t> outwards = of(step).subspan(1);
    return std::any_of(outwards.begin(), outwards.end(), is);
  }
  /// Whether more steps enclose it than `of` has.
  bool is_cut(size_t step) const noexcept { return of(step).back() != outermost_[step]; }

 private:
  static uint32_t place(uint32_t outer) noexcept { return outer; }
  static uint32_t place(const std::optional<size_t>& outer) noexcept {
    return outer ? static_cast<uint32_t>(*outer) : none;
  }

  void add(uint32_t outer) {
    const auto step = static_cast<uint32_t>(size());
    steps_.push_back(step);
    if (outer != none) {
      const size_t begin = outer == 0 ? 0 : ends_[outer - 1];
      const size_t end = std::min(ends_[outer], begin + max_enclosing_steps - 1);
      for (size_t i = begin; i < end; ++i) steps_.push_back(steps_[i]);
    }
    ends_.push_back(steps_.size());
    outermost_.push_back(outer == none ? step : outermost_[outer]);
  }

  std::vector<uint32_t> steps_;  // of all, one after the other
  std::vector<size_t> ends_;     // by step: where its part of `steps_` ends
  std::vector<uint32_t> outermost_;
};

}  // namespace kr::classify

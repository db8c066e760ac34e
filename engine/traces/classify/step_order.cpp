#include "classify/step_order.hpp"

#include <map>
#include <utility>

namespace kr::classify {

StepOrder::StepOrder(const trace::Trace& trace, const Attribution& attribution)
    : next_(attribution.steps.size(), Attribution::none) {
  outermost_.reserve(next_.size());
  for (uint32_t i = 0; i < next_.size(); ++i) {
    // An enclosing step began earlier.
    const uint32_t outer = attribution.steps[i].outer;
    outermost_.push_back(outer == Attribution::none ? i : outermost_[outer]);
  }
  // Operations are in order of start: the first of a step begins it.
  std::vector<bool> begun(next_.size());
  std::map<uint32_t, uint32_t> last;  // by thread
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    if (attribution.step_of[i] == Attribution::none) continue;
    const uint32_t step = outermost_[attribution.step_of[i]];
    if (begun[step]) continue;
    begun[step] = true;
    const uint32_t thread = trace.host->ranges[attribution.steps[step].range].thread;
    const auto [before, first] = last.try_emplace(thread, step);
    if (!first) next_[std::exchange(before->second, step)] = step;
  }
}

}  // namespace kr::classify

#include "classify/step_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kr::classify {

StepOrder::StepOrder(const trace::Trace& trace, const Attribution& attribution)
    : enclosing_(attribution.steps), next_(attribution.steps.size(), Attribution::none) {
  // Operations are in order of start: the first of a step begins it.
  std::vector<bool> begun(next_.size());
  std::map<uint32_t, uint32_t> last;  // by thread
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    if (attribution.step_of[i] == Attribution::none) continue;
    const uint32_t step = outermost(attribution.step_of[i]);
    if (begun[step]) continue;
    begun[step] = true;
    const uint32_t thread = trace.host->ranges[attribution.steps[step].range].thread;
    const auto [before, first] = last.try_emplace(thread, step);
    if (!first) next_[std::exchange(before->second, step)] = step;
  }
  if (trace.host == nullptr) return;
  for (size_t i = 0; i < next_.size(); ++i) {
    if (std::ranges::binary_search(trace.host->cut_steps, attribution.steps[i].start_ns)) {
      next_[i] = Attribution::none;
    }
  }
}

}  // namespace kr::classify

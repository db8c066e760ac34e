#include "analyze/layers.hpp"

#include "analyze/run.hpp"

namespace kr::analyze {

facts::Computed<Layers> Layers::compute(const facts::Input& input) {
  const LabelledTrace& run = input.trace;
  Layers out;
  for (const classify::RepeatedBlock& block : run.attribution(input.rules).repeated_blocks) {
    const auto repeats = static_cast<double>(block.repeats);
    out.parts.push_back({block, run.trace.track({block.track}).device,
                         repeats > 0 ? static_cast<double>(block.total_ns) / repeats : 0,
                         classify::evidence(block)});
  }
  return out;
}

}  // namespace kr::analyze

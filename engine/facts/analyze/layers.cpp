#include "analyze/layers.hpp"

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"

namespace kr::analyze {
namespace {

LayerPart part_of(const classify::RepeatedBlock& block, int32_t device) {
  const auto repeats = static_cast<double>(block.repeats);
  return {block, device, repeats > 0 ? static_cast<double>(block.total_ns) / repeats : 0,
          classify::evidence(block)};
}

}  // namespace

facts::Computed<Layers> Layers::compute(const facts::Input& input) {
  const LabelledTrace& run = input.trace;
  Layers out;
  for (const classify::RepeatedBlock& block : run.attribution(input.rules).repeated_blocks) {
    out.parts.push_back(part_of(block, run.trace.track({block.track}).device));
    if (block.is_layers()) out.layers += static_cast<int64_t>(block.repeats);
  }
  return out;
}

void Layers::saved(facts::Fields& io, const RunSummary& run) {
  bool counted = only_counted || parts.size() > max_saved;
  io.flag("only_counted", counted);
  if (io.reads()) only_counted = counted;
  io.amount("layers", layers);
  io.rows("parts", counted ? 0 : parts.size(), [&](facts::Fields& row, size_t i) {
    LayerPart one;
    if (row.writes()) one = parts[i];
    classify::RepeatedBlock& block = one.block;
    bool in_step = block.step != classify::Attribution::none;
    row.number("device", one.device);
    row.number("level", block.level);
    row.number("first", block.first);
    row.number("period", block.period);
    row.number("repeats", block.repeats);
    row.number("unit", block.unit);
    row.flag("graph", block.graph);
    row.flag("in_step", in_step);
    row.amount("total_ns", block.total_ns);
    row.amount("unit_ns", block.unit_ns);
    if (!row.reads()) return;
    row.check(block.total_ns <= block.unit_ns && block.unit_ns <= run.gpu_total_ns);
    if (!in_step) block.step = classify::Attribution::none;
    parts.push_back(part_of(block, one.device));
  });
}

}  // namespace kr::analyze

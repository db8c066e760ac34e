#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "classify/attribution.hpp"

namespace kr::classify {

size_t Attribution::block_of(uint32_t layer) const noexcept {
  // Runs within a layer have none of their own: their number is that of the next block that has.
  const auto behind =
      std::partition_point(repeated_blocks.begin(), repeated_blocks.end(),
                           [&](const RepeatedBlock& block) { return block.first_layer <= layer; });
  return static_cast<size_t>(behind - repeated_blocks.begin()) - 1;
}

PlaceEvidence evidence_of(const Attribution& attribution, size_t operation) noexcept {
  if (attribution.range_of[operation] != Attribution::none) return PlaceEvidence::range;
  const PlaceEvidence node = attribution.node_evidence.empty()
                                 ? PlaceEvidence::none
                                 : attribution.node_evidence[operation];
  if (node != PlaceEvidence::none && node != PlaceEvidence::abstain) return node;
  if (attribution.module_of[operation] != Attribution::none) return PlaceEvidence::launch;
  if (node == PlaceEvidence::abstain) return node;
  return attribution.layer_of[operation] != Attribution::none ? PlaceEvidence::layer
                                                              : PlaceEvidence::none;
}

std::string_view to_string(PlaceEvidence evidence) noexcept {
  constexpr std::array<std::string_view, place_evidences> texts{
      "",     "launch", "creation", "annotation", "instance",
      "kind", "within", "abstain",  "range",      "layer"};
  return texts[static_cast<size_t>(evidence)];
}

int64_t AttributionSums::total_ns() const noexcept {
  int64_t total = 0;
  for (const Part& part : parts) total += part.total_ns;
  return total;
}

AttributionSums sum(const trace::Trace& trace, const Attribution& attribution) {
  AttributionSums sums;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    AttributionSums::Part& part = sums[evidence_of(attribution, i)];
    ++part.operations;
    part.total_ns += trace.operations[i].duration_ns;
  }
  return sums;
}

std::vector<LayerEvidence> layer_evidence(const Attribution& attribution) {
  const auto like = [](const RepeatedBlock& block) {
    return std::tuple(block.period, block.repeats, block.unit, block.level, block.graph,
                      block.step == Attribution::none);
  };
  std::map<decltype(like(RepeatedBlock{})), size_t> known;
  std::vector<LayerEvidence> out;
  for (const RepeatedBlock& block : attribution.repeated_blocks) {
    if (block.level == 0 && !block.is_layers()) continue;
    const auto [at, added] = known.try_emplace(like(block), out.size());
    if (added) {
      out.push_back({block, 1});
      continue;
    }
    LayerEvidence& one = out[at->second];
    ++one.units;
    one.block.total_ns += block.total_ns;
    one.block.unit_ns += block.unit_ns;
  }
  std::stable_sort(out.begin(), out.end(), [](const LayerEvidence& a, const LayerEvidence& b) {
    return a.block.total_ns > b.block.total_ns;
  });
  return out;
}

std::string evidence(const RepeatedBlock& block) {
  const double share = block.unit_ns > 0 ? 100.0 * static_cast<double>(block.total_ns) /
                                               static_cast<double>(block.unit_ns)
                                         : 0.0;
  return fmt::format("period of {} kernels, {} times: {:.1f} % of the time of {} kernels of {}",
                     block.period, block.repeats, share, block.unit,
                     block.graph                       ? "one graph launch"
                     : block.step != Attribution::none ? "one step"
                                                       : "one stream");
}

}  // namespace kr::classify

#include "analyze/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/saved_sums.hpp"
#include "analyze/step_sample.hpp"
#include "analyze/sweep.hpp"
#include "base/saturated.hpp"
#include "text/numbers.hpp"

namespace kr::analyze {
namespace {

using classify::Attribution;
using classify::RepeatedBlock;

class RepeatFinder {
 public:
  RepeatFinder(const trace::Trace& trace, const Attribution& attribution)
      : trace_(trace), attribution_(attribution) {
    for (const RepeatedBlock& block : attribution.repeated_blocks) {
      if (!block.is_layers()) continue;
      blocks_.push_back(&block);
      layers_.resize(block.first_layer + block.repeats);
    }
    names_.resize(blocks_.size());
  }

  std::vector<BlockRepeat> find() {
    int64_t all_ns = 0;
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      const trace::Operation& one = trace_.operations[i];
      all_ns = add_saturated(all_ns, one.duration_ns);
      const uint32_t layer = attribution_.layer_of[i];
      if (layer != Attribution::none) add(layer, one);
    }
    std::map<Kernels, std::vector<size_t>> equal;  // places in `blocks_`
    for (size_t i = 0; i < blocks_.size(); ++i) {
      std::sort(names_[i].begin(), names_[i].end());
      equal[std::move(names_[i])].push_back(i);
    }
    const std::vector<size_t>* most = nullptr;
    int64_t max_ns = 0;
    for (const auto& [kernels, places] : equal) {
      int64_t ns = 0;
      for (const size_t place : places) ns = add_saturated(ns, blocks_[place]->total_ns);
      if (ns > max_ns) most = &places;
      max_ns = std::max(max_ns, ns);
    }
    std::vector<BlockRepeat> out;
    if (most == nullptr || max_ns < all_ns / 2) return out;
    for (const size_t place : *most) take(*blocks_[place], out);
    std::stable_sort(out.begin(), out.end(), [](const BlockRepeat& a, const BlockRepeat& b) {
      return a.start_ns < b.start_ns;
    });
    return out;
  }

 private:
  using Kernels = std::vector<uint32_t>;  // names
  struct Layer {
    int64_t start_ns = 0;
    int64_t total_ns = 0;
    int64_t kernels = 0;
    UnionSweep busy;
  };

  void add(uint32_t number, const trace::Operation& operation) {
    Layer& layer = layers_[number];
    if (layer.kernels++ == 0) layer.start_ns = operation.start_ns;
    layer.total_ns = add_saturated(layer.total_ns, operation.duration_ns);
    layer.busy.add(operation.start_ns, operation.end_ns());
    const auto after = std::partition_point(
        blocks_.begin(), blocks_.end(),
        [number](const RepeatedBlock* block) { return block->first_layer <= number; });
    const auto place = static_cast<size_t>(after - blocks_.begin()) - 1;
    if (blocks_[place]->first_layer == number) names_[place].push_back(operation.name.index);
  }

  void take(const RepeatedBlock& block, std::vector<BlockRepeat>& out) const {
    for (size_t i = 0; i < block.repeats; ++i) {
      const Layer& layer = layers_[block.first_layer + i];
      BlockRepeat& one = out.emplace_back();
      one.period = static_cast<int64_t>(block.period);
      one.device = trace_.track({block.track}).device;
      one.start_ns = layer.start_ns;
      if (i + 1 < block.repeats) {
        one.wall_ns = layers_[block.first_layer + i + 1].start_ns - layer.start_ns;
      }
      one.busy_ns = layer.busy.covered_ns();
      one.total_ns = layer.total_ns;
    }
  }

  const trace::Trace& trace_;
  const Attribution& attribution_;
  std::vector<const RepeatedBlock*> blocks_;  // that may be layers, by first layer
  std::vector<Kernels> names_;                // by block: of its first repeat
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<BlockRepeat> find_repeats(const trace::Trace& trace, const Attribution& attribution) {
  if (!attribution.steps.empty()) return {};
  return RepeatFinder(trace, attribution).find();
}

facts::Computed<Repeats> Repeats::compute(const facts::Input& run) {
  Repeats out{find_repeats(run.trace.trace, run.trace.attribution(run.rules))};
  out.count = static_cast<int64_t>(out.all.size());
  for (const BlockRepeat& one : out.all) out.total_ns = add_saturated(out.total_ns, one.total_ns);
  return out;
}

std::optional<std::pair<Repeats, Warning>> with_sample(const Repeats& repeats) {
  constexpr size_t max_saved = 5'000;
  if (repeats.all.size() <= max_saved) return std::nullopt;
  Repeats out{{}, repeats.count, repeats.total_ns};
  for (const size_t place : spread_places(repeats.all.size(), max_saved)) {
    out.all.push_back(repeats.all[place]);
  }
  Warning note{
      "sampled-repeats",
      fmt::format("the saved run has a sample of {} of {} repeats of a block: medians of "
                  "repeats and their intervals are those of the sample.",
                  text::grouped(static_cast<int64_t>(out.all.size())), text::grouped(out.count))};
  return std::pair(std::move(out), std::move(note));
}

void Repeats::saved(facts::Fields& io, const RunSummary& run) {
  io.amount("count", count);
  io.amount("total_ns", total_ns);
  io.check(total_ns <= run.gpu_total_ns);
  int64_t left = count, left_ns = total_ns;
  io.list("all", all, [&](facts::Fields& row, BlockRepeat& one) {
    row.amount("period", one.period);
    row.number("device", one.device);
    row.time("start_ns", one.start_ns);
    row.time("wall_ns", one.wall_ns);
    row.amount("busy_ns", one.busy_ns);
    row.amount("total_ns", one.total_ns);
    row.check(one.busy_ns <= one.total_ns);
    row.take_from(left, 1);
    row.take_from(left_ns, one.total_ns);
  });
  io.check(count > 0 ? !all.empty() : left_ns == 0);
  io.check(left > 0 || left_ns == 0);
}

}  // namespace kr::analyze

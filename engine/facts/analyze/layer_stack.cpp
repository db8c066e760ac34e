#include "analyze/layer_stack.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.hpp"
#include "classify/periods.hpp"

namespace kr::analyze {
namespace {

constexpr uint32_t unseen = UINT32_MAX;
constexpr uint32_t min_layers = 3;
/// Fewer names in turn are the loop of one operation.
constexpr size_t min_names = 3;
/// A name that occurs more often per layer says nothing of their number.
constexpr uint32_t max_per_layer = 16;
/// Kernels that a joint adds to a layer, at least. Fewer may come from another stream.
constexpr size_t min_joint = 3;

/// Whether names that occur `count` times occur once per layer, or several times, nearly.
bool is_near_multiple(uint32_t count, uint32_t layers) {
  const uint32_t times = (count + layers / 2) / layers;
  const uint32_t off = std::max(count, times * layers) - std::min(count, times * layers);
  return times >= 1 && times <= max_per_layer && off <= layers / 10;
}

}  // namespace

LayerCounter::LayerCounter(size_t names) : place_of_(names, unseen), chosen_(names) {}

void LayerCounter::count(std::span<const uint32_t> kernels) {
  for (const Seen& one : seen_) place_of_[one.name] = unseen;
  seen_.clear();
  for (size_t i = 0; i < kernels.size(); ++i) {
    uint32_t& place = place_of_[kernels[i]];
    if (place == unseen) {
      place = static_cast<uint32_t>(seen_.size());
      seen_.push_back({kernels[i], 0, i, i});
    }
    Seen& one = seen_[place];
    ++one.count;
    one.last = i;
  }
}

/// The largest count of several names that explains nearly as many kernels as any other. The second
/// number is of kernels whose names occur that often, or a multiple of it. 0: there is no such
/// count.
std::pair<uint32_t, size_t> LayerCounter::count_of_layers() const {
  std::map<uint32_t, size_t> names;  // by count
  for (const Seen& one : seen_) {
    if (one.count >= min_layers) ++names[one.count];
  }
  std::vector<std::pair<uint32_t, size_t>> explained;
  size_t most = 0;
  for (const auto& [layers, of_count] : names) {
    if (of_count < min_names) continue;
    size_t kernels = 0;
    for (const auto& [count, others] : names) {
      if (is_near_multiple(count, layers)) kernels += count * others;
    }
    explained.emplace_back(layers, kernels);
    most = std::max(most, kernels);
  }
  std::pair<uint32_t, size_t> best;
  for (const auto& one : explained) {
    if (one.second * 10 >= most * 8) best = one;
  }
  return best;
}

bool LayerCounter::in_turn(std::span<const uint32_t> kernels, std::span<const Seen> names,
                           uint32_t layers) {
  for (const Seen& one : names) chosen_[one.name] = 1;
  size_t last = 0;
  for (const Seen& one : names) last = std::max(last, one.last);
  order_.clear();
  for (size_t i = names.front().first; i <= last; ++i) {
    if (chosen_[kernels[i]] != 0) order_.push_back(kernels[i]);
  }
  for (const Seen& one : names) chosen_[one.name] = 0;
  size_t same = 0;
  for (size_t i = names.size(); i < order_.size(); ++i) {
    same += order_[i] == order_[i - names.size()] ? 1 : 0;
  }
  return same * 100 >= (layers - 1) * names.size() * 95;
}

/// Whether one of the layers, which begin with `name`, is the most frequent one with more kernels.
bool LayerCounter::contains_joint(std::span<const uint32_t> kernels, const LayerStack& stack,
                                  uint32_t name) {
  struct Layer {
    uint64_t hash = 0;  // a sum over its kernels: their order does not matter
    size_t begin = 0;
    size_t end = 0;
  };
  std::vector<Layer> layers;
  for (size_t i = stack.first; i < stack.last; ++i) {
    if (kernels[i] == name) {
      if (!layers.empty()) layers.back().end = i;
      layers.push_back({0, i, i});
    }
    layers.back().hash += hash_numbers(kernels[i], 1) | 1;
  }
  layers.pop_back();  // the last one has no end
  std::stable_sort(layers.begin(), layers.end(),
                   [](const Layer& a, const Layer& b) { return a.hash < b.hash; });
  std::vector<Layer> kinds;
  size_t most = 0;
  size_t usual = 0;  // in `kinds`
  for (size_t i = 0, end = 0; i < layers.size(); i = end) {
    while (end < layers.size() && layers[end].hash == layers[i].hash) ++end;
    // Of kinds as frequent, the one that comes first: no order of hashes is that of another run.
    const bool before = end - i == most && layers[i].begin < kinds[usual].begin;
    if (end - i > most || before) {
      most = end - i;
      usual = kinds.size();
    }
    kinds.push_back(layers[i]);
  }
  const auto sorted = [&](const Layer& layer) {
    std::vector<uint32_t> names(kernels.begin() + static_cast<ptrdiff_t>(layer.begin),
                                kernels.begin() + static_cast<ptrdiff_t>(layer.end));
    std::sort(names.begin(), names.end());
    return names;
  };
  if (kinds.empty()) return false;
  const std::vector<uint32_t> without = sorted(kinds[usual]);
  return std::any_of(kinds.begin(), kinds.end(), [&](const Layer& layer) {
    if (layer.end - layer.begin < without.size() + min_joint) return false;
    const std::vector<uint32_t> with = sorted(layer);
    return std::includes(with.begin(), with.end(), without.begin(), without.end());
  });
}

std::optional<LayerStack> LayerCounter::find(std::span<const uint32_t> kernels) {
  if (kernels.size() < classify::min_covered) return std::nullopt;
  count(kernels);
  const auto [layers, explained] = count_of_layers();
  if (layers == 0) return std::nullopt;
  std::vector<Seen> names;
  for (const Seen& one : seen_) {
    if (one.count == layers) names.push_back(one);
  }
  LayerStack stack;
  stack.layers = layers;
  stack.parts = 0;
  // Names are in the order of their first places.
  uint32_t first_name = 0;
  for (size_t begin = 0, end = 0; begin < names.size(); begin = end) {
    size_t last = names[begin].last;
    for (end = begin; end < names.size() && names[end].first <= last; ++end) {
      last = std::max(last, names[end].last);
    }
    const std::span<const Seen> part(names.data() + begin, end - begin);
    if (part.size() < min_names) continue;
    if (!in_turn(kernels, part, layers)) return std::nullopt;
    if (stack.parts++ == 0) {
      stack.first = part.front().first;
      first_name = part.front().name;
    }
    stack.names += static_cast<uint32_t>(part.size());
    stack.last = last + 1;
  }
  const size_t size = stack.last - stack.first;
  if (stack.parts == 0 || size < size_t{layers} * classify::min_period || explained * 2 < size) {
    return std::nullopt;
  }
  stack.has_joint = stack.parts == 1 && contains_joint(kernels, stack, first_name);
  return stack;
}

}  // namespace kr::analyze

#include "classify/find_layers.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "base/hash_index.hpp"

namespace kr::classify {
namespace {

/// Longer sequences are not steps of a model.
constexpr size_t longest_unit = 20000;

class LayerFinder {
 public:
  LayerFinder(const trace::Trace& trace, Attribution& out) : trace_(trace), out_(out) {}

  /// Units are the kernels of one graph launch, else of one step, on one stream; without any steps,
  /// of one stream. In order of start.
  void run() {
    find_graphs();
    // A counting sort by unit, which keeps the order of start. In a trace without launches the
    // units are streams, which are mostly too long and skipped.
    count_kernels();
    std::unordered_map<Unit, uint32_t, UnitHash> numbers;
    std::vector<uint32_t> ends;  // by unit: first its count of kernels, then its end in `kernels`
    for_kernels([&](uint32_t, const Unit& unit) {
      if (!is_long(unit)) return;
      const auto number = static_cast<uint32_t>(ends.size());
      const auto [at, added] = numbers.try_emplace(unit, number);
      if (added) ends.push_back(0);
      ++ends[at->second];
    });
    constexpr uint32_t skipped = UINT32_MAX;
    uint32_t before = 0;
    for (uint32_t& end : ends) {
      // Fewer kernels cannot contain a repeated block.
      if (end < min_covered || end > longest_unit) {
        end = skipped;
      } else {
        before += std::exchange(end, before);
      }
    }
    if (before == 0) return;
    out_.layer_of.resize(trace_.operations.size());
    GrowingArray<uint32_t> kernels;
    kernels.extend(before);
    for_kernels([&](uint32_t operation, const Unit& unit) {
      if (!is_long(unit)) return;
      uint32_t& end = ends[numbers.find(unit)->second];
      if (end != skipped) kernels[end++] = operation;
    });
    std::vector<std::span<const uint32_t>> units;
    uint32_t begin = 0;
    for (const uint32_t end : ends) {
      if (end == skipped) continue;
      units.emplace_back(kernels.begin() + begin, end - begin);
      begin = end;
    }
    std::sort(units.begin(), units.end(),
              [](const auto& a, const auto& b) { return a.front() < b.front(); });
    for (const std::span<const uint32_t> unit : units) {
      find_blocks(unit, unit_of(unit.front()).graph);
    }
  }

 private:
  /// The unit of an operation: one launch of a graph or one step, on its stream.
  struct Unit {
    bool graph;
    uint32_t what;
    uint32_t track;
    friend bool operator==(const Unit&, const Unit&) = default;
  };
  struct UnitHash {
    size_t operator()(const Unit& unit) const noexcept {
      return hash_numbers(uint64_t{unit.what} << 32 | unit.track, unit.graph);
    }
  };
  Unit unit_of(uint32_t operation) const {
    const uint32_t launch =
        trace_.host ? trace_.host->launch_of[operation] : trace::HostRange::none;
    const bool graph = launch != trace::HostRange::none && is_graph_[launch];
    return {graph, graph ? launch : out_.step_of[operation],
            trace_.operations[operation].track.index};
  }

  /// A launch of two or more operations is one of a graph.
  void find_graphs() {
    if (!trace_.host) return;
    std::vector<bool> launched(trace_.host->launches.size());
    is_graph_.resize(launched.size());
    for (const uint32_t launch : trace_.host->launch_of) {
      if (launch == trace::HostRange::none) continue;
      if (launched[launch]) is_graph_[launch] = true;
      launched[launch] = true;
    }
  }

  /// Most steps of a trace of very many have too few kernels on all streams together. They need no
  /// number.
  void count_kernels() {
    kernels_of_step_.resize(out_.steps.size());
    for_kernels([&](uint32_t, const Unit& unit) {
      if (!unit.graph && unit.what < kernels_of_step_.size()) ++kernels_of_step_[unit.what];
    });
  }
  bool is_long(const Unit& unit) const noexcept {
    return unit.graph || unit.what >= kernels_of_step_.size() ||
           kernels_of_step_[unit.what] >= min_covered;
  }

  /// Calls `call(operation, unit)` for each kernel in which repeated blocks are searched.
  template <class Call>
  void for_kernels(const Call& call) const {
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      if (trace_.names.get(trace_.operations[i].name).kind != OperationKind::kernel) continue;
      const Unit unit = unit_of(i);
      if (unit.graph || out_.steps.empty() || unit.what != Attribution::none) call(i, unit);
    }
  }

  void find_blocks(std::span<const uint32_t> operations, bool graph) {
    std::vector<uint32_t> names;
    names.reserve(operations.size());
    RepeatedBlock whole;
    whole.unit = operations.size();
    whole.graph = graph;
    whole.track = trace_.operations[operations[0]].track.index;
    whole.step = out_.step_of[operations[0]];
    for (const uint32_t i : operations) {
      names.push_back(trace_.operations[i].name.index);
      whole.unit_ns += trace_.operations[i].duration_ns;
    }
    size_t layers = 0;
    for (const Repetition& found : repetitions(names, operations)) {
      RepeatedBlock block = whole;
      static_cast<Repetition&>(block) = with_least_period(names, found);
      // One kernel that repeats, as those of an optimizer do, is not a block.
      if (block.period == 1) continue;
      block.layers_before = layers;
      block.first_layer = layers_;
      if (block.is_layers()) {
        layers += block.repeats;
        layers_ += block.repeats;
      }
      for (size_t k = 0; k < block.covered(); ++k) {
        const uint32_t i = operations[block.first + k];
        block.total_ns += trace_.operations[i].duration_ns;
        if (!block.is_layers()) continue;
        out_.layer_of.set(i, static_cast<uint32_t>(block.first_layer + k / block.period));
      }
      out_.repeated_blocks.push_back(block);
    }
  }

  /// `find_repetitions` knows no short periods: it finds multiples of them.
  static Repetition with_least_period(std::span<const uint32_t> names, Repetition found) {
    const std::span<const uint32_t> block = names.subspan(found.first, found.covered());
    for (size_t period = 1; period < found.period; ++period) {
      if (found.period % period != 0) continue;
      if (!std::equal(block.begin() + static_cast<std::ptrdiff_t>(period), block.end(),
                      block.begin())) {
        continue;
      }
      found.repeats *= found.period / period;
      found.period = period;
      break;
    }
    return found;
  }

  /// The repetitions in a sequence of operations.
  struct Known {
    std::span<const uint32_t> operations;
    std::vector<Repetition> found;
  };

  /// Many steps have the same sequence, which is searched once.
  const std::vector<Repetition>& repetitions(const std::vector<uint32_t>& names,
                                             std::span<const uint32_t> operations) {
    const uint64_t hash =
        hash_bytes({reinterpret_cast<const char*>(names.data()), names.size() * sizeof(uint32_t)});
    const auto next = static_cast<uint32_t>(known_.size());
    const uint32_t number = sequences_.find_or_add(hash, next, [&](uint32_t known) {
      const std::span<const uint32_t> other = known_[known].operations;
      return std::equal(other.begin(), other.end(), names.begin(), names.end(),
                        [&](uint32_t operation, uint32_t name) {
                          return trace_.operations[operation].name.index == name;
                        });
    });
    if (number == next) known_.push_back({operations, find_repetitions(names)});
    return known_[number].found;
  }

  const trace::Trace& trace_;
  Attribution& out_;
  std::vector<bool> is_graph_;  // by launch
  std::vector<uint32_t> kernels_of_step_;
  size_t layers_ = 0;  // of all units so far
  std::vector<Known> known_;
  HashIndex sequences_;  // of these
};

}  // namespace

void find_layers(const trace::Trace& trace, Attribution& out) {
  LayerFinder(trace, out).run();
}

}  // namespace kr::classify

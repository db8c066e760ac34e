#include "analyze/step_finder.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "analyze/seen_stretches.hpp"
#include "base/hash.hpp"
#include "classify/periods.hpp"

namespace kr::analyze {
namespace {

constexpr size_t min_step = 16;    // kernels of a repeated stretch
constexpr size_t max_anchors = 4;  // examined of those with one usual stretch
constexpr size_t max_splits = 3;   // of a part without a name that marks its steps
/// So many times all kernels are examined for layers at most: enough for traces in which stretches
/// are equal, and a limit for those in which few are.
constexpr size_t max_examined = 16;
constexpr double min_bounded = 0.9;
constexpr size_t min_graphs = 8;  // that were traced as one operation

/// A name whose stretches, from one occurrence to the next, are mostly equal to others.
struct Anchor {
  uint32_t name = 0;
  size_t occurrences = 0;
  uint64_t usual = 0;  // the hash of its most frequent stretch
  size_t kernels = 0;  // of that stretch
  uint32_t group = 0;  // the first name with that stretch
};

struct Stretch {
  size_t begin = 0;
  size_t end = 0;
  std::optional<LayerStack> stack;  // in places of the sequence
};

/// Stretches of one anchor, and how many of them end alike.
struct Steps {
  std::vector<Stretch> stretches;
  uint32_t layers = 0;  // those with most kernels have this many
  uint32_t parts = 0;
  size_t usual = 0;    // stretches of this shape
  size_t kernels = 0;  // of these
  Boundary boundary = Boundary::none;
  double bounded = 0;
};

/// Stretches of one number of layers and stacks.
struct ShapeSum {
  uint32_t layers = 0;
  uint32_t parts = 0;
  size_t kernels = 0;
  size_t stretches = 0;
};

/// Of two with as many kernels, that of fewer layers is more usual.
bool is_less_usual(const ShapeSum& a, const ShapeSum& b) {
  return std::tie(a.kernels, b.layers, b.parts) < std::tie(b.kernels, a.layers, a.parts);
}

class StepFinder {
 public:
  explicit StepFinder(const KernelSequence& kernels)
      : kernels_(kernels), counter_(kernels.distinct) {
    index();
  }

  StepPlacesFound find() {
    StepPlacesFound found;
    if (find_graphs(found)) {
      // Their kernels are not known, and those between them show less.
    } else if (const std::optional<Steps> steps = best_steps()) {
      found.boundary = steps->boundary;
      found.bounded = steps->bounded;
      add_stacks(*steps, found.steps);
    } else {
      split(0, kernels_.size(), max_splits, nullptr, found.steps);
      const auto differs = [&](const StepPlaces& step) {
        return step.stack.layers != found.steps.front().stack.layers;
      };
      // Parts of one step, cut at any gap, have layers, too: as many as the cut made.
      if (std::any_of(found.steps.begin(), found.steps.end(), differs)) found.steps.clear();
    }
    if (!found.steps.empty()) cut(found.steps);
    return found;
  }

 private:
  void index() {
    const size_t size = kernels_.size();
    begins_.assign(kernels_.distinct + 1, 0);
    for (const uint32_t name : kernels_.names) ++begins_[name + 1];
    for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    places_.resize(size);
    std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
    std::vector<uint64_t> hashes(kernels_.distinct);
    for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = hash_numbers(i, 1) | 1;
    sums_.resize(size + 1);
    ordered_.resize(size + 1);
    for (size_t i = 0; i < size; ++i) {
      const uint32_t name = kernels_.names[i];
      places_[next[name]++] = static_cast<uint32_t>(i);
      sums_[i + 1] = sums_[i] + hashes[name];
      ordered_[i + 1] = ordered_[i] * base + hashes[name];
    }
    powers_.assign(1, 1);
  }

  std::span<const uint32_t> places(uint32_t name) const {
    return {places_.data() + begins_[name], begins_[name + 1] - begins_[name]};
  }

  uint64_t power(size_t exponent) {
    while (powers_.size() <= exponent) powers_.push_back(powers_.back() * base);
    return powers_[exponent];
  }
  /// Of the kernels in their order.
  uint64_t ordered(size_t begin, size_t end) {
    return ordered_[end] - ordered_[begin] * power(end - begin);
  }

  std::optional<Anchor> anchor(uint32_t name) {
    const std::span<const uint32_t> at = places(name);
    if (at.size() < 3 || at.size() * min_step > kernels_.size()) return std::nullopt;
    seen_.clear();
    for (size_t i = 1; i < at.size(); ++i) {
      seen_.add(sums_[at[i]] - sums_[at[i - 1]], at[i] - at[i - 1]);
    }
    Anchor out{name, at.size(), 0, 0};
    size_t equal = 0;  // kernels of stretches that are equal to another one
    size_t most = 1;
    for (const SeenStretches::Seen& one : seen_.all()) {
      if (one.count < 2) continue;
      const size_t kernels = size_t{one.count} * one.kernels;
      equal += kernels;
      if (kernels <= most) continue;
      most = kernels;
      out.usual = one.hash;
      out.kernels = one.kernels;
    }
    const bool regular = equal * 10 >= (at.back() - at.front()) * size_t{3};
    return regular && out.kernels >= min_step ? std::optional(out) : std::nullopt;
  }

  /// Steps that are a graph each, and those between them. Only if the graphs are one per step.
  bool find_graphs(StepPlacesFound& found) {
    std::vector<size_t> graphs;
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if ((kernels_.marks[i] & KernelSequence::whole_graph) != 0) graphs.push_back(i);
    }
    if (graphs.size() < min_graphs) return false;
    size_t pairs = 0, copies = 0, labels = 0;
    for (size_t i = 1; i < graphs.size(); ++i) {
      uint8_t marks = 0;
      for (size_t k = graphs[i - 1] + 1; k <= graphs[i]; ++k) marks |= kernels_.marks[k];
      ++pairs;
      copies += (marks & KernelSequence::after_copy) != 0 ? 1 : 0;
      labels += (marks & KernelSequence::edge) != 0 ? 1 : 0;
    }
    const double bounded =
        static_cast<double>(std::max(copies, labels)) / static_cast<double>(pairs);
    if (bounded < min_bounded) return false;
    found.boundary = copies >= labels ? Boundary::copies : Boundary::labels;
    found.bounded = bounded;
    size_t begin = 0;
    for (const size_t graph : graphs) {
      add_steps_between(begin, graph, found.steps);
      found.steps.push_back({0, 0, {graph, graph + 1, 0, 1, 1, false}, false});
      begin = graph + 1;
    }
    add_steps_between(begin, kernels_.size(), found.steps);
    return true;
  }

  /// Steps of kernels between two graphs, which are examined by themselves, in time proportional to
  /// these kernels: names are counted anew.
  void add_steps_between(size_t begin, size_t end, std::vector<StepPlaces>& out) const {
    if (end - begin < classify::min_covered) return;
    const auto part = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + static_cast<ptrdiff_t>(begin),
                                         all.begin() + static_cast<ptrdiff_t>(end));
    };
    KernelSequence kernels{part(kernels_.operations), part(kernels_.names), part(kernels_.gap_ns),
                           part(kernels_.marks), 0};
    std::unordered_map<uint32_t, uint32_t> numbers;
    for (uint32_t& name : kernels.names) {
      name = numbers.try_emplace(name, static_cast<uint32_t>(numbers.size())).first->second;
    }
    kernels.distinct = numbers.size();
    for (StepPlaces& step : find_steps(kernels).steps) {
      step.stack.first += begin;
      step.stack.last += begin;
      out.push_back({0, 0, step.stack, false});
    }
  }

  /// Of the shortest stretch that is a step, and of those up to twice as long, the name that finds
  /// most: prefill and decode have names of their own, and names that both have.
  std::optional<Steps> best_steps() {
    std::optional<Steps> best;
    size_t longest = kernels_.size();
    size_t examined = 0;  // of one usual stretch
    const std::vector<Anchor> anchors = all_anchors();
    for (size_t i = 0; i < anchors.size() && anchors[i].kernels <= longest; ++i) {
      if (i == 0 || anchors[i].group != anchors[i - 1].group) examined = 0;
      if (examined == max_anchors) continue;
      ++examined;
      std::optional<Steps> steps = steps_of(anchors[i].name, best ? best->kernels : 0);
      if (!steps) continue;
      if (!best) longest = 2 * anchors[i].kernels;
      best = std::move(steps);
    }
    return best;
  }

  /// By the length of their usual stretch; of one stretch the most frequent names first. The order
  /// of hashes, which is another one in every run, decides nothing.
  std::vector<Anchor> all_anchors() {
    std::vector<Anchor> all;
    std::unordered_map<uint64_t, uint32_t> groups;
    for (uint32_t name = 0; name < kernels_.distinct; ++name) {
      std::optional<Anchor> found = anchor(name);
      if (!found) continue;
      found->group = groups.try_emplace(found->usual, name).first->second;
      all.push_back(*found);
    }
    std::sort(all.begin(), all.end(), [](const Anchor& a, const Anchor& b) {
      return std::tie(a.kernels, a.group, b.occurrences, a.name) <
             std::tie(b.kernels, b.group, a.occurrences, b.name);
    });
    return all;
  }

  /// Those whose stretches of the usual shape have more than `least` kernels.
  std::optional<Steps> steps_of(uint32_t name, size_t least) {
    const std::span<const uint32_t> at = places(name);
    const size_t all = at.back() - at.front();
    Steps steps;
    steps.stretches.reserve(at.size() + 1);
    std::vector<ShapeSum> shapes;  // few
    size_t without = 0;            // kernels outside steps
    for (size_t i = 1; i < at.size(); ++i) {
      Stretch& stretch =
          steps.stretches.emplace_back(Stretch{at[i - 1], at[i], stack_of(at[i - 1], at[i])});
      const size_t kernels = stretch.end - stretch.begin;
      if (!stretch.stack) {
        without += kernels;
        if (without * 2 > all) return std::nullopt;
        continue;
      }
      const auto is_shape = [&](const ShapeSum& one) {
        return one.layers == stretch.stack->layers && one.parts == stretch.stack->parts;
      };
      auto shape = std::find_if(shapes.begin(), shapes.end(), is_shape);
      if (shape == shapes.end()) {
        shape = shapes.insert(shape, {stretch.stack->layers, stretch.stack->parts, 0, 0});
      }
      shape->kernels += kernels;
      ++shape->stretches;
    }
    const auto most = std::max_element(shapes.begin(), shapes.end(), is_less_usual);
    if (most == shapes.end() || most->stretches < 2) return std::nullopt;
    // Half of all kernels, at least.
    if (most->kernels <= least || most->kernels * 2 < all) return std::nullopt;
    steps.layers = most->layers;
    steps.parts = most->parts;
    steps.usual = most->stretches;
    steps.kernels = most->kernels;
    return find_boundary(steps) ? std::optional(std::move(steps)) : std::nullopt;
  }

  /// A stack that is at least half of the stretch. Equal stretches are examined once.
  std::optional<LayerStack> stack_of(size_t begin, size_t end) {
    if (end - begin < classify::min_covered) return std::nullopt;
    const uint64_t hash = ordered(begin, end);
    // Stretches mostly equal the one before.
    if (last_ != nullptr && last_->first == hash) return moved(last_->second, begin);
    const auto [at, added] = known_.try_emplace(hash);
    last_ = &*at;
    if (added && examined_ < max_examined * kernels_.size()) {
      examined_ += end - begin;
      at->second = counter_.find(std::span(kernels_.names).subspan(begin, end - begin));
      const auto& stack = at->second;
      if (stack && (stack->last - stack->first) * 2 < end - begin) at->second.reset();
    }
    return moved(at->second, begin);
  }

  static std::optional<LayerStack> moved(std::optional<LayerStack> stack, size_t by) {
    if (stack) {
      stack->first += by;
      stack->last += by;
    }
    return stack;
  }

  bool find_boundary(Steps& steps) const {
    size_t copies = 0, labels = 0, graphs = 0, gaps = 0;
    for (const Stretch& one : steps.stretches) {
      if (!one.stack || one.stack->layers != steps.layers || one.stack->parts != steps.parts)
        continue;
      uint8_t inside = 0, outside = 0;
      int64_t gap_inside = -1, gap_outside = -1;
      for (size_t i = one.begin + 1; i <= one.end; ++i) {
        const bool in = i > one.stack->first && i < one.stack->last;
        (in ? inside : outside) |= kernels_.marks[i];
        int64_t& gap = in ? gap_inside : gap_outside;
        gap = std::max(gap, kernels_.gap_ns[i]);
      }
      const uint8_t only = outside & static_cast<uint8_t>(~inside);
      copies += (only & KernelSequence::after_copy) != 0 ? 1 : 0;
      labels += (only & KernelSequence::edge) != 0 ? 1 : 0;
      graphs += (only & KernelSequence::graph) != 0 ? 1 : 0;
      gaps += gap_outside > gap_inside ? 1 : 0;
    }
    const auto consider = [&](Boundary boundary, size_t count) {
      const double part = static_cast<double>(count) / static_cast<double>(steps.usual);
      if (part > steps.bounded) {
        steps.boundary = boundary;
        steps.bounded = part;
      }
    };
    consider(Boundary::copies, copies);
    consider(Boundary::labels, labels);
    consider(Boundary::graphs, graphs);
    consider(Boundary::gaps, gaps);
    return steps.bounded >= min_bounded;
  }

  void add_stacks(const Steps& steps, std::vector<StepPlaces>& out) {
    split(0, steps.stretches.front().begin, max_splits, &steps, out);
    for (const Stretch& one : steps.stretches) {
      if (one.stack) {
        out.push_back({0, 0, *one.stack, false});
      } else {
        split(one.begin, one.end, 1, &steps, out);
      }
    }
    split(steps.stretches.back().end, kernels_.size(), max_splits, &steps, out);
  }

  /// The stacks of a part without a name that marks its steps: the part itself, or those before
  /// and after its longest gap. With `like`, only stacks of nearly that shape.
  void split(size_t begin, size_t end, size_t splits, const Steps* like,
             std::vector<StepPlaces>& out) {
    if (end <= begin) return;
    const auto stack =
        moved(counter_.find(std::span(kernels_.names).subspan(begin, end - begin)), begin);
    const bool fits = stack && !stack->has_joint && !marked_inside(*stack) &&
                      (stack->last - stack->first) * 2 >= end - begin &&
                      (like == nullptr ||
                       (nearly_equal(stack->layers, like->layers) && stack->parts == like->parts));
    if (fits) {
      out.push_back({0, 0, *stack, false});
      return;
    }
    if (splits == 0 || end - begin < 2 * classify::min_covered) return;
    size_t at = begin + 1;
    for (size_t i = begin + 1; i < end; ++i) {
      if (kernels_.gap_ns[i] > kernels_.gap_ns[at]) at = i;
    }
    split(begin, at, splits - 1, like, out);
    split(at, end, splits - 1, like, out);
  }

  bool marked_inside(const LayerStack& stack) const {
    return std::any_of(kernels_.marks.begin() + static_cast<ptrdiff_t>(stack.first + 1),
                       kernels_.marks.begin() + static_cast<ptrdiff_t>(stack.last),
                       [](uint8_t marks) {
                         return (marks & (KernelSequence::after_copy | KernelSequence::edge)) != 0;
                       });
  }

  /// The kernels between two stacks, and where the step ends: by sums of gaps over equal joints.
  void cut(std::vector<StepPlaces>& steps) {
    std::vector<size_t> lengths;
    lengths.reserve(steps.size());
    for (size_t i = 1; i < steps.size(); ++i) {
      lengths.push_back(steps[i].stack.first - steps[i - 1].stack.last);
    }
    size_t longest = kernels_.size();
    if (!lengths.empty()) {
      std::nth_element(lengths.begin(),
                       lengths.begin() + static_cast<ptrdiff_t>(lengths.size() / 2), lengths.end());
      longest = 3 * lengths[lengths.size() / 2] + 64;
    }
    std::unordered_map<uint64_t, std::vector<int64_t>> gaps;  // by joint and place
    const auto joined = [&](size_t i) {
      return steps[i].stack.first - steps[i - 1].stack.last <= longest;
    };
    const auto joint_of = [&](size_t i) {
      return ordered(steps[i - 1].stack.last, steps[i].stack.first);
    };
    for (size_t i = 1; i < steps.size(); ++i) {
      if (!joined(i)) continue;
      const size_t from = steps[i - 1].stack.last;
      std::vector<int64_t>& sums = gaps[joint_of(i)];
      sums.resize(steps[i].stack.first - from + 1);
      for (size_t k = 0; k < sums.size(); ++k) sums[k] += kernels_.gap_ns[from + k];
    }
    size_t before = 0, after = 0;  // kernels of a step outside its stack, at most
    for (size_t i = 1; i < steps.size(); ++i) {
      if (!joined(i)) continue;
      const std::vector<int64_t>& sums = gaps[joint_of(i)];
      const auto place =
          static_cast<size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
      steps[i - 1].end = steps[i].begin = steps[i - 1].stack.last + place;
      steps[i - 1].continues = true;
      before = std::max(before, steps[i].stack.first - steps[i].begin);
      after = std::max(after, place);
    }
    if (steps.size() == 1) before = after = kernels_.size();
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i == 0 || !joined(i)) {
        const size_t least = i == 0 ? 0 : steps[i - 1].stack.last;
        const size_t first = steps[i].stack.first;
        steps[i].begin = std::max(least, first - std::min(before, first));
      }
      if (!steps[i].continues) {
        const size_t most = i + 1 == steps.size() ? kernels_.size() : steps[i + 1].stack.first;
        steps[i].end = std::min(most, steps[i].stack.last + after);
      }
    }
    for (size_t i = 1; i < steps.size(); ++i)
      steps[i].begin = std::max(steps[i].begin, steps[i - 1].end);
  }

  static constexpr uint64_t base = 0x9e3779b97f4a7c15ULL;

  const KernelSequence& kernels_;
  LayerCounter counter_;
  std::vector<uint32_t> begins_;  // by name, and the end: in places_
  std::vector<uint32_t> places_;  // by name, in order
  std::vector<uint64_t> sums_;    // of hashes before a place
  std::vector<uint64_t> ordered_;
  std::vector<uint64_t> powers_;
  SeenStretches seen_;  // of the name examined
  std::unordered_map<uint64_t, std::optional<LayerStack>> known_;
  const std::pair<const uint64_t, std::optional<LayerStack>>* last_ = nullptr;  // in `known_`
  size_t examined_ = 0;                                                         // kernels of these
};

}  // namespace

StepPlacesFound find_steps(const KernelSequence& kernels) {
  if (kernels.size() < classify::min_covered) return {};
  return StepFinder(kernels).find();
}

}  // namespace kr::analyze

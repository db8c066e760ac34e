#include "analyze/device_phases.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace kr::analyze {
namespace {

constexpr int64_t min_idle_ns = 1'000'000;
constexpr size_t min_pitches = 3;  // steps from start to start
constexpr size_t min_load_copies = 16;
/// Kernels of one name that a kind of layer has in a stack.
constexpr int64_t min_of_layers = 3;

class DeviceFinder {
 public:
  DeviceFinder(const LabelledTrace& run, std::span<const uint32_t> operations,
               std::span<const OperationTraits> traits)
      : run_(run), operations_(operations), traits_(traits) {}

  DevicePhases find() {
    out_.phase_of.assign(operations_.size(), FoundPhase::other);
    out_.in_step.assign(operations_.size(), false);
    measure_gaps();
    find_places();
    count_layers_by_attention();
    find_idle_gap();
    place_steps();
    name_all_steps();
    if (!out_.steps.empty()) find_load();
    share_span();
    return std::move(out_);
  }

 private:
  const trace::Operation& at(size_t place) const {
    return run_.trace.operations[operations_[place]];
  }
  const OperationTraits& traits(size_t place) const {
    return traits_[run_.labelled.row(operations_[place], at(place))];
  }

  void measure_gaps() {
    gaps_.reserve(operations_.size());
    int64_t covered_to = operations_.empty() ? 0 : at(0).start_ns;
    first_ns_ = covered_to;
    for (size_t i = 0; i < operations_.size(); ++i) {
      gaps_.push_back(std::max<int64_t>(0, at(i).start_ns - covered_to));
      covered_to = std::max(covered_to, at(i).end_ns());
    }
    last_ns_ = covered_to;
  }

  /// Of all kernels, or of those of one track.
  KernelSequence sequence(const uint32_t* track) const {
    KernelSequence out;
    constexpr uint32_t unseen = UINT32_MAX;
    std::vector<uint32_t> names(run_.trace.names.size(), unseen);  // by name of the trace
    for (std::vector<uint32_t>* one : {&out.operations, &out.names})
      one->reserve(operations_.size());
    out.gap_ns.reserve(operations_.size());
    out.marks.reserve(operations_.size());
    uint8_t marks = 0;
    int64_t gap_ns = 0;
    for (size_t i = 0; i < operations_.size(); ++i) {
      const OperationTraits& one = traits(i);
      gap_ns = std::max(gap_ns, gaps_[i]);
      if (one.from_host || one.to_host) marks |= KernelSequence::after_copy;
      if (!one.kernel || (track != nullptr && at(i).track.index != *track)) continue;
      if (one.edge) marks |= KernelSequence::edge;
      if (one.whole_graph) marks |= KernelSequence::whole_graph;
      uint32_t& name = names[at(i).name.index];
      if (name == unseen) name = static_cast<uint32_t>(out.distinct++);
      out.operations.push_back(static_cast<uint32_t>(i));
      out.names.push_back(name);
      out.gap_ns.push_back(std::exchange(gap_ns, 0));
      out.marks.push_back(std::exchange(marks, uint8_t{0}));
    }
    mark_graphs(out);
    return out;
  }

  /// Kernels in a row that one call launched are those of a graph.
  void mark_graphs(KernelSequence& kernels) const {
    constexpr uint32_t none = trace::HostRange::none;
    if (!run_.trace.host) return;
    const auto& launch_of = run_.trace.host->launch_of;
    bool in_graph = false;
    uint32_t before = none;
    uint32_t next = none;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const uint32_t launch = i == 0 ? launch_of[operations_[kernels.operations[0]]] : next;
      next = i + 1 < kernels.size() ? launch_of[operations_[kernels.operations[i + 1]]] : none;
      const bool continues = launch != none && launch == before;
      const bool begins = launch != none && launch == next && !continues;
      if (begins || (in_graph && !continues)) kernels.marks[i] |= KernelSequence::graph;
      in_graph = begins || continues;
      before = launch;
    }
  }

  /// In all kernels, or else in those of the track with most kernels.
  void find_places() {
    kernels_ = sequence(nullptr);
    places_ = find_steps(kernels_);
    if (places_.boundary == Boundary::none) {
      std::map<uint32_t, size_t> tracks;
      for (const uint32_t place : kernels_.operations) ++tracks[at(place).track.index];
      if (tracks.size() > 1) {
        const auto most =
            std::max_element(tracks.begin(), tracks.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        KernelSequence kernels = sequence(&most->first);
        StepPlacesFound places = find_steps(kernels);
        if (places.boundary != Boundary::none || places_.steps.empty()) {
          kernels_ = std::move(kernels);
          places_ = std::move(places);
        }
      }
    }
    out_.boundary = places_.boundary;
    out_.bounded = places_.bounded;
    if (places_.boundary != Boundary::none) return;
    // Nothing repeats: layers without attention could be any loop.
    std::erase_if(places_.steps, [&](const StepPlaces& step) {
      for (size_t k = step.stack.first; k < step.stack.last; ++k) {
        if (traits(kernels_.operations[k]).attention) return false;
      }
      return true;
    });
  }

  /// Norms that are not fused run twice per layer and once behind the last one, and their names may
  /// outnumber those of a layer. Each layer has attention: half as many of its kernels halve the
  /// layers.
  void count_layers_by_attention() {
    for (StepPlaces& step : places_.steps) {
      LayerStack& stack = step.stack;
      if (stack.parts != 1) continue;
      size_t attention = 0;
      for (size_t k = stack.first; k < stack.last; ++k) {
        attention += traits(kernels_.operations[k]).attention ? 1 : 0;
      }
      const bool half = attention == stack.layers / 2;
      if (half && attention >= static_cast<size_t>(min_of_layers)) stack.layers /= 2;
    }
  }

  int64_t start_of(const StepPlaces& step) const {
    return at(kernels_.operations[step.begin]).start_ns;
  }

  void find_idle_gap() {
    std::vector<int64_t> pitches;
    for (size_t i = 1; i < places_.steps.size(); ++i) {
      if (!places_.steps[i - 1].continues) continue;
      pitches.push_back(start_of(places_.steps[i]) - start_of(places_.steps[i - 1]));
    }
    int64_t least = (last_ns_ - first_ns_) / 100;
    if (pitches.size() >= min_pitches) {
      const auto middle = pitches.begin() + static_cast<ptrdiff_t>((pitches.size() - 1) / 2);
      std::nth_element(pitches.begin(), middle, pitches.end());
      least = 2 * *middle;
    }
    out_.idle_gap_ns = std::max(min_idle_ns, least);
  }

  /// From kernels to operations: copies between two steps belong to the step behind the longest
  /// gap. The first of several steps begins with as many copies as most others.
  void place_steps() {
    const std::vector<StepPlaces>& steps = places_.steps;
    const auto follows = [&](size_t i) { return i > 0 && steps[i - 1].continues; };
    std::vector<size_t> copies;  // before the first kernel
    for (size_t i = 0; i < steps.size(); ++i) {
      const size_t first = kernels_.operations[steps[i].begin];
      ranges_.emplace_back(first, kernels_.operations[steps[i].end - 1] + size_t{1});
      if (!follows(i)) continue;
      ranges_[i].first = ranges_[i - 1].second = behind_longest_gap(steps[i].begin);
      copies.push_back(first - ranges_[i].first);
    }
    size_t usual = min_load_copies - 1;
    if (!copies.empty()) {
      const auto middle = copies.begin() + static_cast<ptrdiff_t>(copies.size() / 2);
      std::nth_element(copies.begin(), middle, copies.end());
      usual = *middle;
    }
    for (size_t i = 0; i < ranges_.size(); ++i) {
      auto& [begin, end] = ranges_[i];
      const size_t least = i > 0 ? ranges_[i - 1].second : 0;
      begin = std::max(begin, least);
      for (size_t k = 0; !follows(i) && k < usual && begin > least; ++k) {
        if (traits(begin - 1).kernel || gaps_[begin] >= out_.idle_gap_ns) break;
        --begin;
      }
      for (size_t k = 0; !steps[i].continues && k < min_load_copies && end < operations_.size();
           ++k) {
        if (traits(end).kernel || gaps_[end] >= out_.idle_gap_ns) break;
        ++end;
      }
      end = std::max(begin, end);
    }
    for (size_t i = 0; i < ranges_.size(); ++i) trim(i);
  }

  /// Among a kernel and what lies between it and the kernel before.
  size_t behind_longest_gap(size_t kernel) const {
    size_t place = kernels_.operations[kernel];
    const size_t last = place;
    for (size_t i = kernel == 0 ? 0 : kernels_.operations[kernel - 1] + size_t{1}; i < last; ++i) {
      if (gaps_[i] > gaps_[place]) place = i;
    }
    return place;
  }

  /// A step begins after the last long gap before its layers, and ends before the first after them.
  void trim(size_t i) {
    auto& [begin, end] = ranges_[i];
    const LayerStack& stack = places_.steps[i].stack;
    const size_t first = kernels_.operations[stack.first];
    const size_t last = kernels_.operations[stack.last - 1];
    for (size_t k = first; k > begin; --k) {
      if (gaps_[k] >= out_.idle_gap_ns) {
        begin = k;
        break;
      }
    }
    for (size_t k = last + 1; k < end; ++k) {
      if (gaps_[k] >= out_.idle_gap_ns) end = k;
    }
  }

  /// The names of the stack, and its attention. Returns the time of its kernels.
  int64_t add_stack(size_t i, StepFacts& out) {
    const LayerStack& stack = places_.steps[i].stack;
    int64_t stack_ns = 0;
    attention_names_.clear();
    for (size_t k = stack.first; k < stack.last; ++k) {
      const uint32_t place = kernels_.operations[k];
      const int64_t ns = at(place).duration_ns;
      stack_ns += ns;
      OfName& name = of_name_[kernels_.names[k]];
      if (name.step != i) {
        name = {i, 0, 0};
        out.layer_kernels += hash_numbers(kernels_.names[k], 1);
        if (traits(place).attention) attention_names_.push_back(kernels_.names[k]);
      }
      ++name.kernels;
      name.total_ns += ns;
    }
    // What few layers have may be a draft's.
    for (const uint32_t name : attention_names_) {
      if (of_name_[name].kernels >= min_of_layers) out.attention_ns += of_name_[name].total_ns;
    }
    out.attention_outside_ns -= out.attention_ns;
    return stack_ns;
  }

  /// Nearly all: a kernel of another stream may run between them.
  bool in_one_graph(const LayerStack& stack) const {
    if (!run_.trace.host) return false;
    const auto& launch_of = run_.trace.host->launch_of;
    const auto launch = [&](size_t kernel) {
      return launch_of[operations_[kernels_.operations[kernel]]];
    };
    const uint32_t graph = launch(stack.first + (stack.last - stack.first) / 2);
    if (graph == trace::HostRange::none) return false;
    size_t of_graph = 0;
    for (size_t k = stack.first; k < stack.last; ++k) of_graph += launch(k) == graph ? 1 : 0;
    return of_graph > 1 && of_graph * 20 >= (stack.last - stack.first) * 19;
  }

  StepFacts facts(size_t i, FoundStep& found) {
    const auto& [begin, end] = ranges_[i];
    const StepPlaces& step = places_.steps[i];
    StepFacts out;
    out.layers = step.stack.layers;
    out.stacks = step.stack.parts;
    out.continues = step.continues;
    int64_t last_ns = at(begin).start_ns;
    found.start_ns = last_ns;
    for (size_t k = begin; k < end; ++k) {
      const OperationTraits& one = traits(k);
      const int64_t ns = at(k).duration_ns;
      last_ns = std::max(last_ns, at(k).end_ns());
      found.total_ns += ns;
      found.kernels += one.kernel ? 1 : 0;
      out.generates |= one.generates;
      if (one.attention) out.attention_outside_ns += ns;
      if (one.training) out.training_ns += ns;
      if (one.head) out.head_ns += ns;
      if (one.mlp) {
        out.mlp_ns += ns;
        ++out.mlps;
      }
    }
    found.span_ns = last_ns - found.start_ns;
    const int64_t stack_ns = add_stack(i, out);
    out.one_graph = in_one_graph(step.stack);
    out.total_ns = found.total_ns;
    out.whole_graph = out.layers == 0;
    if (out.whole_graph) return out;
    found.stacks = out.stacks;
    found.layers = int64_t{out.layers} * out.stacks;
    found.layer_ns = stack_ns / *found.layers;
    return out;
  }

  void name_all_steps() {
    std::vector<StepFacts> all;
    all.reserve(ranges_.size());
    out_.steps.reserve(ranges_.size());
    of_name_.assign(kernels_.distinct, {});
    for (size_t i = 0; i < ranges_.size(); ++i) {
      FoundStep& found = out_.steps.emplace_back();
      found.device = run_.trace.track(at(ranges_[i].first).track).device;
      all.push_back(facts(i, found));
    }
    out_.verdict = name_steps(all, out_.bounded);
    const Confidence of_others =
        out_.boundary == Boundary::none ? Confidence::low : Confidence::medium;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      FoundStep& found = out_.steps[i];
      found.phase = out_.verdict.phases[i];
      found.confidence = found.phase == FoundPhase::other ? of_others : out_.verdict.confidence;
      for (size_t k = ranges_[i].first; k < ranges_[i].second; ++k) {
        out_.phase_of[k] = found.phase;
        out_.in_step[k] = true;
      }
    }
  }

  /// Outside steps, the stretches in which copies from the host take more time than all else: those
  /// whose sum (copies count positive, all else negative) cannot be made greater by moving an end.
  void find_load() {
    int64_t min_ns = 0;
    std::vector<int64_t> totals;
    totals.reserve(out_.steps.size());
    for (const FoundStep& step : out_.steps) totals.push_back(step.total_ns);
    std::nth_element(totals.begin(), totals.begin() + static_cast<ptrdiff_t>(totals.size() / 2),
                     totals.end());
    min_ns = totals[totals.size() / 2];
    const size_t first_step = ranges_.front().first;
    for (size_t begin = 0, end = 0; begin < operations_.size(); begin = end) {
      end = begin + 1;
      if (out_.in_step[begin]) continue;
      while (end < operations_.size() && !out_.in_step[end]) ++end;
      find_load_in(begin, end, min_ns, first_step);
    }
  }

  /// Of a copy; 0: not known.
  int64_t bytes_of(size_t place) const {
    if (!run_.trace.details) return 0;
    const auto bytes = run_.trace.details->of(operations_[place]).get(trace::DetailField::bytes);
    return std::max<int64_t>(bytes.value_or(0), 0);
  }

  void find_load_in(size_t begin, size_t end, int64_t min_ns, size_t first_step) {
    // The stretch of the greatest sum; the parts beside it have at most this sum, and are dropped.
    int64_t sum = 0, best = 0;
    size_t from = begin, first = begin, last = begin;
    for (size_t i = begin; i < end; ++i) {
      if (sum <= 0) {
        sum = 0;
        from = i;
      }
      sum += traits(i).from_host ? at(i).duration_ns : -at(i).duration_ns;
      if (sum <= best) continue;
      best = sum;
      first = from;
      last = i + 1;
    }
    int64_t copies = 0, copies_ns = 0, bytes = 0;
    for (size_t i = first; i < last; ++i) {
      if (!traits(i).from_host) continue;
      ++copies;
      copies_ns += at(i).duration_ns;
      bytes += bytes_of(i);
    }
    if (copies < int64_t{min_load_copies} || copies_ns < min_ns) return;
    std::fill(out_.phase_of.begin() + static_cast<ptrdiff_t>(first),
              out_.phase_of.begin() + static_cast<ptrdiff_t>(last), FoundPhase::model_load);
    out_.load_copies += copies;
    out_.load_copies_ns += copies_ns;
    out_.load_bytes += bytes;
    out_.load_is_first = out_.load_is_first && first < first_step;
  }

  /// Each moment belongs to the phase of the operation that started last; of this time, long gaps
  /// are idle.
  void share_span() {
    FoundPhase before = FoundPhase::idle;
    int64_t covered_to = first_ns_;
    int64_t begin_ns = first_ns_;
    const auto share_to = [&](size_t place, int64_t to) {
      PhaseShare& share = of(out_.phase_of[place]);
      const int64_t busy_to = std::min(covered_to, to);
      const int64_t gap = to - busy_to;
      share.busy_ns += busy_to - begin_ns;
      share.span_ns += to - begin_ns;
      if (gap >= out_.idle_gap_ns) {
        share.span_ns -= gap;
        of(FoundPhase::idle).span_ns += gap;
        ++of(FoundPhase::idle).stretches;
        ++out_.idle_gaps;
        before = FoundPhase::idle;
      }
      begin_ns = to;
    };
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (i > 0) share_to(i - 1, at(i).start_ns);
      PhaseShare& share = of(out_.phase_of[i]);
      if (std::exchange(before, out_.phase_of[i]) != out_.phase_of[i]) ++share.stretches;
      ++share.instances;
      share.total_ns += at(i).duration_ns;
      covered_to = std::max(covered_to, at(i).end_ns());
    }
    if (!operations_.empty()) share_to(operations_.size() - 1, last_ns_);
    int64_t span_ns = 0;
    for (const PhaseShare& share : out_.shares) span_ns += share.span_ns;
    KR_CHECK(span_ns == last_ns_ - first_ns_);
  }

  PhaseShare& of(FoundPhase phase) { return out_.shares[static_cast<size_t>(phase)]; }

  const LabelledTrace& run_;
  std::span<const uint32_t> operations_;
  std::span<const OperationTraits> traits_;
  DevicePhases out_;
  std::vector<int64_t> gaps_;  // before each operation
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
  KernelSequence kernels_;  // `operations` are places among those of the device
  StepPlacesFound places_;
  std::vector<std::pair<size_t, size_t>> ranges_;  // by step: of operations of the device
  /// What the last stack with a name has of it.
  struct OfName {
    size_t step = SIZE_MAX;
    int64_t kernels = 0;
    int64_t total_ns = 0;
  };
  std::vector<OfName> of_name_;  // by name of `kernels_`
  std::vector<uint32_t> attention_names_;
};

}  // namespace

DevicePhases find_device_phases(const LabelledTrace& run, std::span<const uint32_t> operations,
                                std::span<const OperationTraits> traits) {
  return DeviceFinder(run, operations, traits).find();
}

}  // namespace kr::analyze

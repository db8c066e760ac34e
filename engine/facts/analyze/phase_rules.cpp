#include "analyze/phase_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analyze/layer_stack.hpp"

namespace kr::analyze {
namespace {

constexpr size_t min_decode = 8;
constexpr size_t min_growing = 16;
constexpr int64_t min_mlps = 3;

int64_t median_total(std::span<const StepFacts> steps, const std::vector<size_t>& of) {
  std::vector<int64_t> times;
  times.reserve(of.size());
  for (const size_t i : of) times.push_back(steps[i].total_ns);
  const auto middle = times.begin() + static_cast<ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Whether attention takes longer in most steps than in those half the steps before.
bool attention_grows(std::span<const StepFacts> steps, const std::vector<size_t>& of) {
  const size_t half = of.size() / 2;
  size_t longer = 0;
  for (size_t i = half; i < of.size(); ++i) {
    longer += steps[of[i]].attention_ns > steps[of[i - half]].attention_ns ? 1 : 0;
  }
  return longer * 10 >= (of.size() - half) * 9;
}

class Namer {
 public:
  Namer(std::span<const StepFacts> steps, double bounded) : steps_(steps), bounded_(bounded) {
    out_.phases.assign(steps.size(), FoundPhase::other);
  }

  PhaseVerdict name() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].whole_graph) decode_.push_back(i);
    }
    if (!decode_.empty()) {
      name_graphs();
      return std::move(out_);
    }
    if (!find_inference()) return std::move(out_);
    const int64_t median = median_total(steps_, inference_);
    for (const size_t i : inference_) {
      const int64_t total = steps_[i].total_ns;
      if (total * 3 < median * 2 || total * 2 > median * 3) continue;
      decode_.push_back(i);
      decode_kernels_.insert(steps_[i].layer_kernels);
    }
    find_prefill(median);
    const bool many = decode_.size() >= min_decode && decode_.size() * 2 >= inference_.size();
    if (many && !prefill_.empty()) {
      two_kinds(median);
    } else if (decode_.size() >= min_growing && decode_.size() * 10 >= inference_.size() * 9 &&
               all_generate(decode_) && attention_grows(steps_, decode_)) {
      one_kind();
    } else if (!step_by_step()) {
      out_.why = prefill_.empty() ? "one kind of step: nothing distinguishes prefill from decode"
                                  : "too few steps of one kind to distinguish prefill from decode";
    }
    return std::move(out_);
  }

 private:
  /// `decode_` are the graphs.
  void name_graphs() {
    if (decode_.size() < min_decode) {
      out_.why = "too few graphs to identify them";
      return;
    }
    const auto training = std::any_of(steps_.begin(), steps_.end(), [](const StepFacts& step) {
      return step.training_ns * 100 >= std::max<int64_t>(step.total_ns, 1);
    });
    const bool others = decode_.size() < steps_.size() && find_inference();
    if (training || (decode_.size() < steps_.size() && !others)) {
      out_.why = training ? "kernels labelled as training" : out_.why;
      return;
    }
    const int64_t median = median_total(steps_, decode_);
    if (others) find_prefill(median);
    const bool generate = all_generate(decode_);
    if (prefill_.empty() && !generate) {
      out_.why = "one kind of step: nothing distinguishes prefill from decode";
      return;
    }
    name_all(decode_, FoundPhase::decode);
    name_all(prefill_, FoundPhase::prefill);
    out_.confidence = prefill_.empty() ? Confidence::low : Confidence::medium;
    out_.why = prefill_.empty()
                   ? "one graph per step, and sampling behind it"
                   : fmt::format("prefill takes {:.1f} times as long as a graph, which is decode",
                                 static_cast<double>(median_total(steps_, prefill_)) /
                                     static_cast<double>(std::max<int64_t>(median, 1)));
  }

  /// Steps of the usual number of layers that may be prefill or decode.
  bool find_inference() {
    std::map<uint32_t, size_t> of_layers;
    for (const StepFacts& step : steps_) {
      if (step.stacks == 1 && !step.whole_graph) ++of_layers[step.layers];
    }
    const size_t counted = steps_.size() - decode_.size();
    const auto usual =
        std::max_element(of_layers.begin(), of_layers.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (usual == of_layers.end()) {
      out_.why = "several stacks of layers in one step, as in training";
      return false;
    }
    size_t near = 0;
    for (const auto& [layers, steps] : of_layers)
      near += nearly_equal(layers, usual->first) ? steps : 0;
    if (near * 10 < counted * 9) {
      out_.why = "steps of different numbers of layers: a draft model, or several models";
      return false;
    }
    size_t training = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const StepFacts& step = steps_[i];
      if (step.whole_graph || step.stacks != 1 || !nearly_equal(step.layers, usual->first))
        continue;
      if (step.training_ns * 100 >= std::max<int64_t>(step.total_ns, 1)) {
        ++training;
      } else if (step.attention_ns > 0) {
        inference_.push_back(i);
      }
    }
    if (inference_.empty()) {
      out_.why = training > 0 ? "kernels labelled as training"
                              : "no kernel of the layers is labelled as attention";
    }
    return !inference_.empty();
  }

  void find_prefill(int64_t median) {
    std::vector<size_t> longer;
    std::set<uint64_t> followed;  // kernels of those that a step follows
    for (const size_t i : inference_) {
      const StepFacts& step = steps_[i];
      if (step.total_ns < 2 * median || decode_kernels_.contains(step.layer_kernels)) continue;
      longer.push_back(i);
      if (step.continues) followed.insert(step.layer_kernels);
    }
    std::copy_if(longer.begin(), longer.end(), std::back_inserter(prefill_),
                 [&](size_t i) { return followed.contains(steps_[i].layer_kernels); });
  }

  bool all_generate(const std::vector<size_t>& of) const {
    const auto generating =
        std::count_if(of.begin(), of.end(), [&](size_t i) { return steps_[i].generates; });
    return static_cast<size_t>(generating) * 10 >= of.size() * 9;
  }

  void name_all(const std::vector<size_t>& of, FoundPhase phase) {
    for (const size_t i : of) out_.phases[i] = phase;
    out_.any = true;
  }

  /// Attention outside the layers, half as long as that of a layer or more, may be that of a draft,
  /// and so may a layer more.
  void count_tokens() {
    const uint32_t layers = steps_[inference_.front()].layers;
    const bool same = std::all_of(inference_.begin(), inference_.end(),
                                  [&](size_t i) { return steps_[i].layers == layers; });
    out_.one_token_per_step =
        same && std::none_of(decode_.begin(), decode_.end(), [&](size_t i) {
          return steps_[i].attention_outside_ns * 2 * steps_[i].layers >= steps_[i].attention_ns;
        });
  }

  void two_kinds(int64_t median) {
    // Smaller batches of the same kernels are decode, too.
    for (const size_t i : inference_) {
      if (steps_[i].total_ns * 3 < median * 2 &&
          decode_kernels_.contains(steps_[i].layer_kernels)) {
        decode_.push_back(i);
      }
    }
    name_all(decode_, FoundPhase::decode);
    name_all(prefill_, FoundPhase::prefill);
    const bool labels = all_generate(decode_) && all_generate(prefill_);
    out_.confidence = labels && bounded_ >= 0.95 ? Confidence::high : Confidence::medium;
    out_.why = fmt::format(
        "prefill takes {:.1f} times as long as decode, with other kernels in its layers{}",
        static_cast<double>(median_total(steps_, prefill_)) /
            static_cast<double>(std::max<int64_t>(median, 1)),
        labels ? "; both write the KV cache or sample" : "");
    count_tokens();
  }

  void one_kind() {
    name_all(decode_, FoundPhase::decode);
    out_.confidence = Confidence::low;
    out_.why =
        "attention takes longer from step to step, as the context grows; no other kind of step";
    count_tokens();
  }

  /// By the parts of each step and its launch. False: they say nothing.
  bool step_by_step() {
    std::vector<size_t> decode, prefill;
    double share = 0;  // the largest of prefill
    for (const size_t i : inference_) {
      const StepFacts& step = steps_[i];
      if (!step.generates) continue;
      const auto mlps = static_cast<int64_t>(step.mlps);
      if (step.head_ns > 0 && mlps >= min_mlps && step.head_ns * 4 * mlps <= step.mlp_ns) {
        prefill.push_back(i);
        share = std::max(
            share, static_cast<double>(step.head_ns * mlps) / static_cast<double>(step.mlp_ns));
      } else if (step.one_graph) {
        decode.push_back(i);
      }
    }
    if (prefill.empty() && decode.empty()) return false;
    name_all(decode, FoundPhase::decode);
    name_all(prefill, FoundPhase::prefill);
    out_.confidence = decode.empty() ? Confidence::medium : Confidence::low;
    if (!prefill.empty()) {
      out_.why = fmt::format(
          "in prefill the product that makes logits takes {:.2f} times as long as the first "
          "product "
          "of an MLP: it has few of the tokens",
          share);
    }
    if (!decode.empty()) {
      if (!out_.why.empty()) out_.why += "; ";
      out_.why += "in decode one launch of a graph has all layers";
    }
    return true;
  }

  std::span<const StepFacts> steps_;
  double bounded_;
  PhaseVerdict out_;
  std::vector<size_t> inference_;
  std::vector<size_t> decode_;
  std::vector<size_t> prefill_;
  std::set<uint64_t> decode_kernels_;
};

}  // namespace

PhaseVerdict name_steps(std::span<const StepFacts> steps, double bounded) {
  if (steps.empty()) return {};
  return Namer(steps, bounded).name();
}

}  // namespace kr::analyze

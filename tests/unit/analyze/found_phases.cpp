// How layers are counted and steps are called. The property tests have whole runs.
#include "analyze/found_phases.hpp"

#include <doctest/doctest.h>

#include "analyze/layer_stack.hpp"
#include "analyze/phase_rules.hpp"
#include "analyze/step_finder.hpp"

namespace {

using kr::analyze::FoundPhase;
using kr::analyze::StepFacts;

std::optional<kr::analyze::LayerStack> stack_of(const std::vector<uint32_t>& kernels) {
  return kr::analyze::LayerCounter(100).find(kernels);
}

/// Each layer is these kernels, with `odd` before the last one in every third layer.
std::vector<uint32_t> layers(int count, std::vector<uint32_t> odd = {}) {
  std::vector<uint32_t> out{50, 51};
  for (int i = 0; i < count; ++i) {
    for (const uint32_t name : {1, 2, 3, 1, 4}) out.push_back(name);
    if (i % 3 == 2) out.insert(out.end(), odd.begin(), odd.end());
    out.push_back(5);
  }
  out.push_back(52);
  return out;
}

std::vector<StepFacts> steps(size_t count, int64_t total_ns, uint64_t kernels) {
  StepFacts one;
  one.layers = 32;
  one.total_ns = total_ns;
  one.layer_kernels = kernels;
  one.attention_ns = total_ns / 10;
  one.generates = true;
  one.continues = true;
  return std::vector<StepFacts>(count, one);
}

std::vector<StepFacts> operator+(std::vector<StepFacts> a, const std::vector<StepFacts>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("layers are what most names share") {
  const auto stack = stack_of(layers(9));
  REQUIRE(stack);
  CHECK(*stack == kr::analyze::LayerStack{3, 56, 9, 4, 1, false});
  // It begins with the first name that occurs once per layer. What a third of the layers have
  // besides does not matter.
  CHECK(stack_of(layers(9, {6}))->layers == 9);
  CHECK(!stack_of(layers(9, {6}))->has_joint);
  // Three kernels more are those between two steps.
  CHECK(stack_of(layers(9, {6, 7, 8}))->has_joint);
  CHECK(!stack_of(layers(2)));
  CHECK(!stack_of({}));
  CHECK(!stack_of(std::vector<uint32_t>(100, 7)));
}

TEST_CASE("a forward and a backward pass are two stacks") {
  std::vector<uint32_t> kernels;
  for (int i = 0; i < 8; ++i) kernels.insert(kernels.end(), {1, 2, 3, 4});
  kernels.push_back(20);
  for (int i = 0; i < 8; ++i) kernels.insert(kernels.end(), {11, 12, 13, 14});
  const auto stack = stack_of(kernels);
  REQUIRE(stack);
  CHECK(stack->layers == 8);
  CHECK(stack->parts == 2);
}

TEST_CASE("prefill and decode are two kinds of steps") {
  const auto verdict = kr::analyze::name_steps(steps(1, 900, 1) + steps(10, 100, 2), 1);
  CHECK(verdict.phases.front() == FoundPhase::prefill);
  CHECK(verdict.phases.back() == FoundPhase::decode);
  CHECK(verdict.confidence == kr::analyze::Confidence::high);
  CHECK(verdict.one_token_per_step);
  CHECK(kr::analyze::name_steps(steps(1, 900, 1) + steps(10, 100, 2), 0.92).confidence ==
        kr::analyze::Confidence::medium);
}

TEST_CASE("what is not enough for prefill and decode") {
  const auto abstains = [](const std::vector<StepFacts>& all) {
    const auto verdict = kr::analyze::name_steps(all, 1);
    CHECK(!verdict.why.empty());
    return !verdict.any;
  };
  CHECK(abstains(steps(1, 900, 1) + steps(7, 100, 2)));   // few steps
  CHECK(abstains(steps(1, 900, 2) + steps(10, 100, 2)));  // the same kernels
  CHECK(abstains(steps(1, 190, 1) + steps(10, 100, 2)));  // hardly longer
  CHECK(abstains(steps(40, 100, 2)));                     // one kind, and attention does not grow
  auto training = steps(1, 900, 1) + steps(10, 100, 2);
  for (StepFacts& one : training) one.training_ns = one.total_ns / 50;
  CHECK(abstains(training));
  auto two_models = steps(1, 900, 1) + steps(20, 100, 2);
  for (size_t i = 1; i < two_models.size(); i += 2) two_models[i].layers = 4;
  CHECK(abstains(two_models));
  CHECK(kr::analyze::name_steps({}, 1).phases.empty());
}

TEST_CASE("one kind of step: by the products and the launch of each") {
  auto prefill = steps(2, 900, 1);
  for (StepFacts& one : prefill) {
    one.generates = true;
    one.mlps = 8;
    one.mlp_ns = 800;
    one.head_ns = 25;  // a quarter of one product
  }
  auto verdict = kr::analyze::name_steps(prefill, 1);
  CHECK(verdict.phases == std::vector(2, FoundPhase::prefill));
  CHECK(verdict.confidence == kr::analyze::Confidence::medium);
  for (StepFacts& one : prefill) one.head_ns = 26;
  CHECK(!kr::analyze::name_steps(prefill, 1).any);
  for (StepFacts& one : prefill) one.one_graph = true;
  verdict = kr::analyze::name_steps(prefill, 1);
  CHECK(verdict.phases == std::vector(2, FoundPhase::decode));
  CHECK(verdict.confidence == kr::analyze::Confidence::low);
  for (StepFacts& one : prefill) one.generates = false;
  CHECK(!kr::analyze::name_steps(prefill, 1).any);
}

TEST_CASE("graphs that were traced as one operation") {
  const auto graphs = [](size_t count, bool sampling) {
    StepFacts one;
    one.whole_graph = true;
    one.total_ns = 100;
    one.generates = sampling;
    one.continues = true;
    return std::vector<StepFacts>(count, one);
  };
  const auto sampled = kr::analyze::name_steps(graphs(8, true), 1);
  CHECK(sampled.phases.back() == FoundPhase::decode);
  CHECK(sampled.confidence == kr::analyze::Confidence::low);
  CHECK(!sampled.one_token_per_step);
  CHECK(!kr::analyze::name_steps(graphs(8, false), 1).any);  // any loop
  CHECK(!kr::analyze::name_steps(graphs(7, true), 1).any);   // few
  const auto both = kr::analyze::name_steps(steps(2, 900, 1) + graphs(8, false), 1);
  CHECK(both.phases.front() == FoundPhase::prefill);
  CHECK(both.phases.back() == FoundPhase::decode);
  CHECK(both.confidence == kr::analyze::Confidence::medium);
  auto training = steps(2, 900, 1) + graphs(8, true);
  training.front().training_ns = 100;
  CHECK(!kr::analyze::name_steps(training, 1).any);
}

TEST_CASE("a graph that was traced as one operation is a step if there is one per step") {
  const auto places = [](uint8_t before_graph) {
    kr::analyze::KernelSequence kernels;
    for (uint32_t step = 0; step < 12; ++step) {
      for (const uint32_t name : {0U, 1U, 2U}) {
        const uint8_t graph = name == 2 ? kr::analyze::KernelSequence::whole_graph : uint8_t{0};
        kernels.operations.push_back(static_cast<uint32_t>(kernels.operations.size()));
        kernels.names.push_back(name);
        kernels.gap_ns.push_back(name == 0 ? 100 : 1);
        kernels.marks.push_back(name == 1 ? before_graph : graph);
      }
    }
    kernels.distinct = 3;
    return kr::analyze::find_steps(kernels);
  };
  const auto found = places(kr::analyze::KernelSequence::edge);
  REQUIRE(found.steps.size() == 12);
  CHECK(found.boundary == kr::analyze::Boundary::labels);
  CHECK(found.steps[5].begin == 15);
  CHECK(found.steps[5].end == 18);
  CHECK(found.steps[5].stack.layers == 0);
  CHECK(places(0).steps.empty());
}

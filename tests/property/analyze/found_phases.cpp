// Planted structures are found again; what has none is not given any.
#include "analyze/found_phases.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "analyze/device_phases.hpp"
#include "support/labelled.hpp"
#include "support/model_runs.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::analyze::Confidence;
using kr::analyze::FoundPart;
using kr::analyze::FoundPhase;
using kr::analyze::FoundPhases;
using kr::analyze::FoundStep;
using kr::test::ModelRun;

const kr::match::CompiledRules& rules() {
  static const kr::match::CompiledRules compiled = kr::test::compile(kr::test::model_run_rules);
  return compiled;
}

FoundPhases found_in(kr::trace::Trace trace) {
  return kr::analyze::find_phases(rules(), *kr::test::label(rules(), std::move(trace)));
}

const FoundPart* part(const FoundPhases& found, FoundPhase phase) {
  const auto at = std::find_if(found.parts.begin(), found.parts.end(),
                               [&](const FoundPart& one) { return one.phase == phase; });
  return at == found.parts.end() ? nullptr : &*at;
}

/// Neither prefill nor decode.
bool abstains(const FoundPhases& found) {
  return part(found, FoundPhase::prefill) == nullptr && part(found, FoundPhase::decode) == nullptr;
}

/// Requests of one prefill and several steps of decode, as a generator of random ones.
void add_requests(ModelRun& run, std::mt19937& random) {
  const int requests = 1 + static_cast<int>(random() % 4);
  for (int request = 0; request < requests; ++request) {
    const int prefills = 1 + static_cast<int>(random() % 2);
    const int tokens = 10 + static_cast<int>(random() % 20);
    for (int i = 0; i < prefills; ++i) run.prefill();
    for (int i = 0; i < tokens; ++i) run.decode();
  }
}

void check_steps(const FoundPhases& found, const ModelRun& run) {
  REQUIRE(found.steps.size() == run.steps().size());
  for (size_t i = 0; i < found.steps.size(); ++i) {
    CAPTURE(i);
    const kr::test::PlantedStep& planted = run.steps()[i];
    const FoundStep& step = found.steps[i];
    CHECK(kr::analyze::to_string(step.phase) == planted.phase);
    CHECK(step.layers == run.layers);
    CHECK(step.start_ns == planted.start_ns);
    CHECK(step.kernels == planted.kernels);
  }
}

}  // namespace

TEST_CASE("planted phases are found exactly") {
  const unsigned seed = 20261123;
  CAPTURE(seed);
  std::mt19937 random(seed);
  // A gap counts for all kernels behind it, too: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(40, 1); ++round) {
    CAPTURE(round);
    ModelRun run(static_cast<unsigned>(random()));
    run.layers = 4 + static_cast<int>(random() % 40);
    run.copies = random() % 3 != 0;
    run.alternating = random() % 3 == 0 && run.layers >= 12;
    run.side_stream = random() % 3 == 0;
    const int tensors = random() % 2 == 0 ? 200 : 0;
    CAPTURE(run.layers);
    CAPTURE(run.copies);
    CAPTURE(run.alternating);
    CAPTURE(run.side_stream);
    if (tensors > 0) run.load(tensors);
    add_requests(run, random);
    const FoundPhases found = found_in(run.trace());
    check_steps(found, run);
    const FoundPart* decode = part(found, FoundPhase::decode);
    REQUIRE(decode != nullptr);
    CHECK(decode->confidence == Confidence::high);
    CHECK(decode->steps == static_cast<int64_t>(run.count("decode")));
    CHECK(decode->tokens == decode->steps);
    CHECK(decode->layers == run.layers);
    const FoundPart* load = part(found, FoundPhase::model_load);
    CHECK((load != nullptr) == (tensors > 0));
    if (load != nullptr) {
      CHECK(load->instances == tensors);
      CHECK(load->confidence == Confidence::high);
    }
  }
}

TEST_CASE("kernels that are missing, or are no part of a step, hide little") {
  std::mt19937 random(7);
  // Nearly all stretches must be equal for a name to find steps: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(10, 1); ++round) {
    CAPTURE(round);
    ModelRun run(static_cast<unsigned>(random()));
    run.layers = 24;
    run.missing = 0.001;
    run.noise(500);
    run.wait(500'000);
    add_requests(run, random);
    run.wait(80'000'000);
    run.noise(300);
    const FoundPhases found = found_in(run.trace());
    size_t same = 0;
    for (const kr::test::PlantedStep& planted : run.steps()) {
      for (const FoundStep& step : found.steps) {
        same += kr::analyze::to_string(step.phase) == planted.phase &&
                        step.start_ns < planted.end_ns &&
                        step.start_ns + step.span_ns > planted.start_ns &&
                        std::abs(step.span_ns - (planted.end_ns - planted.start_ns)) < 100'000
                    ? 1
                    : 0;
      }
    }
    CHECK(same * 10 >= run.steps().size() * 9);
    CHECK(found.steps.size() <= run.steps().size() + 1);
    const FoundPart* idle = part(found, FoundPhase::idle);
    REQUIRE(idle != nullptr);
    CHECK(idle->span_ns >= 80'000'000);
  }
}

TEST_CASE("shuffled kernels have no steps and no phases") {
  std::mt19937 random(11);
  // It is not said that there are no steps: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(20, 1); ++round) {
    CAPTURE(round);
    ModelRun run(static_cast<unsigned>(random()));
    run.layers = 4 + static_cast<int>(random() % 40);
    run.load(50);
    add_requests(run, random);
    const FoundPhases found = found_in(run.shuffled());
    CHECK(found.parts.empty());
    CHECK(found.steps.empty());
    CHECK(!found.nothing.empty());
  }
}

TEST_CASE("kernels in no order have no steps") {
  ModelRun run(3);
  for (int i = 0; i < 20; ++i) run.noise(200);
  CHECK(found_in(run.trace()).steps.empty());
  CHECK(found_in({}).steps.empty());
}

TEST_CASE("training is neither prefill nor decode") {
  // Kernels behind the first stack are none: found in round 1.
  for (unsigned seed = 0; seed < kr::test::rounds(10, 1); ++seed) {
    CAPTURE(seed);
    ModelRun run(seed);
    for (int i = 0; i < 20; ++i) run.training_step();
    const FoundPhases found = found_in(run.trace());
    CHECK(abstains(found));
    CHECK(found.steps.size() == 20);
    for (const FoundStep& step : found.steps) CHECK(step.stacks == 2);
  }
}

TEST_CASE("a graph launch per step bounds steps that nothing else does") {
  for (const bool graphs : {false, true}) {
    CAPTURE(graphs);
    std::mt19937 random(23);
    kr::trace::TraceBuilder builder("test.json", "test");
    const kr::trace::TrackId track = builder.track({0, 7, "GPU"});
    int64_t now = 1'000'000;
    int64_t call = 0;
    const auto add = [&](const std::string& name) {
      // Gaps are as long in the layers as between steps.
      now += 1'000 + static_cast<int64_t>(random() % 1'000);
      builder.add({now, 5'000, builder.name(name, kr::OperationKind::kernel), track});
      if (!graphs) ++call;
      builder.add_correlations(&call, 1);
      now += 5'000;
    };
    kr::trace::HostTrace& host = builder.host();
    for (int step = 0; step < 40; ++step) {
      ++call;
      for (const char* name : {"ids", "mask", "first"}) add(name);
      for (int layer = 0; layer < 8; ++layer) {
        for (const char* name : {"norm", "gemm_qkv", "attn", "gemm_o", "gemm_up", "gemm_down"})
          add(name);
      }
      add("last");
    }
    for (int64_t i = 1; i <= call; ++i) {
      host.launches.push_back(
          {i, 10 * i, 5, builder.call({"call", false}), builder.thread({"1", "2"})});
    }
    const FoundPhases found = found_in(std::move(builder).finish());
    // Without, it may be one step.
    CHECK((graphs ? found.steps.size() == 40 : found.steps.size() <= 1));
  }
}

TEST_CASE("steps of one kind are decode only if attention grows with the context") {
  for (const int64_t growth_ns : {0, 400}) {
    CAPTURE(growth_ns);
    ModelRun run(5);
    run.attention_growth_ns = growth_ns;
    for (int i = 0; i < 40; ++i) run.decode();
    const FoundPhases found = found_in(run.trace());
    CHECK(found.steps.size() == 40);
    CHECK(abstains(found) == (growth_ns == 0));
    if (growth_ns == 0) continue;
    CHECK(part(found, FoundPhase::decode)->confidence == Confidence::low);
  }
}

TEST_CASE("the tokens of a step with a draft are not known") {
  ModelRun run(9);
  run.draft_layers = 1;
  run.prefill();
  for (int i = 0; i < 30; ++i) run.decode();
  const FoundPhases found = found_in(run.trace());
  const FoundPart* decode = part(found, FoundPhase::decode);
  REQUIRE(decode != nullptr);
  CHECK(decode->steps == 30);
  CHECK(!decode->tokens);
}

TEST_CASE("a draft model of many layers and its target are not told apart") {
  ModelRun run(10);
  run.layers = 24;
  run.prefill();
  for (int i = 0; i < 30; ++i) {
    for (int k = 0; k < 4; ++k) run.draft(8);
    run.decode();
  }
  const FoundPhases found = found_in(run.trace());
  const FoundPart* decode = part(found, FoundPhase::decode);
  // Where anything is called decode, it is the whole iteration, without a number of tokens.
  if (decode != nullptr) {
    CHECK(!decode->tokens);
    CHECK(decode->steps <= 30);
  }
}

TEST_CASE("a single step has its layers, and no phase") {
  ModelRun run(12);
  run.decode();
  const FoundPhases found = found_in(run.trace());
  REQUIRE(found.steps.size() == 1);
  CHECK(found.steps[0].layers == run.layers);
  CHECK(found.steps[0].confidence == Confidence::low);
  CHECK(abstains(found));
}

TEST_CASE("rules without labels give steps, but no prefill and decode") {
  const kr::match::CompiledRules none =
      kr::test::compile("engine e { substage { misc: otherwise } }");
  ModelRun run(13);
  run.prefill();
  for (int i = 0; i < 30; ++i) run.decode();
  const FoundPhases found = kr::analyze::find_phases(none, *kr::test::label(none, run.trace()));
  CHECK(found.steps.size() == 31);
  CHECK(abstains(found));
}

TEST_CASE("times of phases are those of a slow count, and add up to those of the device") {
  std::mt19937 random(17);
  constexpr int64_t tick = 100'000;
  // The latest end of operations is that of the last: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(200, 2); ++round) {
    CAPTURE(round);
    kr::trace::TraceBuilder builder("test.csv", "test");
    int64_t start = 0;
    for (int i = 0; i < 60; ++i) {
      start += tick * static_cast<int64_t>(random() % 10 == 0 ? random() % 40 : random() % 4);
      const bool copy = random() % 2 == 0;
      builder.add({start, tick * static_cast<int64_t>(random() % 5),
                   builder.name(copy ? "[CUDA memcpy HtoD]" : "attn",
                                copy ? kr::OperationKind::memcpy : kr::OperationKind::kernel),
                   builder.track({0, static_cast<int64_t>(random() % 2), "GPU"})});
    }
    const auto run = kr::test::label(rules(), std::move(builder).finish());
    const auto& all = run->trace.operations;
    std::vector<uint32_t> operations;
    for (uint32_t i = 0; i < all.size(); ++i) operations.push_back(i);
    const auto traits = kr::analyze::operation_traits(rules().program(), run->trace, run->labelled);
    const auto device = kr::analyze::find_device_phases(*run, operations, traits);
    int64_t last = 0, idle = 0, busy = 0, span = 0, total = 0, found_busy = 0, found_total = 0;
    for (const auto& one : all) last = std::max(last, one.end_ns());
    int64_t free_ticks = 0;
    const auto end_gap = [&] {
      if (free_ticks * tick >= device.idle_gap_ns) idle += free_ticks * tick;
      free_ticks = 0;
    };
    for (int64_t at = all[0].start_ns; at < last; at += tick) {
      const bool covered = std::any_of(
          all.begin(), all.end(),
          [&](const kr::trace::Operation& one) { return one.start_ns <= at && at < one.end_ns(); });
      const bool begins = std::any_of(all.begin(), all.end(), [&](const kr::trace::Operation& one) {
        return one.start_ns == at;
      });
      if (covered || begins) end_gap();
      covered ? static_cast<void>(busy += tick) : static_cast<void>(++free_ticks);
    }
    end_gap();
    for (const auto& one : all) total += one.duration_ns;
    for (const auto& share : device.shares) {
      span += share.span_ns;
      found_busy += share.busy_ns;
      found_total += share.total_ns;
    }
    CHECK(span == last - all[0].start_ns);
    CHECK(found_busy == busy);
    CHECK(found_total == total);
    CHECK(device.shares[static_cast<size_t>(FoundPhase::idle)].span_ns == idle);
  }
}

#include "analyze/summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

using kr::test::compile;
using kr::test::Event;
using kr::test::make_trace;

namespace {

const char* const text = R"(
labels substage { gemm "GEMM" comm "Communication" }
engine e {
  substage { gemm: "gemm" comm: "nccl" }
  operation { otherwise keep }
  kind { communication: "nccl" }
}
)";

kr::analyze::RunSummary summarize(const kr::trace::Trace& trace,
                                  std::optional<int64_t> elapsed = {}) {
  static const kr::match::CompiledRules rules = compile(text);
  const kr::classify::TraceSubjects subjects(rules.program(), rules.database, trace,
                                             {"e", "default"});
  const auto model = rules.program().model(*rules.program().engine("e"), "default");
  const auto labelled = kr::classify::classify(subjects, *model);
  return kr::analyze::summarize(rules, trace, labelled, elapsed);
}

const kr::analyze::LabelSum& label(const kr::analyze::RunSummary& run, std::string_view dimension,
                                   std::string_view name) {
  for (const auto& sum : run.dimensions[*run.dimension(dimension)].labels) {
    if (sum.label == name) return sum;
  }
  FAIL("no such label");
  return run.dimensions[0].labels[0];
}

}  // namespace

TEST_CASE("elapsed time counts for the earlier, the longer, then the first by name") {
  const auto run = summarize(make_trace({
      {0, 100, "gemm_b"},
      {50, 100, "nccl_a"},  // 50 of it new
      {150, 10, "gemm_b"},  // begins where the last ended
      {200, 30, "gemm_z"},  // equal start: the longer first
      {200, 50, "nccl_a"},  // 50, and gemm_z 0
      {300, 10, "gemm_z"},  // equal start and length: by name
      {300, 10, "gemm_b"},
  }));
  CHECK(run.gpu_elapsed_ns == 150 + 10 + 50 + 10);
  CHECK(run.gpu_total_ns == 310);
  CHECK(label(run, "substage", "comm").elapsed_ns == 100);
  CHECK(label(run, "substage", "gemm").elapsed_ns == 120);
  CHECK(label(run, "operation", "gemm_b").elapsed_ns == 120);
  CHECK(label(run, "operation", "gemm_z").elapsed_ns == 0);
  CHECK(label(run, "operation", "gemm_z").instances == 2);
}

TEST_CASE("what no rule labels is unclassified, never gone") {
  const auto run = summarize(make_trace({{0, 10, "other"}, {10, 5, "gemm"}}));
  CHECK(label(run, "substage", "unclassified").total_ns == 10);
  CHECK(run.names.size() == 2);
  CHECK(run.names[0].labels[*run.dimension("substage")].rule.empty());
  CHECK(run.names[1].labels[*run.dimension("substage")].rule == "test.kr:4");
}

TEST_CASE("each device keeps the identity") {
  const auto run = summarize(make_trace({
      {0, 10, "gemm", 0},
      {5, 10, "nccl", 0},
      {30, 5, "[CUDA memcpy HtoD]", 0, kr::OperationKind::memcpy},
      {0, 7, "gemm", 3},
  }));
  REQUIRE(run.devices.size() == 2);
  const kr::analyze::DeviceSum& first = run.devices[0];
  CHECK(first.span_ns == 35);
  CHECK(first.compute_ns == 10);
  CHECK(first.communication_ns == 10);
  CHECK(first.exposed_communication_ns == 5);
  CHECK(first.exposed_memory_ns == 5);
  CHECK(first.idle_ns == 15);
  CHECK(run.devices[1].device == 3);
  CHECK(run.devices[1].span_ns == 7);
}

TEST_CASE("busy time counts each device by itself") {
  const auto run = summarize(make_trace({
      {0, 100, "gemm", 0},
      {10, 50, "nccl", 1},   // nothing of it is elapsed
      {40, 100, "gemm", 1},  // 20 of it are covered on its device, 60 on the other
  }));
  CHECK(run.gpu_elapsed_ns == 140);
  CHECK(run.gpu_busy_ns == 100 + 130);
  CHECK(label(run, "substage", "comm").elapsed_ns == 0);
  CHECK(label(run, "substage", "comm").busy_ns == 50);
  CHECK(label(run, "substage", "gemm").elapsed_ns == 140);
  CHECK(label(run, "substage", "gemm").busy_ns == 180);
}

TEST_CASE("only what a rule other than `otherwise` labels is explained") {
  const auto run = summarize(make_trace({{0, 10, "other"}, {10, 5, "gemm"}, {10, 5, "gemm"}}));
  const auto& substage = run.dimensions[*run.dimension("substage")];
  CHECK(substage.explained_ns == 10);
  CHECK(substage.unexplained_names == 1);
  const auto& operation = run.dimensions[*run.dimension("operation")];
  CHECK(operation.explained_ns == 0);
  CHECK(operation.unexplained_names == 2);
}

TEST_CASE("no GPU busy: what the user gave minus the time of the GPU, never below 0") {
  const auto trace = make_trace({{100, 10, "gemm"}, {150, 10, "gemm"}});
  CHECK(summarize(trace).non_gpu_ns == 40);
  CHECK(summarize(trace).wall_from == kr::analyze::WallFrom::span);
  CHECK(summarize(trace, 0).non_gpu_ns == 40);
  CHECK(summarize(trace, 1000).non_gpu_ns == 980);
  CHECK(summarize(trace, 1000).warnings.empty());
  CHECK(summarize(trace, 5).non_gpu_ns == 0);
  CHECK(summarize(trace, 5).warnings.size() == 1);
  CHECK(summarize(trace).warnings.size() == 1);
}

TEST_CASE("no operations are no trouble") {
  const auto run = summarize(make_trace({}));
  CHECK(run.operations == 0);
  CHECK(run.gpu_elapsed_ns == 0);
  CHECK(run.devices.empty());
  CHECK(run.names.empty());
}

TEST_CASE("the order of events makes no difference") {
  std::mt19937 random(11);
  std::vector<Event> events;
  std::uniform_int_distribution<int64_t> time(0, 500), length(0, 40);
  for (int i = 0; i < 300; ++i) {
    events.push_back({time(random), length(random),
                      i % 3 == 0 ? "nccl" : "gemm" + std::to_string(i % 7), i % 2});
  }
  const auto expected = summarize(make_trace(events));
  // Operations that begin together are in any order: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(20, 1); ++round) {
    CAPTURE(round);
    std::shuffle(events.begin(), events.end(), random);
    const auto run = summarize(make_trace(events));
    REQUIRE(run.names.size() == expected.names.size());
    for (size_t i = 0; i < run.names.size(); ++i) {
      REQUIRE(run.names[i].name == expected.names[i].name);
      REQUIRE(run.names[i].elapsed_ns == expected.names[i].elapsed_ns);
    }
    REQUIRE(run.devices[1].idle_ns == expected.devices[1].idle_ns);
  }
}

TEST_CASE("durations that cannot be added are refused") {
  constexpr int64_t day = int64_t{86'400} * 1'000'000'000;
  const std::vector<Event> days(INT64_MAX / day + 1, {0, day, "gemm"});
  CHECK_THROWS_AS(summarize(make_trace(days)), kr::Error);
}

// What limits a run: one rule each, on sums that are written down.
#include "tables/verdicts.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/idle.hpp"
#include "support/summaries.hpp"

using kr::analyze::IdleCause;
using kr::tables::Source;
using kr::tables::Verdict;

namespace {

/// How long one device does what, in ns.
struct DeviceTimes {
  int64_t compute_ns = 0;
  int64_t communication_ns = 0;
  int64_t memory_ns = 0;
  int64_t idle_ns = 0;
};

using Causes = std::vector<std::pair<IdleCause, int64_t>>;

kr::tables::Run run_of(const DeviceTimes& times, int64_t instances = 100,
                       const std::string& label = "gemm", const std::string& device = "GPU") {
  kr::test::SummaryBuilder builder("run_0", {"substage", "kind"});
  const int64_t busy_ns = times.compute_ns + times.communication_ns + times.memory_ns;
  builder.add({"gemm", {label, "compute"}, busy_ns, busy_ns, instances});
  builder.device(0, device, times.compute_ns, times.communication_ns, times.memory_ns,
                 times.idle_ns);
  return {std::move(builder).finish(0), {}};
}

void add_causes(kr::tables::Run& run, const Causes& causes) {
  kr::analyze::DeviceIdle device;
  for (const auto& [cause, ns] : causes) {
    device.causes[static_cast<size_t>(cause)] = {ns, 1, ns};
    device.calls.push_back({cause, "cudaStreamSynchronize", ns, 1});
  }
  run.facts.set(kr::facts::Computed(kr::analyze::Idle{{device}}));
}

void add_finding(kr::tables::Run& run, kr::analyze::FindingCode code, int64_t count,
                 std::string_view figure) {
  run.summary.findings.push_back(kr::analyze::finding(code, count, figure));
}

std::vector<Verdict> verdicts_of(kr::tables::Run run) {
  static std::vector<std::unique_ptr<Source>> kept;  // verdicts refer to their run
  Source& source = *kept.emplace_back(std::make_unique<Source>());
  source.runs.push_back(std::move(run));
  return kr::tables::verdicts_of(source);
}

/// `host-bound 30, compute-bound 70`: codes, with the time if there is one.
std::string codes_of(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Verdict& one : verdicts) {
    if (!text.empty()) text += ", ";
    text += one.code;
    if (one.time_ns) text += " " + std::to_string(*one.time_ns);
  }
  return text;
}

std::string idle_verdict(const Causes& causes) {
  kr::tables::Run run = run_of({.compute_ns = 70, .idle_ns = 30});
  add_causes(run, causes);
  return codes_of(verdicts_of(std::move(run)));
}

}  // namespace

TEST_CASE("verdicts: a part of less than a tenth limits nothing") {
  CHECK(codes_of(verdicts_of(run_of({.compute_ns = 910, .idle_ns = 90}))) == "compute-bound 910");
  CHECK(codes_of(verdicts_of(run_of({.compute_ns = 900, .idle_ns = 100}))) == "idle 100");
  CHECK(codes_of(verdicts_of(
            run_of({.compute_ns = 79, .communication_ns = 9, .memory_ns = 9, .idle_ns = 3}))) ==
        "compute-bound 79");
  CHECK(kr::tables::limits(INT64_MAX / 10 + 1, INT64_MAX));
  CHECK(!kr::tables::limits(INT64_MAX / 10 - 1, INT64_MAX));
  CHECK(kr::tables::limits(0, 0));
}

TEST_CASE("verdicts: what names do not say is not compute-bound") {
  const DeviceTimes busy{.compute_ns = 1000};
  CHECK(codes_of(verdicts_of(run_of(busy, 100, "unknown"))) == "unknown-kernels 1000");
  CHECK(codes_of(verdicts_of(run_of(busy, 100, "unclassified"))) == "unknown-kernels 1000");
  CHECK(codes_of(verdicts_of(run_of(busy))) == "compute-bound 1000");
}

TEST_CASE("verdicts: devices are called by what they are") {
  const auto begins = [](const std::string& device, std::string_view text) {
    const DeviceTimes times{.compute_ns = 70, .idle_ns = 30};
    return verdicts_of(run_of(times, 100, "gemm", device)).at(0).text.starts_with(text);
  };
  CHECK(begins("NVIDIA H100", "The GPU is idle"));
  CHECK(begins("", "The GPU is idle"));
  CHECK(begins("TPU v6 lite", "The TPU is idle"));
  CHECK(begins("Ascend910B", "The NPU is idle"));
  CHECK(begins("ARTEMIS", "The device is idle"));
}

TEST_CASE("verdicts: the causes that one remedy helps against are one reason") {
  CHECK(idle_verdict({{IdleCause::host, 16}, {IdleCause::copy, 14}}) == "host-bound 16");
  CHECK(idle_verdict({{IdleCause::host, 14}, {IdleCause::launch, 8}, {IdleCause::queued, 8}}) ==
        "launch-bound 16");
  CHECK(idle_verdict({{IdleCause::synchronization, 30}}) == "synchronization-bound 30");
  CHECK(idle_verdict({{IdleCause::copy, 30}}) == "copy-bound 30");
  CHECK(idle_verdict({{IdleCause::untraced, 30}}) == "untraced-work 30");
  CHECK(idle_verdict({{IdleCause::unknown, 20}, {IdleCause::host, 10}}) == "idle 20");
}

TEST_CASE("verdicts: several limits, the longest first") {
  kr::tables::Run run =
      run_of({.compute_ns = 30, .communication_ns = 25, .memory_ns = 15, .idle_ns = 30});
  add_causes(run, {{IdleCause::host, 20}, {IdleCause::queued, 10}});
  add_finding(run, kr::analyze::FindingCode::warm_up, 2, "12.5");
  const std::vector<Verdict> found = verdicts_of(run);
  CHECK(codes_of(found) == "communication-bound 25, host-bound 20, memory-copies 15, warm-up");
  CHECK(found[1].text ==
        "The GPU is idle for 30 % of the span; in 67 % of that the host prepares work or waits for "
        "requests");
  CHECK(found[3].text ==
        "The first steps take up to 12.5 times the median of their phase: sums and means include "
        "the warm-up; --skip-warmup leaves them out");
}

TEST_CASE("verdicts: idle time of a trace that lacks kernels is not judged") {
  kr::tables::Run run = run_of({.compute_ns = 70, .idle_ns = 30});
  add_causes(run, {{IdleCause::host, 30}});
  kr::tables::Run few = run;
  add_finding(run, kr::analyze::FindingCode::launches_without_kernels, 20, "20 of 120");
  CHECK(codes_of(verdicts_of(run)) == "lost-kernels 30");
  CHECK(verdicts_of(run)[0].finding == "launches-without-kernels");
  // Less than one in a hundred moves nothing.
  add_finding(few, kr::analyze::FindingCode::launches_without_kernels, 0, "0 of 100");
  few.summary.operations = 1000;
  CHECK(codes_of(verdicts_of(few)) == "host-bound 30");
}

TEST_CASE("verdicts: what is missing comes first, and too little says nothing") {
  kr::tables::Run run = run_of({.compute_ns = 100});
  add_finding(run, kr::analyze::FindingCode::truncated, 1, "");
  CHECK(codes_of(verdicts_of(run)) == "incomplete-trace, compute-bound 100");
  CHECK(codes_of(verdicts_of(run_of({.compute_ns = 100}, 9))) == "too-little-data");
  CHECK(codes_of(verdicts_of(run_of({}, 0))) == "no-gpu-work");
}

TEST_CASE("verdicts: every code is documented") {
  for (const auto& one : kr::tables::verdict_codes()) {
    CHECK(!one.doc.empty());
    CHECK(one.code.find(' ') == one.code.npos);
  }
}

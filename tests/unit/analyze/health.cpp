#include "analyze/health.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using kr::trace::TraceBuilder;

/// Operations of one stream with calls, and the findings of their trace.
class HealthTrace {
 public:
  HealthTrace& call(int64_t start, int64_t duration, int64_t correlation) {
    builder_.host().launches.push_back({correlation, start, duration,
                                        builder_.call({"cudaLaunchKernel", false}),
                                        builder_.thread({"1", "2"})});
    return *this;
  }
  HealthTrace& run(int64_t start, int64_t duration, int64_t correlation = 99) {
    builder_.host();
    builder_.add(
        {start, duration, builder_.name("k", kr::OperationKind::kernel), builder_.track({})});
    builder_.add_correlations(&correlation, 1);
    return *this;
  }
  TraceBuilder& builder() { return builder_; }

  /// `severity code count figures`, one line each. Sums are those of operations one by one.
  std::string findings(const kr::facts::Facts& facts = {}) {
    kr::analyze::LabelledTrace run;
    run.trace = std::move(builder_).finish();
    const kr::trace::Trace& trace = run.trace;
    summary_.operations = static_cast<int64_t>(trace.operations.size());
    summary_.span_ns = trace.last_end_ns - trace.first_start_ns;
    summary_.dropped = trace.dropped;
    summary_.inexact = trace.inexact;
    summary_.warnings = trace.warnings;
    kr::analyze::UnionSweep sweep;
    for (const auto& one : trace.operations) {
      sweep.add(one.start_ns, one.end_ns());
      summary_.gpu_total_ns += one.duration_ns;
    }
    summary_.gpu_busy_ns = sweep.covered_ns();
    std::string text;
    for (const auto& one : kr::analyze::find_health({rules_, run, summary_, facts, {}})) {
      text += std::string(kr::analyze::to_string(one.severity)) + ' ' + one.code;
      if (one.count) text += ' ' + std::to_string(*one.count);
      text += '\n';
      effects_ += one.effect + '\n';
      CHECK(one.effect.find("{}") == one.effect.npos);
      CHECK(!one.tables.empty());
    }
    return text;
  }
  bool says(std::string_view text) const { return effects_.find(text) != effects_.npos; }

 private:
  TraceBuilder builder_{"t", "kineto-json"};
  kr::analyze::RunSummary summary_;
  kr::match::CompiledRules rules_;
  std::string effects_;
};

kr::facts::Facts steps(std::initializer_list<int64_t> spans_ns) {
  kr::analyze::StepSums sums;
  for (const int64_t span_ns : spans_ns) {
    kr::analyze::StepPart step;
    step.phase = "decode";
    step.instances = 1;
    step.time.span_ns = span_ns;
    sums.steps.add(step);
  }
  kr::facts::Facts facts;
  facts.set(kr::facts::Computed(std::move(sums)));
  return facts;
}

}  // namespace

TEST_CASE("a trace without findings") {
  HealthTrace trace;
  trace.call(0, 5, 1).call(10, 5, 2).run(20, 10, 1).run(30, 10, 2);
  CHECK(trace.findings(steps({10, 10, 10, 10, 10})).empty());
}

TEST_CASE("notes that affect tables are findings, the worst first") {
  HealthTrace trace;
  trace.call(0, 5, 1).run(20, 10, 1);
  trace.builder().warn("no-elapsed", "not a finding");
  trace.builder().warn("hidden-graph-kernels", "2 launches");
  trace.builder().warn("truncated", "cut off");
  trace.builder().add_dropped("a", 1, 3);
  trace.builder().add_dropped("b", 7, 4);
  trace.builder().inexact("times in us");
  CHECK(trace.findings() ==
        "error truncated\nwarning hidden-graph-kernels\nwarning dropped-records 7\n"
        "warning inexact-times\n");
}

TEST_CASE("operations that overlap, and one far from the others") {
  HealthTrace overlap;
  overlap.call(0, 1, 1).run(10, 10, 1).run(15, 10, 1);
  CHECK(overlap.findings() == "info overlap\n");
  CHECK(overlap.says("add up to 1.33 times"));
  HealthTrace far;
  far.call(0, 1, 1).run(10, 10, 1).run(100'000, 10, 1);
  CHECK(far.findings() == "warning far-apart\n");
  CHECK(far.says("99.98 % of the span"));
}

TEST_CASE("operations and the calls that launched them") {
  HealthTrace early;
  early.call(12, 3, 1).call(20, 3, 2).run(10, 5, 1).run(30, 5, 2);
  CHECK(early.findings() == "warning before-launch 1\n");
  CHECK(early.says("by up to 2 ns"));
  HealthTrace order;
  order.call(0, 3, 1).call(5, 3, 2).run(20, 5, 2).run(30, 5, 1);
  CHECK(order.findings() == "warning out-of-order 1\n");
  // Calls that overlap may enqueue in either order.
  HealthTrace overlapping;
  overlapping.call(0, 8, 1).call(5, 3, 2).run(20, 5, 2).run(30, 5, 1);
  CHECK(overlapping.findings().empty());
  HealthTrace orphans;
  orphans.call(0, 3, 1).run(20, 5, 1).run(30, 5);
  CHECK(orphans.findings() == "warning few-launches 1\n");
  HealthTrace few;
  for (int i = 0; i < 20; ++i) few.call(i * 10, 3, i).run(1'000 + i * 10, 5, i);
  few.run(2'000, 5, 99);
  CHECK(few.findings() == "info kernels-without-launches 1\n");
  HealthTrace no_calls;
  no_calls.run(20, 5);
  CHECK(no_calls.findings() == "info no-host-calls\n");
}

TEST_CASE("launches whose kernels are not in the trace") {
  HealthTrace lost;
  lost.call(0, 3, 1).call(10, 3, 2).call(20, 3, 3).run(30, 5, 1).run(40, 5, 3);
  CHECK(lost.findings() == "warning launches-without-kernels 1\n");
  CHECK(lost.says("1 of 3 launches by cudaLaunchKernel have no kernel: "));
  // Behind the last one that has a kernel, recording may have ended.
  HealthTrace cut;
  cut.call(0, 3, 1).call(10, 3, 2).call(20, 3, 3).run(30, 5, 1).run(40, 5, 2);
  CHECK(cut.findings() == "info launches-without-kernels 1\n");
  // The call inside, of the driver, is part of the other.
  HealthTrace nested;
  nested.call(0, 9, 1).call(2, 3, 2).call(20, 9, 3).call(22, 3, 4).run(30, 5, 2).run(40, 5, 3);
  CHECK(nested.findings().empty());
  // What is captured runs later.
  HealthTrace captured;
  const auto call = [&](const char* name, int64_t start) {
    captured.builder().host().launches.push_back({-1, start, 1,
                                                  captured.builder().call({name, false}),
                                                  captured.builder().thread({"1", "2"})});
  };
  captured.call(0, 1, 1).call(20, 1, 2).call(40, 1, 3).run(60, 5, 1).run(70, 5, 3);
  call("cudaStreamBeginCapture", 10);
  call("cudaStreamEndCapture", 30);
  CHECK(captured.findings().empty());
  // By annotation.
  HealthTrace steps;
  steps.call(0, 3, 1).call(10, 3, 2).call(20, 3, 3).run(30, 5, 1).run(40, 5, 3);
  steps.builder().host().ranges.push_back(
      {9, 15, steps.builder().range_name("step 2"), steps.builder().thread({"1", "2"}),
       kr::trace::HostRange::none, kr::trace::HostRange::Kind::annotation});
  CHECK(steps.findings() == "warning launches-without-kernels 1\n");
  CHECK(steps.says("(by annotation: step 2: 1)"));
  // Without any link, nothing is known.
  HealthTrace unlinked;
  unlinked.call(0, 3, 1).run(30, 5, 7);
  CHECK(unlinked.findings() == "warning few-launches 1\n");
}

TEST_CASE("operations without a time are told, and not as clocks that differ") {
  HealthTrace trace;
  trace.call(1'000, 5, 1).call(2'000, 5, 2).call(3'000, 5, 3);
  trace.run(1'100, 10, 1).run(0, 0, 2).run(0, 0, 3);
  CHECK(trace.findings() == "warning implausible-times 2\n");
  CHECK(trace.says("(2 with a start of zero, which others do not have)"));
}

TEST_CASE("the first steps are a warm-up if they take more than twice the median") {
  const auto found = [](std::initializer_list<int64_t> spans_ns) {
    HealthTrace trace;
    trace.call(0, 5, 1).run(20, 10, 1);
    return trace.findings(steps(spans_ns));
  };
  CHECK(found({90, 30, 10, 10, 11, 12}) == "info warm-up 2\n");
  CHECK(found({20, 10, 10, 10, 10}).empty());
  CHECK(found({10, 90, 10, 10, 10}).empty());
  CHECK(found({90, 10, 10, 10}).empty());
}

TEST_CASE("without annotated steps, a warm-up is found in steps that were found") {
  using kr::analyze::FoundPhase;
  const auto found = [](FoundPhase phase, int64_t stacks, kr::facts::Facts facts) {
    kr::analyze::FoundPhases phases;
    for (const int32_t device : {0, 1}) {
      for (const int64_t span_ns : {90, 30, 10, 10, 11, 12}) {
        kr::analyze::FoundStep& step = phases.steps.emplace_back();
        step.device = device;
        step.phase = phase;
        step.span_ns = span_ns;
        step.stacks = stacks;
      }
    }
    HealthTrace trace;
    trace.call(0, 5, 1).run(20, 10, 1);
    facts.set(kr::facts::Computed(std::move(phases)));
    return trace.findings(facts);
  };
  CHECK(found(FoundPhase::decode, 1, steps({})) == "info warm-up 2\n");
  CHECK(found(FoundPhase::other, 2, steps({})) == "info warm-up 2\n");
  CHECK(found(FoundPhase::other, 1, steps({})).empty());
  CHECK(found(FoundPhase::prefill, 1, steps({})).empty());
  CHECK(found(FoundPhase::decode, 1, steps({10})).empty());
}

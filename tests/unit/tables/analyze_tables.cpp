// The tables of `kr analyze`, of traces whose numbers can be added up by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/shared.hpp"
#include "compute/compute.hpp"
#include "job/extract.hpp"
#include "job/member.hpp"
#include "support/collected_rows.hpp"
#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace {

using kr::OperationKind;

const kr::match::CompiledRules& analyze_rules() {
  static const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases {
    prefill: ^"prefill" & /bs=(?<batch>\d+) toks=(?<tokens>\d+)/
    block:   /^layer_(?<layer>\d+)/
    decode:  /^decode_(?<step>\d+)/
  }
  substage { gemm: "gemm" comm: "nccl" misc: otherwise }
  kind { communication: "nccl" }
}
)");
  return rules;
}

/// A trace of one process with one thread.
class AnalyzedTrace {
 public:
  AnalyzedTrace() { builder_.host().threads.push_back({"1", "1"}); }

  AnalyzedTrace& range(int64_t start, int64_t end, std::string name, bool module = false) {
    kr::trace::HostTrace& host = builder_.host();
    host.range_names.push_back(std::move(name));
    host.ranges.push_back(
        {start, end, static_cast<uint32_t>(host.range_names.size() - 1), 0,
         kr::trace::HostRange::none,
         module ? kr::trace::HostRange::Kind::module : kr::trace::HostRange::Kind::annotation});
    return *this;
  }
  /// A call of 4 ns. What it launches follows.
  AnalyzedTrace& launch(int64_t start, std::string api = "cudaLaunchKernel") {
    kr::trace::HostTrace& host = builder_.host();
    const kr::trace::HostCall call{std::move(api), false};
    const auto known = std::find(host.calls.begin(), host.calls.end(), call);
    const auto number = static_cast<uint32_t>(known - host.calls.begin());
    if (known == host.calls.end()) host.calls.push_back(call);
    host.launches.push_back({++correlation_, start, 4, number, 0});
    return *this;
  }
  AnalyzedTrace& run(int64_t start, int64_t duration, std::string_view name,
                     OperationKind kind = OperationKind::kernel) {
    builder_.add({start, duration, builder_.name(name, kind), builder_.track({0, 7, "GPU"})});
    builder_.add_correlations(&correlation_, 1);
    return *this;
  }
  /// What follows has no launch.
  AnalyzedTrace& orphan() {
    ++correlation_;
    return *this;
  }
  AnalyzedTrace& rank(int64_t rank, int64_t world_size) {
    builder_.distributed() = {rank, world_size, "nccl"};
    return *this;
  }

  kr::tables::Run analyzed(std::string id) {
    const kr::match::CompiledRules& rules = analyze_rules();
    kr::tables::Run run;
    const auto labelled = kr::test::label(rules, std::move(builder_).finish());
    run.summary = kr::analyze::summarize(rules, labelled->trace, labelled->labelled, std::nullopt);
    run.summary.id = std::move(id);
    const kr::facts::Set demand = kr::facts::closed(
        kr::facts::Set::of<kr::analyze::Idle, kr::analyze::LaunchStatistics, kr::analyze::Kernels,
                           kr::analyze::Activity, kr::analyze::HostUse, kr::analyze::Evidence,
                           kr::analyze::Layers, kr::analyze::Sequences, kr::job::Members>());
    kr::facts::compute({rules, *labelled, run.summary, run.facts, demand}, run.facts);
    return run;
  }

 private:
  kr::trace::TraceBuilder builder_{"t.json", "kineto-json"};
  int64_t correlation_ = 0;
};

kr::tables::Source analyzed_source(std::vector<kr::tables::Run> runs) {
  kr::tables::Source source;
  source.rules = &analyze_rules();
  source.runs = std::move(runs);
  return source;
}

template <class... Runs>
std::vector<kr::tables::Run> runs_of(Runs... runs) {
  std::vector<kr::tables::Run> out;
  (out.push_back(std::move(runs)), ...);
  return out;
}

std::string analyze_rows(const kr::tables::Source& source, std::string_view id,
                         std::initializer_list<std::string_view> columns = {}) {
  const kr::tables::Definition* definition = kr::tables::find(id);
  REQUIRE_MESSAGE(definition != nullptr, id);
  CHECK(kr::tables::absent(*definition, source) == "");
  return kr::test::CollectedRows(kr::tables::make(*definition, source)).lines(columns);
}

std::string why_no_analyze_table(const kr::tables::Source& source, std::string_view id) {
  return kr::tables::absent(*kr::tables::find(id), source);
}

/// A step inside a step, a copy, an operation without a launch, and idle time between them.
kr::tables::Source nested_steps_source() {
  AnalyzedTrace trace;
  trace.range(0, 100, "prefill bs=2 toks=7").range(20, 50, "layer_3").range(1088, 1200, "decode_5");
  trace.launch(10).run(1000, 10, "gemm_a");
  trace.launch(30).run(1010, 30, "gemm_b");
  trace.launch(40).run(1020, 40, "nccl");
  trace.launch(60, "cudaMemcpyAsync").run(1080, 5, "copy", OperationKind::memcpy);
  trace.launch(1090).run(1100, 20, "gemm_a");
  trace.orphan().run(1130, 5, "other");
  return analyzed_source(runs_of(trace.analyzed("e_0")));
}

/// Two ranks in one step: rank 1 computes longer, rank 0 waits for it. Rank 1 alone has another
/// communication kernel.
kr::tables::Source two_ranks_source(int64_t second_rank = 1) {
  AnalyzedTrace first, second;
  first.rank(0, 2).range(0, 50, "decode_1").launch(10).run(100, 20, "gemm").run(120, 60, "nccl");
  second.rank(second_rank, 2).range(0, 50, "decode_1").launch(10);
  second.run(100, 60, "gemm").run(160, 20, "nccl").orphan().run(180, 20, "nccl_other");
  return analyzed_source(runs_of(first.analyzed("e_0"), second.analyzed("e_1")));
}

}  // namespace

TEST_CASE("steps have the operations of steps inside them, too") {
  const kr::tables::Source source = nested_steps_source();
  CHECK(analyze_rows(source, "steps") ==
        "e_0|0|-|prefill|-|-|2|7|4|85|100|85|65|40|40|20|5|5|20|comm 47 %, gemm 47 %, misc 6 %|"
        "prefill bs=2 toks=7\n"
        "e_0|1|0|block|-|3|-|-|2|70|-|50|50|30|40|20|0|0|0|comm 57 %, gemm 43 %|layer_3\n"
        "e_0|2|-|decode|5|-|-|-|1|20|-|20|20|20|0|0|0|0|0|gemm 100 %|decode_5\n");
  CHECK(analyze_rows(source, "phases") ==
        "e_0|prefill|1|2|7|4|85|65|100|100|100|0.65|70000000|comm 47 %, gemm 47 %, misc 6 %\n"
        "e_0|block|1|-|-|2|70|50|-|-|-|-|-|comm 57 %, gemm 43 %\n"
        "e_0|decode|1|-|-|1|20|20|-|-|-|-|-|gemm 100 %\n"
        "e_0|(outside steps)|0|-|-|1|5|5|-|-|-|-|-|misc 100 %\n");
}

TEST_CASE("steps and phases by label") {
  const kr::tables::Source source = nested_steps_source();
  CHECK(analyze_rows(source, "step_labels",
                     {"step_id", "phase", "step", "dimension", "label", "instances", "total_ns"}) ==
        "0|prefill|-|substage|comm|1|40\n"
        "0|prefill|-|substage|gemm|2|40\n"
        "0|prefill|-|substage|misc|1|5\n"
        "0|prefill|-|kind|communication|1|40\n"
        "0|prefill|-|kind|compute|2|40\n"
        "0|prefill|-|kind|memory|1|5\n"
        "1|block|-|substage|comm|1|40\n"
        "1|block|-|substage|gemm|1|30\n"
        "1|block|-|kind|communication|1|40\n"
        "1|block|-|kind|compute|1|30\n"
        "2|decode|5|substage|gemm|1|20\n"
        "2|decode|5|kind|compute|1|20\n");
  const std::string phases = analyze_rows(source, "phase_labels");
  CHECK(phases.find("e_0|decode|kind|compute|1|20|1\n") != phases.npos);
  CHECK(phases.find("e_0|(outside steps)|substage|misc|1|5|1\n") != phases.npos);
}

TEST_CASE("launches, their queue, and why devices are idle") {
  const kr::tables::Source source = nested_steps_source();
  CHECK(analyze_rows(source, "launch_matching") == "e_0|5|1\n");
  // 20 before the copy, launched long ago; 15 before the step that begins late: 5 until its launch,
  // 10 of latency, 4 of them in the call; 10 before the orphan.
  CHECK(analyze_rows(source, "idle") ==
        "e_0|0|host|5|0.1111111111111111|1|5\n"
        "e_0|0|launch|10|0.2222222222222222|1|10\n"
        "e_0|0|queued|20|0.4444444444444444|1|20\n"
        "e_0|0|unknown|10|0.2222222222222222|1|10\n");
  CHECK(analyze_rows(source, "idle_calls", {"cause", "api", "total_ns", "gaps"}) ==
        "host|-|5|1\n"
        "launch|-|6|1\n"
        "launch|cudaLaunchKernel|4|1\n"
        "queued|-|20|1\n"
        "unknown|-|10|1\n");
  CHECK(analyze_rows(source, "launches") ==
        "e_0|cudaLaunchKernel|4|4|16|740|0|0\n"
        "e_0|cudaMemcpyAsync|1|1|4|1020|0|0\n");
  CHECK(analyze_rows(source, "launch_queue",
                     {"run", "device", "stream", "launches", "operations", "mean", "max"}) ==
        "e_0|0|7|5|5|2.2|4\n");
}

TEST_CASE("the evidence of attribution: launches in modules, layers, neither") {
  AnalyzedTrace trace;
  trace.range(0, 20, "Model_0", true);
  trace.launch(10).run(100, 3, "embed");
  trace.launch(30, "cudaGraphLaunch").run(110, 1, "start");
  for (int64_t k = 0; k < 40; ++k) trace.run(120 + 2 * k, 2, "k" + std::to_string(k % 8));
  trace.orphan().run(300, 7, "end");
  const kr::tables::Source source = analyzed_source(runs_of(trace.analyzed("e_0")));
  CHECK(analyze_rows(source, "attribution") ==
        "e_0|launch|1|3|0.03296703296703297\ne_0|layer|40|80|0.8791208791208791\ne_0|none|2|8|0."
        "08791208791208792\n");
  CHECK(analyze_rows(source, "layers") ==
        "e_0|0|0|1|8|5|41|80|16|period of 8 kernels, 5 times: 98.8 % of the time of 41 kernels of "
        "one graph launch\n");
  CHECK(why_no_analyze_table(source, "steps") ==
        "no annotation of a trace matches the `phases` of its model");
}

TEST_CASE("two ranks: their devices, their steps, and who waits in collectives") {
  const kr::tables::Source source = two_ranks_source();
  CHECK(analyze_rows(source, "ranks") ==
        "e_0|0|trace|2|0|80|20|0.25|0.75|0|0|40|-|0\n"
        "e_1|1|trace|2|0|100|60|0.6|0.4|0|0|0|-|1\n");
  CHECK(
      analyze_rows(source, "rank_balance",
                   {"what", "min_ns", "mean_ns", "max_ns", "min_rank", "min_device", "max_rank"}) ==
      "span|80|90|100|0|0|1\n"
      "busy|80|90|100|0|0|1\n"
      "compute|20|40|60|0|0|1\n"
      "communication|40|50|60|1|0|0\n"
      "exposed_communication|40|50|60|1|0|0\n"
      "memory|0|0|0|0|0|0\n"
      "exposed_memory|0|0|0|0|0|0\n"
      "idle|0|0|0|0|0|0\n");
  CHECK(analyze_rows(source, "rank_step_balance") == "decode|1|0|2|1|60|40|1.5|0|60|decode_1\n");
  CHECK(analyze_rows(source, "rank_steps") ==
        "decode|1|0|0|-|-|20|80|80|20|60|60|0|0|0|0|1\n"
        "decode|1|0|1|-|-|60|80|80|60|20|20|0|0|0|1|0\n");
  CHECK(analyze_rows(source, "collective_balance") ==
        "|nccl|-|2|-|1|80|40|0.5|0|0|-|-|-|-|-|-|-|-|-|0\n");
  CHECK(analyze_rows(source, "collectives") ==
        "|nccl|0|0|1|1|60|-|-|40|-|-|-\n"
        "|nccl|1|0|1|1|20|-|-|0|-|-|-\n"
        "|nccl_other|1|0|1|0|20|-|-|-|-|-|-\n");
  CHECK(analyze_rows(source, "rank_collectives") ==
        "|nccl|0|0|0|60|40|-|-\n"
        "|nccl|0|1|0|20|0|-|-\n");
}

TEST_CASE("tables that compare runs are absent where there is nothing to compare") {
  const kr::tables::Source one = nested_steps_source();
  CHECK(why_no_analyze_table(one, "ranks") == "there are fewer than two devices");
  CHECK(why_no_analyze_table(one, "rank_balance") == "there are fewer than two devices");
  CHECK(why_no_analyze_table(one, "rank_steps") == "there is one run only");
  CHECK(why_no_analyze_table(one, "clocks") == "there is one run only");
  CHECK(why_no_analyze_table(one, "collectives") == "one device only communicates");
  CHECK(why_no_analyze_table(one, "names_only_in") == "there is one run only");
  const kr::tables::Source alike = two_ranks_source(0);
  for (const char* table : {"ranks", "rank_balance", "rank_step_balance", "rank_steps", "clocks",
                            "collective_balance", "collectives"}) {
    CHECK(why_no_analyze_table(alike, table) ==
          "the runs are not ranks of one job: t.json and t.json are both rank 0");
  }
  CHECK(analyze_rows(alike, "names_only_in") == "e_1|nccl_other|1|20\n");
}

TEST_CASE("names and types of activity, and their ratios") {
  const kr::tables::Source source = nested_steps_source();
  CHECK(
      analyze_rows(source, "kernels_by_device",
                   {"run", "rank", "device", "name", "kind", "instances", "total_ns", "mean_ns"}) ==
      "e_0|0|0|nccl|communication|1|40|40\n"
      "e_0|0|0|gemm_a|compute|2|30|15\n"
      "e_0|0|0|gemm_b|compute|1|30|30\n"
      "e_0|0|0|copy|memory|1|5|5\n"
      "e_0|0|0|other|compute|1|5|5\n");
  CHECK(analyze_rows(source, "activity") ==
        "e_0|kernel|5|105|5|40|21\n"
        "e_0|runtime|5|20|4|4|4\n"
        "e_0|memcpy|1|5|5|5|5\n");
  // Too few for the longest of a hundred.
  CHECK(analyze_rows(source, "activity_longest",
                     {"type", "percent", "instances", "share", "mean_ns"}) ==
        "kernel|1|0|0|-\nkernel|5|0|0|-\nkernel|10|0|0|-\n"
        "runtime|1|0|0|-\nruntime|5|0|0|-\nruntime|10|0|0|-\n"
        "memcpy|1|0|0|-\nmemcpy|5|0|0|-\nmemcpy|10|0|0|-\n");
  const std::string ratios = analyze_rows(source, "activity_ratios");
  CHECK(ratios.find("e_0|runtime|e_0|memcpy|100|1.25\ne_0|runtime|e_0|memcpy|1|-\n") !=
        ratios.npos);
}

// Costs of nodes of module trees: sums over subtrees, against a slow obvious implementation.
#include "cost/module_costs.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "ncu/gpus.hpp"
#include "support/rounds.hpp"
#include "trace/module_trace.hpp"

using namespace kr;

namespace {

constexpr auto bits16 = static_cast<size_t>(trace::FlopWidth::bits16);
constexpr auto bits8 = static_cast<size_t>(trace::FlopWidth::bits8);

/// A random tree of some nodes that say FLOPs, bytes, both or nothing.
trace::ModuleTrace random_tree(std::mt19937_64& random) {
  trace::ModuleTraceBuilder builder("t", "proton-json");
  const auto one_of = [&](uint64_t n) { return random() % n; };
  builder.begin_step("profile");
  builder.costs();
  const auto visit = [&](const auto& self, int depth) -> int64_t {
    builder.open(one_of(2) == 0 ? "a" : "b", 0);
    trace::NodeCost cost;
    cost.node = builder.open_node();
    if (one_of(3) == 0) cost.flops[bits16] = static_cast<double>(one_of(1000));
    if (one_of(6) == 0) cost.flops[bits8] = static_cast<double>(one_of(1000));
    if (one_of(3) == 0) cost.bytes = static_cast<int64_t>(one_of(1000));
    builder.costs().nodes.push_back(cost);
    const uint64_t children = depth < 4 ? one_of(4) : 0;
    int64_t total = 0;
    for (uint64_t i = 0; i < children; ++i) total += self(self, depth + 1);
    if (children == 0) total = static_cast<int64_t>(one_of(100));
    builder.measured(total, 1);
    builder.close();
    return total;
  };
  visit(visit, 0);
  visit(visit, 0);
  builder.end_step();
  return std::move(builder).finish();
}

/// By definition: of a node and all below it. `ns`: time of leaves that are in a node, at or above
/// them and at or below this one, that says the amount.
struct Slow {
  double flops = 0, bytes = 0;
  bool has_flops = false, has_bytes = false;
  int64_t flops_ns = 0, bytes_ns = 0;
  bool covers_differ = false;
};

Slow slow(const std::vector<trace::ModuleNode>& nodes, const trace::ModuleCosts& costs, size_t of) {
  std::vector<const trace::NodeCost*> own(nodes.size(), nullptr);
  for (const trace::NodeCost& one : costs.nodes) own[one.node] = &one;
  Slow sum;
  for (size_t i = of; i < nodes[of].end; ++i) {
    if (own[i] != nullptr) {
      for (const auto& flops : own[i]->flops) sum.flops += flops.value_or(0);
      sum.bytes += static_cast<double>(own[i]->bytes.value_or(0));
      sum.has_flops |= own[i]->has_flops();
      sum.has_bytes |= own[i]->bytes.has_value();
    }
    if (nodes[i].end != i + 1) continue;
    bool flops = false;
    bool bytes = false;
    for (size_t above = of; above <= i; ++above) {
      if (own[above] == nullptr || nodes[above].end <= i) continue;
      flops |= own[above]->has_flops();
      bytes |= own[above]->bytes.has_value();
    }
    if (flops) sum.flops_ns += nodes[i].total_ns;
    if (bytes) sum.bytes_ns += nodes[i].total_ns;
    sum.covers_differ |= flops != bytes && nodes[i].total_ns > 0;
  }
  return sum;
}

}  // namespace

TEST_CASE("sums over subtrees are those of a slow implementation") {
  std::mt19937_64 random(1);
  // The bytes of a node are those of its children: found in round 1.
  for (uint64_t round = 0; round < test::rounds(300, 1); ++round) {
    CAPTURE(round);
    const trace::ModuleTrace trace = random_tree(random);
    std::vector<trace::ModuleNode> nodes;
    trace.expand(0, nodes);
    const std::vector<cost::SubtreeCost> sums = cost::subtree_costs(trace, 0, nodes, {});
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Slow want = slow(nodes, *trace.costs, i);
      CHECK(sums[i].flops().has_value() == want.has_flops);
      CHECK(sums[i].flops().value_or(0) == want.flops);
      CHECK(sums[i].bytes().has_value() == want.has_bytes);
      CHECK(static_cast<double>(sums[i].bytes().value_or(0)) == want.bytes);
      CHECK(sums[i].flops_ns() == want.flops_ns);
      CHECK(sums[i].bytes_ns() == want.bytes_ns);
      if (want.has_flops && want.flops_ns > 0) {
        CHECK(*sums[i].flops_per_s() ==
              doctest::Approx(want.flops / static_cast<double>(want.flops_ns) * 1e9));
      } else {
        CHECK(!sums[i].flops_per_s());
      }
      if (want.covers_differ) CHECK(!sums[i].intensity());
      CHECK(!sums[i].flops_peak_ratio());
      CHECK(!sums[i].bytes_peak_ratio());
    }
  }
}

TEST_CASE("peaks of a width are those of its types where they are equal") {
  const ncu::GpuPeaks& h100 = ncu::named_gpu("H100 SXM", "--gpu");
  CHECK(cost::peak_of_width(&h100, trace::FlopWidth::bits16) == h100.bf16_tensor);
  CHECK(cost::peak_of_width(&h100, trace::FlopWidth::bits8) == h100.fp8_tensor);
  CHECK(cost::peak_of_width(&h100, trace::FlopWidth::bits64) == h100.fp64);
  CHECK(!cost::peak_of_width(&h100, trace::FlopWidth::bits32));  // FP32 or TF32
  CHECK(!cost::peak_of_width(&h100, trace::FlopWidth::any));
  CHECK(!cost::peak_of_width(nullptr, trace::FlopWidth::bits16));
  // FP8 419, INT8 838.
  CHECK(!cost::peak_of_width(&ncu::named_gpu("RTX 5090", "--gpu"), trace::FlopWidth::bits8));
}

TEST_CASE("what was reached with one type of a width, if the sheet has one peak for it") {
  const ncu::GpuPeaks& h100 = ncu::named_gpu("H100 SXM", "--gpu");
  ncu::GpuPeaks measured;
  measured.bf16_tensor = 6e14;
  measured.fp16_tensor = 7e14;
  measured.int8_tensor = 1e15;
  measured.fp32 = 5e13;
  CHECK(cost::reached_of_width(&h100, &measured, trace::FlopWidth::bits16) == 7e14);
  CHECK(cost::reached_of_width(&h100, &measured, trace::FlopWidth::bits8) == 1e15);
  CHECK(!cost::reached_of_width(&h100, &measured, trace::FlopWidth::bits32));  // FP32 or TF32
  CHECK(!cost::reached_of_width(&h100, &measured, trace::FlopWidth::bits64));  // not measured
  CHECK(!cost::reached_of_width(nullptr, &measured, trace::FlopWidth::bits16));
  CHECK(!cost::reached_of_width(&h100, nullptr, trace::FlopWidth::bits16));
}

TEST_CASE("against the peaks: devices of the profile, and a GPU that is named") {
  trace::ModuleTraceBuilder builder("t", "proton-json");
  std::vector<trace::ProfiledDevice>& devices = builder.costs().devices;
  devices.resize(2);
  devices[0].memory_clock_khz = 1000000;
  devices[0].bus_width_bits = 4000;
  builder.begin_step("profile");
  const auto kernel = [&](uint32_t device, double flops, int64_t bytes) {
    builder.open("k", 0);
    trace::NodeCost cost;
    cost.node = builder.open_node();
    cost.flops[bits16] = flops;
    cost.bytes = bytes;
    cost.device = device;
    builder.costs().nodes.push_back(cost);
    builder.measured(1000, 1);
    builder.close();
  };
  builder.open("all", 0);
  kernel(0, 1e8, 500000);  // 0.5 of 1e12 B/s
  kernel(1, 2e9, 2000000);
  builder.measured(2000, 2);
  builder.close();
  builder.end_step();
  const trace::ModuleTrace trace = std::move(builder).finish();
  std::vector<trace::ModuleNode> nodes;
  trace.expand(0, nodes);
  const std::vector<cost::SubtreeCost> plain = cost::subtree_costs(trace, 0, nodes, {});
  CHECK(plain[1].bytes_peak_ratio() == doctest::Approx(0.5));
  CHECK(!plain[2].bytes_peak_ratio());  // the profile does not know
  CHECK(!plain[0].bytes_peak_ratio());
  CHECK(plain[1].intensity() == doctest::Approx(200));
  CHECK(plain[1].bound().empty());
  const ncu::GpuPeaks& h100 = ncu::named_gpu("H100 SXM", "--gpu");
  const std::vector<cost::SubtreeCost> named = cost::subtree_costs(trace, 0, nodes, {&h100});
  CHECK(named[1].bytes_peak_ratio() == doctest::Approx(0.5));
  CHECK(named[1].flops_peak_ratio() == doctest::Approx(1e14 / h100.bf16_tensor));
  CHECK(named[1].bound() == "memory");
  CHECK(named[2].bound() == "compute");
  CHECK(named[2].peak_bytes_per_s() == h100.dram_bytes_per_s);
  CHECK(named[2].flops_peak_ratio() == doctest::Approx(2e15 / h100.bf16_tensor));  // above 1
  CHECK(!named[0].bytes_peak_ratio());  // its devices differ
  CHECK(!named[2].flops_peak_ratio(cost::Peaks::measured));

  ncu::GpuPeaks measured;
  measured.bf16_tensor = 5e14;
  measured.fp16_tensor = 4e14;
  measured.dram_bytes_per_s = 8e11;
  const cost::TreeGpu both{&h100, std::make_shared<const ncu::GpuPeaks>(measured)};
  const std::vector<cost::SubtreeCost> against = cost::subtree_costs(trace, 0, nodes, both);
  CHECK(against[1].flops_peak_ratio() == named[1].flops_peak_ratio());
  CHECK(against[1].bytes_peak_ratio() == named[1].bytes_peak_ratio());
  CHECK(against[1].flops_peak_ratio(cost::Peaks::measured) == doctest::Approx(0.2));    // 1e14
  CHECK(against[1].bytes_peak_ratio(cost::Peaks::measured) == doctest::Approx(0.625));  // 5e11
  CHECK(against[2].flops_peak_ratio(cost::Peaks::measured) == doctest::Approx(4));      // 2e15
  CHECK(against[0].flops_peak_ratio(cost::Peaks::measured) == doctest::Approx(2.1));
  CHECK(!against[0].bytes_peak_ratio(cost::Peaks::measured));
}

TEST_CASE("bytes that do not fit in 64 bits are unknown") {
  trace::ModuleTraceBuilder builder("t", "proton-json");
  builder.begin_step("profile");
  for (int i = 0; i < 2; ++i) {
    if (i == 0) builder.open("all", 0);
    builder.open("k", 0);
    trace::NodeCost cost;
    cost.node = builder.open_node();
    cost.bytes = INT64_MAX;
    builder.costs().nodes.push_back(cost);
    builder.measured(1, 1);
    builder.close();
  }
  builder.measured(2, 2);
  builder.close();
  builder.end_step();
  const trace::ModuleTrace trace = std::move(builder).finish();
  std::vector<trace::ModuleNode> nodes;
  trace.expand(0, nodes);
  const std::vector<cost::SubtreeCost> sums = cost::subtree_costs(trace, 0, nodes, {});
  CHECK(!sums[0].bytes());
  CHECK(!sums[0].bytes_per_s());
  CHECK(sums[1].bytes() == INT64_MAX);
}

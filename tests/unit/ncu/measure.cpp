// Formulas, roofs, names and joins, on profiles and runs written down here.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "ncu/joined.hpp"
#include "support/summaries.hpp"

namespace kr::test::ncu_measure_test {
namespace {

using ncu::Measure;
using trace::NcuProfile;

struct Named {
  std::string section, item, name, unit;
  double value;
};

class ProfileBuilder {
 public:
  ProfileBuilder() { profile_.files.emplace_back("t.csv"); }

  ProfileBuilder& kernel(std::string_view name, int64_t duration_ns,
                         trace::LaunchShape grid = {1, 1, 1}) {
    profile_.kernels.push_back({.name = keep(name),
                                .cc = {},
                                .grid = grid,
                                .block = {32, 1, 1},
                                .id = static_cast<int64_t>(profile_.kernels.size()),
                                .duration_ns = duration_ns});
    return *this;
  }
  ProfileBuilder& put(const Named& metric) {
    const std::string key = metric.section + "|" + metric.item + "|" + metric.name + metric.unit;
    const auto [known, added] = ids_.try_emplace(key, profile_.metrics.size());
    if (added) {
      profile_.metrics.push_back({.section = keep(metric.section),
                                  .item = keep(metric.item),
                                  .name = keep(metric.name),
                                  .unit = keep(metric.unit),
                                  .printed = keep(metric.unit),
                                  .line = 7});
    }
    profile_.kernels.back().values.push_back(
        {metric.value, static_cast<uint32_t>(known->second), 0});
    return *this;
  }
  /// The section of speed of light.
  ProfileBuilder& light(double compute, double memory) {
    const std::string section = "GPU Speed Of Light Throughput";
    put({section, "", "Compute (SM) Throughput", "%", compute});
    return put({section, "", "Memory Throughput", "%", memory});
  }
  ProfileBuilder& roofline(double flops_per_cycle, double dram_bytes_per_s) {
    const std::string section = "GPU Speed Of Light Roofline Chart";
    const std::string achieved = "Single Precision Achieved Value";
    const std::string roof = "Single Precision Roofline";
    put({section, achieved, "Predicated-On FFMA Operations Per Cycle", "inst", flops_per_cycle});
    put({section, achieved, "Predicated-On FADD Thread Instructions Executed Per Cycle",
         "inst/cycle", 0});
    put({section, achieved, "Predicated-On FMUL Thread Instructions Executed Per Cycle",
         "inst/cycle", 0});
    put({section, achieved, "SM Frequency", "hz", 1e9});
    put({section, achieved, "DRAM Bandwidth", "byte/s", dram_bytes_per_s});
    put({section, roof, "Theoretical Predicated-On FFMA Operations", "inst", 1000});
    put({section, roof, "SM Frequency", "hz", 2e9});
    put({section, roof, "Theoretical DRAM Bytes Accessible", "byte/cycle", 100});
    return put({section, roof, "DRAM Frequency", "hz", 1e9});
  }
  const NcuProfile& profile() const { return profile_; }
  std::vector<ncu::MeasuredKernel> measured() {
    warnings.clear();
    return ncu::measure(profile_, warnings);
  }
  std::vector<Warning> warnings;

 private:
  std::string_view keep(std::string_view text) {
    return profile_.texts.text(profile_.texts.add(text));
  }
  NcuProfile profile_;
  std::map<std::string, size_t> ids_;
};

double value(const ncu::MeasuredKernel& kernel, Measure measure) {
  return kernel.measures.get(measure).value_or(-1);
}

}  // namespace

TEST_CASE("the roofline of single precision") {
  ProfileBuilder builder;
  builder.kernel("k", 1000).roofline(50, 1e10);
  const ncu::MeasuredKernel kernel = builder.measured()[0];
  CHECK(value(kernel, Measure::fp32_flops_per_s) == doctest::Approx(50e9));
  CHECK(value(kernel, Measure::fp32_peak_per_s) == doctest::Approx(2e12));
  CHECK(value(kernel, Measure::dram_peak_bytes_per_s) == doctest::Approx(1e11));
  CHECK(value(kernel, Measure::dram_bytes) == doctest::Approx(1e4));
  const ncu::RooflinePoint point = ncu::roofline_point(kernel.measures, ncu::Precision::fp32);
  CHECK(*point.intensity == doctest::Approx(5));
  CHECK(*point.ridge == doctest::Approx(20));
  CHECK(*point.roof == doctest::Approx(5e11));
  CHECK(*point.roof_ratio == doctest::Approx(0.1));
  CHECK(point.bound == "memory");
  CHECK((ncu::main_precision(kernel.measures) == ncu::Precision::fp32));
}

TEST_CASE("precisions of a page of `raw`, and sums of instructions") {
  ProfileBuilder builder;
  const auto op = [&](const std::string& name, const std::string& unit, double number) {
    builder.put({"", "", name, unit, number});
  };
  builder.kernel("k", 1000);
  const std::string per_cycle = "_pred_on.sum.per_cycle_elapsed";
  const std::string one = "smsp__sass_thread_inst_executed_op_";
  op(one + "hadd" + per_cycle, "inst/cycle", 1);
  op(one + "hmul" + per_cycle, "inst/cycle", 2);
  op("derived__" + one + "hfma_pred_on_x4", "inst", 40);
  op(one + "dadd_pred_on.sum", "inst", 5);
  op(one + "dmul_pred_on.sum", "inst", 6);
  op(one + "dfma_pred_on.sum", "inst", 7);
  op("smsp__cycles_elapsed.avg.per_second", "hz", 1e9);
  op("sm__cycles_elapsed.avg.per_second", "hz", 2e9);
  op("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", "inst", 128);
  op("dram__bytes_read.sum", "byte", 300);
  op("dram__bytes_write.sum", "byte", 200);
  op("lts__t_bytes.sum", "byte", 900);
  op("lts__t_bytes.sum.peak_sustained", "byte/cycle", 10);
  op("lts__cycles_elapsed.avg.per_second", "hz", 1e9);
  const ncu::MeasuredKernel kernel = builder.measured()[0];
  CHECK(value(kernel, Measure::fp16_flops_per_s) == doctest::Approx(46e9));
  CHECK(value(kernel, Measure::fp64_flops_per_s) == doctest::Approx((5 + 6 + 14) / 1e-6));
  CHECK(value(kernel, Measure::fp32_flops_per_s) == -1);
  CHECK(value(kernel, Measure::fp32_peak_per_s) == doctest::Approx(256e9));
  CHECK(value(kernel, Measure::dram_bytes) == 500);
  CHECK(value(kernel, Measure::dram_bytes_per_s) == doctest::Approx(5e8));
  CHECK(value(kernel, Measure::l2_bytes_per_s) == doctest::Approx(9e8));
  CHECK(value(kernel, Measure::l2_peak_bytes_per_s) == doctest::Approx(1e10));
}

TEST_CASE("tensor operations have no part of a roof without a peak") {
  ProfileBuilder builder;
  builder.kernel("gemm", 1000).light(30, 20);
  const std::string begin = "sm__ops_path_tensor_src_";
  builder.put({"", "", begin + "bf16_dst_fp32.sum", "", 4e6});
  builder.put({"Command line profiler metrics", "", begin + "bf16_dst_fp32.sum", "", 4e6});
  builder.put({"", "", begin + "bf16_dst_bf16.sum", "", 1e6});
  builder.put({"", "", begin + "fp8_sparsity_on.sum", "", 9e6});
  builder.put({"", "", begin + "fp16.sum", "", 3e6});
  builder.put({"", "", begin + "fp16_dst_fp32.sum", "", 3e6});
  builder.put({"", "", "dram__bytes.sum", "byte", 1000});
  ncu::MeasuredKernel kernel = builder.measured()[0];
  CHECK(value(kernel, Measure::tensor_flops) == 8e6);
  CHECK(value(kernel, Measure::tensor_flops_per_s) == doctest::Approx(8e12));
  ncu::RooflinePoint point = ncu::roofline_point(kernel.measures, ncu::Precision::tensor);
  CHECK(*point.intensity == doctest::Approx(8000));
  CHECK(!point.roof_ratio);
  CHECK(point.bound.empty());
  CHECK(ncu::nearest_roof(kernel.measures)->roof == "compute");
  // 5 of BF16 at 100 and 3 of FP16 at 50 take as long as 8 at 72.7.
  ncu::fill_peaks(kernel, {.name = "G",
                           .fp16_tensor = 50e12,
                           .bf16_tensor = 100e12,
                           .dram_bytes_per_s = 2e12,
                           .source = ""});
  point = ncu::roofline_point(kernel.measures, ncu::Precision::tensor);
  CHECK(*point.roof_ratio == doctest::Approx(8e12 / (8 / 0.11 * 1e12)));
  CHECK(point.bound == "compute");
}

TEST_CASE("the roofs of a profile, then of the data sheet") {
  ProfileBuilder builder;
  builder.kernel("k", 1000).roofline(50, 1e10);
  builder.put({"", "", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", 4e6});
  std::string roofs;
  const ncu::GpuPeaks gpu{.name = "G",
                          .fp64 = 3e12,
                          .fp32 = 5e12,
                          .fp16_tensor = 1e14,
                          .bf16_tensor = 2e14,
                          .source = ""};
  for (const ncu::Roof& roof : ncu::roofs_of(builder.measured(), &gpu)) {
    roofs += fmt::format("{} {:.0e} {}\n", roof.name, roof.per_second, roof.source);
  }
  CHECK(roofs ==
        "FP32 2e+12 metrics of the profile\nFP64 3e+12 data sheet of G\n"
        "DRAM 1e+11 metrics of the profile\nBF16 tensor 2e+14 data sheet of G\n");
}

TEST_CASE("the verdict of ncu") {
  const auto verdict = [](double compute, double memory) {
    ProfileBuilder builder;
    builder.kernel("k", 1).light(compute, memory);
    return std::string(ncu::verdict(builder.measured()[0].measures));
  };
  CHECK(verdict(59.99, 59.99) == "latency");
  CHECK(verdict(60, 10) == "compute");
  CHECK(verdict(10, 60) == "memory");
  CHECK(verdict(70, 71) == "memory");
  CHECK(ncu::verdict(ncu::Measures()).empty());
}

TEST_CASE("the nearest roof") {
  ProfileBuilder builder;
  // Without measured tensor operations or a compute throughput, they may be what limits it.
  builder.kernel("k", 1000).roofline(50, 1e10);
  CHECK(!ncu::nearest_roof(builder.measured()[0].measures));
  builder.light(20, 94);
  const auto nearest = ncu::nearest_roof(builder.measured()[0].measures);
  CHECK(nearest->roof == "memory");
  CHECK(nearest->ratio == doctest::Approx(0.94));
}

TEST_CASE("a unit that a metric cannot have") {
  ProfileBuilder builder;
  builder.kernel("k", 1000).put({"", "", "DRAM Throughput", "furlong", 5});
  CHECK(value(builder.measured()[0], Measure::dram_ratio) == -1);
  REQUIRE(builder.warnings.size() == 1);
  CHECK(builder.warnings[0].text ==
        "t.csv:7: `DRAM Throughput` is in `furlong`, which is not a unit of it (%): it is left "
        "out; export the page with `ncu --csv --print-units base`.");
}

TEST_CASE("what limits occupancy, and why warps stall") {
  ProfileBuilder builder;
  builder.kernel("k", 1000);
  const auto limit = [&](const char* name, double blocks) {
    builder.put({"Occupancy", "", name, "block", blocks});
  };
  limit("Block Limit Registers", 8);
  limit("Block Limit Shared Mem", 4);
  limit("Block Limit Warps", 4);
  builder.put({"Warp State Statistics", "", "Stall Long Scoreboard", "cycle", 5});
  builder.put({"", "", "smsp__pcsamp_warps_issue_stalled_wait", "", 900});
  builder.put({"Warp State Statistics", "", "Stall Wait", "cycle", 2});
  const ncu::MeasuredKernel kernel = builder.measured()[0];
  CHECK(kernel.limiter == "warps");
  REQUIRE(kernel.stalls.size() == 2);
  CHECK(kernel.stalls[0].reason == "long_scoreboard");
  CHECK(kernel.stalls[1].value == 2);
  CHECK(!kernel.stalls_are_samples);
}

TEST_CASE("instances are grouped, weighted by time") {
  ProfileBuilder builder;
  builder.kernel("k", 1000).light(10, 20).put({"", "", "dram__bytes.sum", "byte", 100});
  builder.kernel("k", 3000).light(50, 20).put({"", "", "dram__bytes.sum", "byte", 200});
  builder.kernel("k", 9000, {2, 1, 1}).light(1, 1);
  std::vector<uint32_t> group_of;
  const auto groups = ncu::group(builder.measured(), group_of);
  REQUIRE(groups.size() == 2);
  CHECK(group_of == std::vector<uint32_t>{1, 1, 0});
  CHECK(*groups[1].duration_ns == 4000);
  CHECK(groups[1].instances == 2);
  CHECK(value(groups[1], Measure::compute_ratio) == doctest::Approx(0.4));
  CHECK(value(groups[1], Measure::dram_bytes) == doctest::Approx(150));
  CHECK(value(groups[1], Measure::dram_bytes_per_s) == doctest::Approx(300 / 4e-6));
}

TEST_CASE("names of one kernel in several spellings") {
  using ncu::NameMatch;
  struct Case {
    const char* run;
    const char* ncu;
    const char* match;
  };
  const Case cases[] = {
      {"k", "k", "name"},
      {"_Z3addPfi", "add(float *, int)", "simplified"},
      {"_Z3addPfi", "add(float*, int)", "demangled"},
      {"void at::native::<unnamed>::copy<(int)4, c10::BFloat16>(int, T2)",
       "void unnamed>::copy<4, BFloat16>(int, T2)", "simplified"},
      {"void f<at::k(at::T &)::[lambda() (instance 1)]::operator ()() const::[lambda(float) "
       "(instance 1)], std::array<char *, (unsigned long)2>>(int, T1)",
       "void f<k(T &)::[lambda() (instance 1)]::operator ()() lambda(float) (instance 1)], "
       "array<char *, 2>>(int, T1)",
       "simplified"},
      {"std::enable_if<!T7, void>::type internal::gemvx::kernel<int, (bool)0>(T13)",
       "enable_if<!T7, void>::type kernel<int, 0>(T13)", "simplified"},
      {"void f<int>(int)", "f<int>", "without_parameters"},
      {"void ns::f<int>(int)", "f", "function"},
      {"f", "void ns::f<int>(int)", "function"},
      {"f<(int)4>", "f<5>", ""},
      {"f<int *>(int)", "f<int>(int)", ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.run);
    const ncu::NameKeys run(one.run);
    const ncu::NameKeys measured(one.ncu);
    std::string match;
    for (const NameMatch way : ncu::all_name_matches) {
      if (way == NameMatch::function && !run.is_function && !measured.is_function) continue;
      if (run.key(way) != measured.key(way)) continue;
      match = to_string(way);
      break;
    }
    CHECK(match == one.match);
  }
}

TEST_CASE("time of a run is divided among measured kernels, to the ns") {
  ProfileBuilder builder;
  builder.kernel("k", 1).kernel("k", 1, {2, 1, 1}).kernel("k", 1, {3, 1, 1});
  std::vector<uint32_t> group_of;
  const auto groups = ncu::group(builder.measured(), group_of);
  analyze::NameSum name;
  name.total_ns = 100;
  const auto shares = ncu::divide_time(name, {}, {0, 1, 2}, groups).shares;
  int64_t all = 0;
  for (const ncu::TimeShare& share : shares) all += share.time_ns;
  CHECK(all == 100);
  CHECK(shares[0].time_ns == 33);
}

TEST_CASE("operations of a grid and block that ncu measured are that kernel") {
  ProfileBuilder builder;
  builder.kernel("k", 10).kernel("k", 30, {2, 1, 1}).kernel("k", 60, {3, 1, 1});
  std::vector<uint32_t> group_of;
  const auto groups = ncu::group(builder.measured(), group_of);
  analyze::NameSum name;
  name.instances = 5;
  name.total_ns = 1000;
  const auto divided = [&](const std::vector<ncu::ShapeSum>& shapes) {
    const ncu::DividedTime time = ncu::divide_time(name, shapes, {0, 1, 2}, groups);
    std::string text =
        fmt::format("{} ns of {} by shape, {} ns of {} by name:", time.by_shape.total_ns,
                    time.by_shape.measured, time.by_name.total_ns, time.by_name.measured);
    for (const ncu::TimeShare& share : time.shares) {
      text += fmt::format(" {} {}", ncu::shape_text(groups[share.kernel].grid), share.time_ns);
    }
    return text;
  };
  const trace::LaunchShape block{32, 1, 1};
  CHECK(divided({}) == "0 ns of 0 by shape, 1000 ns of 3 by name: 3x1x1 600 2x1x1 300 1x1x1 100");
  CHECK(divided({{{1, 1, 1}, block, 4, 900}, {{2, 1, 1}, block, 1, 100}}) ==
        "1000 ns of 2 by shape, 0 ns of 0 by name: 2x1x1 100 1x1x1 900");
  CHECK(divided({{{1, 1, 1}, block, 3, 800}, {{7, 1, 1}, block, 2, 200}}) ==
        "800 ns of 1 by shape, 200 ns of 3 by name: 3x1x1 120 2x1x1 60 1x1x1 820");
  // Another block, and axes in another order.
  CHECK(divided({{{1, 1, 1}, {64, 1, 1}, 4, 900}, {{1, 2, 1}, block, 1, 100}}) ==
        "0 ns of 0 by shape, 1000 ns of 3 by name: 3x1x1 600 2x1x1 300 1x1x1 100");
}

}  // namespace kr::test::ncu_measure_test

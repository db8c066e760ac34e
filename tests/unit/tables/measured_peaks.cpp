// Rates of ops as parts of the data sheet's roof, and of what the GPU reached.
#include <doctest/doctest.h>

#include <memory>
#include <string_view>

#include "cost/rates.hpp"
#include "ncu/gpus.hpp"

namespace kr::test::measured_costs_test {

const ncu::GpuPeaks sheet{
    .name = "G", .fp32 = 1e12, .bf16_tensor = 10e12, .dram_bytes_per_s = 1e12, .source = "s"};

cost::RunGpu gpu_with(std::string_view name) {
  auto measured = std::make_shared<ncu::GpuPeaks>();
  measured->name = name;
  measured->bf16_tensor = 5e12;
  measured->dram_bytes_per_s = 0.8e12;
  return cost::with_measured({&sheet, {}}, measured);
}

/// A call of 1 ms each: 4 GFLOP of BF16, 100 MB; the same of FP32 with 0.4 GFLOP; FLOPs alone; and
/// one above the peak.
cost::CostedRun costed_run(const cost::RunGpu& gpu) {
  cost::CostedRun run;
  run.gpu = gpu.peaks;
  run.measured_peaks = gpu.measured;
  const auto add = [&](std::optional<int64_t> flops, std::optional<int64_t> bytes,
                       ElementType type) {
    cost::CostedOp op;
    op.cost.flops = flops;
    op.cost.bytes = bytes;
    op.cost.type = type;
    run.ops.push_back(op);
    cost::CostedCall call;
    call.costed = static_cast<uint32_t>(run.calls.size());
    call.total_ns = 1'000'000;
    call.has_roof = flops && bytes;
    run.calls.push_back(call);
  };
  add(4'000'000'000, 100'000'000, ElementType::bf16);
  add(400'000'000, 100'000'000, ElementType::fp32);
  add(4'000'000'000, std::nullopt, ElementType::bf16);
  add(40'000'000'000, 100'000'000, ElementType::bf16);
  run.calls.back().has_roof = false;
  run.calls.back().above_peak = true;
  return run;
}

cost::CostSum sum_of(const cost::CostedRun& run, size_t begin, size_t end) {
  cost::CostSum sum;
  for (size_t i = begin; i < end; ++i) sum.add(run, run.calls[i], "kernel");
  return sum;
}

TEST_CASE("rates are parts of the data sheet's roof, and of what the GPU reached") {
  const cost::CostedRun run = costed_run(gpu_with("G"));
  const cost::CostSum bf16 = sum_of(run, 0, 1);
  CHECK(bf16.peak_ratio() == doctest::Approx(0.4));
  CHECK(bf16.measured_peak_ratio() == doctest::Approx(0.8));
  CHECK(bf16.measured_roof_ns() == 1'000'000);
  // The peak of FP32 was not measured, FLOPs alone have no roof, and a wrong cost has none.
  const cost::CostSum all = sum_of(run, 0, run.calls.size());
  CHECK(all.roof_ns() == 2'000'000);
  CHECK(all.peak_ratio() == doctest::Approx(0.4));
  CHECK(all.measured_roof_ns() == 1'000'000);
  CHECK(all.measured_peak_ratio() == doctest::Approx(0.8));
  const cost::CostSum fp32 = sum_of(run, 1, 2);
  CHECK(fp32.peak_ratio() == doctest::Approx(0.4));
  CHECK_FALSE(fp32.measured_peak_ratio());
}

TEST_CASE("peaks that were measured on another GPU are not used") {
  const cost::RunGpu other = gpu_with("F");
  CHECK(other.measured == nullptr);
  const cost::CostSum sum = sum_of(costed_run(other), 0, 1);
  CHECK(sum.peak_ratio() == doctest::Approx(0.4));
  CHECK_FALSE(sum.measured_peak_ratio());
  CHECK(sum.measured_roof_ns() == 0);
  ncu::GpuPeaks measured;
  measured.name = "F";
  CHECK(cost::unused_peaks_note(other, &measured)->text ==
        "Measured peaks are not used: they are those of F, and the GPU of the run is G.");
  CHECK(cost::unused_peaks_note({nullptr, "the trace does not name its GPU"}, &measured)->text ==
        "Measured peaks are not used: they are those of F, and the trace does not name its GPU. "
        "`--gpu NAME` names the GPU of the run.");
  CHECK_FALSE(cost::unused_peaks_note(other, nullptr));
  CHECK_FALSE(cost::unused_peaks_note(gpu_with("G"), &measured));
}

}  // namespace kr::test::measured_costs_test

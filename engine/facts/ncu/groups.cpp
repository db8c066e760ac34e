#include "ncu/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace kr::ncu {
namespace {

enum class MeanIs : uint8_t { by_time, plainly };
constexpr std::array<MeanIs, measure_count> mean_is{
#define KR_NCU_MEASURE(id, unit, role, mean, doc) MeanIs::mean,
#include "ncu/measures.def"
#undef KR_NCU_MEASURE
};

auto key_of(const MeasuredKernel& kernel) {
  return std::tuple(kernel.name, kernel.grid, kernel.block);
}

void add_stalls(std::vector<Stall>& to, const MeasuredKernel& from) {
  for (const Stall& stall : from.stalls) {
    const auto same = std::find_if(to.begin(), to.end(),
                                   [&](const Stall& one) { return one.reason == stall.reason; });
    if (same == to.end()) {
      to.push_back(stall);
    } else {
      same->value += stall.value;
    }
  }
}

/// The peak of the mix of types that the kernel uses: the time that each would take at its own.
std::optional<double> tensor_peak(const MeasuredKernel& kernel, const GpuPeaks& gpu) {
  const std::array<double, tensor_types> peaks{
      gpu.fp16_tensor, gpu.bf16_tensor, gpu.tf32, gpu.fp8_tensor, gpu.int8_tensor, 0, 0};
  double flops = 0;
  double seconds = 0;
  for (size_t type = 0; type < tensor_types; ++type) {
    if (kernel.tensor_flops[type] <= 0) continue;
    if (peaks[type] <= 0) return std::nullopt;
    flops += kernel.tensor_flops[type];
    seconds += kernel.tensor_flops[type] / peaks[type];
  }
  return seconds > 0 ? std::optional(flops / seconds) : std::nullopt;
}

}  // namespace

void Mean::add(const Measures& of, double weight, double instances) {
  for (size_t i = 0; i < measure_count; ++i) {
    const auto value = of.get(static_cast<Measure>(i));
    if (!value) continue;
    const double by = mean_is[i] == MeanIs::by_time ? weight : instances;
    sums_[i].total += *value * by;
    sums_[i].weight += by;
  }
}

Measures Mean::measures() const {
  Measures out;
  for (size_t i = 0; i < measure_count; ++i) {
    if (sums_[i].weight > 0) out.set(static_cast<Measure>(i), sums_[i].total / sums_[i].weight);
  }
  return out;
}

std::vector<MeasuredKernel> group(std::span<const MeasuredKernel> kernels,
                                  std::vector<uint32_t>& group_of) {
  std::map<decltype(key_of(kernels[0])), std::vector<uint32_t>> same;
  for (uint32_t i = 0; i < kernels.size(); ++i) same[key_of(kernels[i])].push_back(i);
  std::vector<std::pair<MeasuredKernel, std::vector<uint32_t>>> made;
  made.reserve(same.size());
  for (auto& [key, members] : same) {
    MeasuredKernel one = kernels[members[0]];
    one.instances = static_cast<int64_t>(members.size());
    Mean mean;
    int64_t longest = one.duration_ns.value_or(0);
    for (const uint32_t member : members) {
      const MeasuredKernel& kernel = kernels[member];
      // Without any time all count the same.
      const auto weight = static_cast<double>(std::max<int64_t>(kernel.duration_ns.value_or(1), 1));
      mean.add(kernel.measures, weight, 1);
      if (member == members[0]) continue;
      // Texts of rules have numbers, and differ between instances.
      if (kernel.duration_ns.value_or(0) > longest) {
        longest = *kernel.duration_ns;
        one.rules = kernel.rules;
      }
      if (kernel.duration_ns) {
        one.duration_ns = one.duration_ns.value_or(0) + *kernel.duration_ns;
      }
      add_stalls(one.stalls, kernel);
      for (size_t type = 0; type < tensor_types; ++type) {
        one.tensor_flops[type] += kernel.tensor_flops[type];
      }
    }
    one.measures = mean.measures();
    for (Stall& stall : one.stalls) stall.value /= static_cast<double>(one.instances);
    for (double& flops : one.tensor_flops) flops /= static_cast<double>(one.instances);
    made.emplace_back(std::move(one), std::move(members));
  }
  std::stable_sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
    return a.first.duration_ns.value_or(0) > b.first.duration_ns.value_or(0);
  });
  std::vector<MeasuredKernel> out;
  out.reserve(made.size());
  group_of.assign(kernels.size(), 0);
  for (auto& [one, members] : made) {
    for (const uint32_t member : members) group_of[member] = static_cast<uint32_t>(out.size());
    out.push_back(std::move(one));
  }
  return out;
}

void fill_peaks(MeasuredKernel& kernel, const GpuPeaks& gpu) {
  const auto known = [](double peak) { return peak > 0 ? std::optional(peak) : std::nullopt; };
  Measures& to = kernel.measures;
  to.fill(Measure::fp64_peak_per_s, known(gpu.fp64));
  to.fill(Measure::fp32_peak_per_s, known(gpu.fp32));
  to.fill(Measure::tensor_peak_per_s, tensor_peak(kernel, gpu));
  to.fill(Measure::dram_peak_bytes_per_s, known(gpu.dram_bytes_per_s));
  to.fill(Measure::l2_peak_bytes_per_s, known(gpu.l2_bytes_per_s));
}

Measures rates_with_peaks(const MeasuredKernel& kernel, const GpuPeaks& gpu) {
  MeasuredKernel only;
  only.tensor_flops = kernel.tensor_flops;
  for (const Measure one :
       {Measure::fp16_flops_per_s, Measure::fp32_flops_per_s, Measure::fp64_flops_per_s,
        Measure::tensor_flops_per_s, Measure::tensor_flops, Measure::dram_bytes_per_s,
        Measure::dram_bytes}) {
    only.measures.set(one, kernel.measures.get(one));
  }
  fill_peaks(only, gpu);
  return only.measures;
}

std::vector<Roof> roofs_of(std::span<const MeasuredKernel> kernels, const GpuPeaks* gpu) {
  const GpuPeaks none;
  const GpuPeaks& sheet = gpu != nullptr ? *gpu : none;
  const std::string sheet_source = "data sheet of " + sheet.name;
  struct Peak {
    bool is_memory;
    const char* name;
    Measure measure;
    double of_sheet;
  };
  const Peak peaks[] = {{false, "FP16", Measure::fp16_peak_per_s, 0},
                        {false, "FP32", Measure::fp32_peak_per_s, sheet.fp32},
                        {false, "FP64", Measure::fp64_peak_per_s, sheet.fp64},
                        {true, "DRAM", Measure::dram_peak_bytes_per_s, sheet.dram_bytes_per_s},
                        {true, "L2", Measure::l2_peak_bytes_per_s, sheet.l2_bytes_per_s}};
  std::vector<Roof> roofs;
  for (const Peak& peak : peaks) {
    double highest = 0;
    for (const MeasuredKernel& kernel : kernels) {
      highest = std::max(highest, kernel.measures.get(peak.measure).value_or(0));
    }
    if (highest > 0) {
      roofs.push_back({peak.is_memory, peak.name, highest, "metrics of the profile"});
    } else if (peak.of_sheet > 0) {
      roofs.push_back({peak.is_memory, peak.name, peak.of_sheet, sheet_source});
    }
  }
  const std::pair<const char*, double> tensor[] = {{"FP16 tensor", sheet.fp16_tensor},
                                                   {"BF16 tensor", sheet.bf16_tensor},
                                                   {"TF32 tensor", sheet.tf32},
                                                   {"FP8 tensor", sheet.fp8_tensor},
                                                   {"INT8 tensor", sheet.int8_tensor}};
  for (size_t type = 0; type < std::size(tensor); ++type) {
    const bool used = std::any_of(kernels.begin(), kernels.end(), [&](const MeasuredKernel& one) {
      return one.tensor_flops[type] > 0;
    });
    if (!used || tensor[type].second <= 0) continue;
    roofs.push_back({false, tensor[type].first, tensor[type].second, sheet_source});
  }
  return roofs;
}

std::string shape_text(const trace::LaunchShape& shape) {
  if (shape == trace::LaunchShape{}) return {};
  return fmt::format("{}x{}x{}", shape[0], shape[1], shape[2]);
}

}  // namespace kr::ncu

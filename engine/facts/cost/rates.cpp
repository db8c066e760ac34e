#include "cost/rates.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cost/above_peak.hpp"

namespace kr::cost {
namespace {

constexpr double ns_of_second = 1e9;

}  // namespace

RunGpu gpu_of(const trace::Trace& trace) {
  RunGpu found;
  for (const trace::Track& track : trace.tracks) {
    if (track.device_name.empty()) continue;
    const ncu::GpuPeaks* one = nullptr;
    try {
      one = ncu::find_gpu(track.device_name);
    } catch (const Error& several) {
      return {nullptr, fmt::format("{} ({})", several.why(), several.remedy())};
    }
    if (one == nullptr) {
      return {nullptr,
              fmt::format("there is no data sheet of the GPU `{}`", printable(track.device_name))};
    }
    if (found.peaks != nullptr && found.peaks != one) {
      return {nullptr,
              fmt::format("the GPUs of the run differ: {} and {}", found.peaks->name, one->name)};
    }
    found.peaks = one;
  }
  if (found.peaks == nullptr) found.unknown = "the trace does not name its GPU";
  return found;
}

RunGpu with_measured(RunGpu gpu, const std::shared_ptr<const ncu::GpuPeaks>& measured) {
  const bool same =
      gpu.peaks != nullptr && measured != nullptr && measured->name == gpu.peaks->name;
  gpu.measured = same ? measured : nullptr;
  return gpu;
}

RunGpu gpu_of(const trace::Trace& trace, const ncu::GpuPeaks* named,
              const std::shared_ptr<const ncu::GpuPeaks>& measured) {
  return with_measured(named != nullptr ? RunGpu{named, {}} : gpu_of(trace), measured);
}

RunGpu gpu_of(const facts::Input& run) {
  return gpu_of(run.trace.trace, run.gpu, run.measured_peaks);
}

std::optional<Warning> unused_peaks_note(const RunGpu& gpu, const ncu::GpuPeaks* measured) {
  if (measured == nullptr || gpu.measured != nullptr) return std::nullopt;
  const std::string of_run =
      gpu.peaks != nullptr ? fmt::format("the GPU of the run is {}.", gpu.peaks->name)
                           : fmt::format("{}. `--gpu NAME` names the GPU of the run.", gpu.unknown);
  return Warning{"unused-peaks", fmt::format("Measured peaks are not used: they are those of {}, "
                                             "and {}",
                                             measured->name, of_run)};
}

std::optional<Warning> no_peaks_note(const RunGpu& gpu, const CostedRun& costed) {
  if (gpu.peaks == nullptr) {
    return Warning{
        "no-peaks",
        fmt::format("Rates have no percentage of a peak: {}. `--gpu NAME` names the GPU, such as "
                    "`--gpu \"H100 SXM\"`; `kr list gpus` shows those that kr knows.",
                    gpu.unknown)};
  }
  std::set<std::string_view> without;  // types; empty: not recorded
  for (const CostedCall& call : costed.calls) {
    const match::OpCost& cost = costed.cost(call);
    if (cost.flops.value_or(0) <= 0 || peak_of(gpu.peaks, cost.type, false)) continue;
    without.insert(word_of(cost.type));
  }
  if (without.empty()) return std::nullopt;
  std::string types;
  for (const std::string_view one : without) {
    if (one.empty()) continue;
    types += fmt::format("{}{}", types.empty() ? "" : ", ", one);
  }
  std::string why;
  if (!types.empty()) {
    why = fmt::format("the data sheet of {} has no peak of {}", gpu.peaks->name, types);
  }
  if (without.contains("")) {
    why += why.empty() ? "" : "; ";
    why += "types of operands are not recorded";
  }
  return Warning{"no-peaks", fmt::format("Some FLOPs have no percentage of a peak: {}.", why)};
}

std::optional<double> peak_of(const ncu::GpuPeaks* gpu, ElementType type, bool tf32) {
  if (gpu == nullptr) return std::nullopt;
  double peak = 0;
  switch (type) {
    case ElementType::fp64:
      peak = gpu->fp64;
      break;
    case ElementType::fp32:
      peak = tf32 ? gpu->tf32 : gpu->fp32;
      break;
    case ElementType::fp16:
      peak = gpu->fp16_tensor;
      break;
    case ElementType::bf16:
      peak = gpu->bf16_tensor;
      break;
    case ElementType::fp8:
      peak = gpu->fp8_tensor;
      break;
    case ElementType::int8:
      peak = gpu->int8_tensor;
      break;
    default:
      break;
  }
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

bool is_tf32_kernel(std::string_view kernel) {
  const auto has = [&](std::string_view word) { return kernel.find(word) != kernel.npos; };
  if (has("tf32") || has("TF32")) return true;
  // `s1688f16` and `s1688bf16` convert the operands to 16 bits instead.
  return has("tensorop_s1688") && !has("s1688f16") && !has("s1688bf16");
}

std::optional<double> seconds_at_peak(const match::OpCost& cost, const ncu::GpuPeaks* gpu,
                                      std::string_view kernel) {
  const auto peak = peak_of(gpu, cost.type, is_tf32_kernel(kernel));
  if (!cost.flops || !peak) return std::nullopt;
  return static_cast<double>(*cost.flops) / *peak;
}

RoofTime roof_time(const match::OpCost& cost, const ncu::GpuPeaks* gpu, std::string_view kernel) {
  RoofTime time;
  if (gpu == nullptr) return time;
  // Without FLOPs, their peak does not matter.
  time.compute_s = cost.flops == 0 ? 0.0 : seconds_at_peak(cost, gpu, kernel);
  if (cost.bytes && gpu->dram_bytes_per_s > 0) {
    time.memory_s = static_cast<double>(*cost.bytes) / gpu->dram_bytes_per_s;
  }
  return time;
}

void CostSum::Amount::add(const std::optional<int64_t>& one, int64_t one_ns) {
  if (!one) return;
  int64_t next = sum.value_or(0);
  broken = broken || __builtin_add_overflow(next, *one, &next);
  sum = broken ? std::nullopt : std::optional(next);
  ns += one_ns;
}

std::optional<double> CostSum::Amount::rate() const {
  if (!sum || ns == 0) return std::nullopt;
  return static_cast<double>(*sum) / static_cast<double>(ns) * ns_of_second;
}

void CostSum::add(const CostedRun& costed, const CostedCall& call, std::string_view kernel) {
  const match::OpCost& cost = costed.cost(call);
  if (call.above_peak) {
    above_peak_ns_ += call.total_ns;
    above_peak_s_ += roof_time(cost, costed.gpu, kernel).at_least_s();
    return;
  }
  flops_.add(cost.flops, call.total_ns);
  bytes_.add(cost.bytes, call.total_ns);
  if (cost.flops) {
    flops_of_type_[cost.type] += static_cast<double>(*cost.flops);
    const bool tf32 = cost.type == ElementType::fp32 && is_tf32_kernel(kernel);
    if (tf32) tf32_flops_ += static_cast<double>(*cost.flops);
  }
  if (!cost.flops || !cost.bytes) return;
  both_ns_ += call.total_ns;
  both_flops_ += static_cast<double>(*cost.flops);
  both_bytes_ += static_cast<double>(*cost.bytes);
  const RoofTime measured = roof_time(cost, costed.measured_peaks.get(), kernel);
  if (measured.is_roof()) {
    measured_roof_ns_ += call.total_ns;
    measured_compute_s_ += *measured.compute_s;
    measured_memory_s_ += *measured.memory_s;
  }
  if (!call.has_roof) return;
  const RoofTime time = roof_time(cost, costed.gpu, kernel);
  roof_ns_ += call.total_ns;
  roof_flops_ += static_cast<double>(*cost.flops);
  compute_s_ += *time.compute_s;
  memory_s_ += *time.memory_s;
  at_roof_ns_ += time.at_least_s() * ns_of_second;
}

std::optional<double> CostSum::intensity() const {
  if (both_ns_ == 0 || both_bytes_ <= 0) return std::nullopt;
  return both_flops_ / both_bytes_;
}

std::optional<double> CostSum::peak_ratio() const {
  if (roof_ns_ == 0) return std::nullopt;
  return std::max(compute_s_, memory_s_) * ns_of_second / static_cast<double>(roof_ns_);
}

std::optional<double> CostSum::measured_peak_ratio() const {
  if (measured_roof_ns_ == 0) return std::nullopt;
  return std::max(measured_compute_s_, measured_memory_s_) * ns_of_second /
         static_cast<double>(measured_roof_ns_);
}

std::optional<double> CostSum::above_peak_ratio() const {
  if (above_peak_ns_ == 0) return std::nullopt;
  return above_peak_s_ * ns_of_second / static_cast<double>(above_peak_ns_);
}

ElementType CostSum::main_type() const {
  const auto most =
      std::max_element(flops_of_type_.begin(), flops_of_type_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == flops_of_type_.end() ? ElementType::unknown : most->first;
}

bool CostSum::is_mainly_tf32() const {
  const auto fp32 = flops_of_type_.find(ElementType::fp32);
  return main_type() == ElementType::fp32 && 2 * tf32_flops_ > fp32->second;
}

std::optional<double> CostSum::roof_flops_per_s() const {
  const double seconds = std::max(compute_s_, memory_s_);
  if (roof_ns_ == 0 || seconds <= 0) return std::nullopt;
  return roof_flops_ / seconds;
}

std::optional<double> CostSum::point_flops_per_s() const {
  if (both_ns_ == 0) return std::nullopt;
  return both_flops_ / static_cast<double>(both_ns_) * ns_of_second;
}

std::string_view CostSum::bound() const {
  if (roof_ns_ == 0) return {};
  return compute_s_ > memory_s_ ? "compute" : "memory";
}

facts::Computed<Roofs> Roofs::compute(const facts::Input& run) {
  return Roofs{gpu_of(run)};
}

std::optional<Warning> Roofs::note(const facts::Input& run) const {
  const CostedRun& costs = run.facts.get<CostedRun>();
  if (costs.flops_ns == 0 && costs.bytes_ns == 0) return std::nullopt;
  return no_peaks_note(gpu, costs);
}

facts::Computed<CostedRun> CostedRun::compute(const facts::Input& run) {
  RunGpu gpu = gpu_of(run);
  CostedRun costed = cost_run(run.rules, run.trace, gpu.peaks);
  costed.measured_peaks = std::move(gpu.measured);
  return costed;
}

std::optional<Warning> CostedRun::note(const facts::Input& run) const {
  return above_peak_note(*this, run.rules, run.trace.trace, run.summary.gpu_total_ns);
}

}  // namespace kr::cost

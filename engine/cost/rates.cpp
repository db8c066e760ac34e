#include "cost/rates.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace kr::cost {
namespace {

constexpr double ns_of_second = 1e9;

}  // namespace

const ncu::GpuPeaks* gpu_of(const trace::Trace& trace) {
  const ncu::GpuPeaks* found = nullptr;
  for (const trace::Track& track : trace.tracks) {
    if (track.device_name.empty()) continue;
    const ncu::GpuPeaks* one = nullptr;
    try {
      one = ncu::find_gpu(track.device_name);
    } catch (const Error&) {
      return nullptr;  // several GPUs have this name
    }
    if (one == nullptr || (found != nullptr && found != one)) return nullptr;
    found = one;
  }
  return found;
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

std::optional<double> seconds_at_peak(const match::OpCost& cost, const ncu::GpuPeaks* gpu,
                                      std::string_view kernel) {
  const bool tf32 = kernel.find("tf32") != kernel.npos || kernel.find("TF32") != kernel.npos;
  const auto peak = peak_of(gpu, cost.type, tf32);
  if (!cost.flops || !peak) return std::nullopt;
  return static_cast<double>(*cost.flops) / *peak;
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

void CostSum::add(const match::OpCost& cost, int64_t total_ns, const ncu::GpuPeaks* gpu,
                  std::string_view kernel) {
  flops_.add(cost.flops, total_ns);
  bytes_.add(cost.bytes, total_ns);
  const bool both = cost.flops && cost.bytes;
  if (both) {
    both_ns_ += total_ns;
    both_flops_ += static_cast<double>(*cost.flops);
    both_bytes_ += static_cast<double>(*cost.bytes);
  }
  if (cost.flops) flops_of_type_[cost.type] += static_cast<double>(*cost.flops);
  const double bandwidth = gpu == nullptr ? 0 : gpu->dram_bytes_per_s;
  const std::optional<double> compute_s = seconds_at_peak(cost, gpu, kernel);
  std::optional<double> memory_s;
  if (cost.bytes && bandwidth > 0) memory_s = static_cast<double>(*cost.bytes) / bandwidth;
  if (compute_s && memory_s) {
    peaks_ns_ += total_ns;
    peaks_flops_ += static_cast<double>(*cost.flops);
    compute_s_ += *compute_s;
    memory_s_ += *memory_s;
  }
  // One of them alone is not a roof: the other one may take longer.
  if (!both || !memory_s || (*cost.flops > 0 && !compute_s)) return;
  roof_ns_ += total_ns;
  at_roof_ns_ += std::max(compute_s.value_or(0), *memory_s) * ns_of_second;
}

std::optional<double> CostSum::intensity() const {
  if (both_ns_ == 0 || both_bytes_ <= 0) return std::nullopt;
  return both_flops_ / both_bytes_;
}

std::optional<double> CostSum::peak_ratio() const {
  if (peaks_ns_ == 0) return std::nullopt;
  return std::max(compute_s_, memory_s_) * ns_of_second / static_cast<double>(peaks_ns_);
}

ElementType CostSum::main_type() const {
  const auto most =
      std::max_element(flops_of_type_.begin(), flops_of_type_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == flops_of_type_.end() ? ElementType::unknown : most->first;
}

std::optional<double> CostSum::roof_flops_per_s() const {
  const double seconds = std::max(compute_s_, memory_s_);
  if (peaks_ns_ == 0 || seconds <= 0) return std::nullopt;
  return peaks_flops_ / seconds;
}

std::optional<double> CostSum::point_flops_per_s() const {
  if (both_ns_ == 0) return std::nullopt;
  return both_flops_ / static_cast<double>(both_ns_) * ns_of_second;
}

std::string_view CostSum::bound() const {
  if (peaks_ns_ == 0) return {};
  return compute_s_ > memory_s_ ? "compute" : "memory";
}

}  // namespace kr::cost

// What a profile of module trees says of the work of its nodes beside their times, and of the
// devices they ran on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kr::trace {

/// A device as the profile describes it. Empty: it does not say.
struct ProfiledDevice {
  std::string type;  // `CUDA`, `HIP`
  std::string id;    // `0`
  std::string arch;  // `90`, `gfx942`
  std::optional<int64_t> sms;
  std::optional<int64_t> clock_khz;
  std::optional<int64_t> memory_clock_khz;
  std::optional<int64_t> bus_width_bits;

  /// 2 × bus width × memory clock ÷ 8: memory that transfers twice per clock, as Proton's viewer
  /// computes it (third_party/proton/proton/viewer.py of Triton).
  std::optional<double> peak_bytes_per_s() const {
    if (!memory_clock_khz || !bus_width_bits) return std::nullopt;
    const double peak = 2 * static_cast<double>(*bus_width_bits) *
                        static_cast<double>(*memory_clock_khz) * 1000 / 8;
    return peak > 0 ? std::optional(peak) : std::nullopt;
  }
};

/// Operands of FLOPs: of any type (`flops`), or of so many bits (`flops8` … `flops64`). Whether 8
/// bits are FP8 or INT8, and 32 bits FP32 or TF32, is not recorded.
enum class FlopWidth : uint8_t { any, bits8, bits16, bits32, bits64 };
inline constexpr std::array all_flop_widths{FlopWidth::any, FlopWidth::bits8, FlopWidth::bits16,
                                            FlopWidth::bits32, FlopWidth::bits64};
inline constexpr size_t flop_widths = all_flop_widths.size();

/// What a node itself says, without the nodes below it: the sum over all its calls.
struct NodeCost {
  static constexpr uint32_t no_device = UINT32_MAX;

  size_t step = 0;    // index into the trace's steps
  uint32_t node = 0;  // its place in the step's forest
  std::array<std::optional<double>, flop_widths> flops = {};
  std::optional<int64_t> bytes = {};
  uint32_t device = no_device;  // index into ModuleCosts::devices

  bool has_flops() const {
    for (const std::optional<double>& one : flops) {
      if (one) return true;
    }
    return false;
  }
};

struct ModuleCosts {
  std::vector<ProfiledDevice> devices;  // in the order of the source
  std::vector<NodeCost> nodes;          // by step, then node
  bool has_amounts = false;             // some node has FLOPs or bytes
};

}  // namespace kr::trace

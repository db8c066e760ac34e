// Numbers of one kernel from the metrics of its pages.
//
// Formulas (of the section `SpeedOfLight_RooflineChart` of ncu, `--print-details all`, or of the
// same metrics in `--page raw`), where X is H, F or D:
//
//   flops/s = (XADD + XMUL + XFMA operations per cycle) × SM frequency of `… Achieved Value`
//   peak    = theoretical XFMA operations × SM frequency of `… Roofline`
//   DRAM    = theoretical bytes accessible × DRAM frequency of `… Roofline`
//   tensor  = sum of `sm__ops_path_tensor_*.sum` (without `_sparsity_`) ÷ duration
//
// A multiply-add is two operations. HADD and HMUL count two, HFMA four: they work on pairs.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/warning.hpp"
#include "trace/ncu_profile.hpp"

namespace kr::ncu {

enum class Measure : uint8_t {
#define KR_NCU_MEASURE(id, unit, role, mean, doc) id,
#include "ncu/measures.def"
#undef KR_NCU_MEASURE
};
constexpr size_t measure_count = 0
#define KR_NCU_MEASURE(id, unit, role, mean, doc) +1
#include "ncu/measures.def"
#undef KR_NCU_MEASURE
    ;

class Measures {
 public:
  Measures() { values_.fill(std::nan("")); }
  std::optional<double> get(Measure one) const noexcept {
    const double value = values_[static_cast<size_t>(one)];
    return std::isnan(value) ? std::nullopt : std::optional(value);
  }
  void set(Measure one, std::optional<double> value) noexcept {
    if (value) values_[static_cast<size_t>(one)] = *value;
  }
  /// Only where it is not known yet.
  void fill(Measure one, std::optional<double> value) noexcept {
    if (!get(one)) set(one, value);
  }

 private:
  std::array<double, measure_count> values_;  // NaN: not known
};

/// The type of the operands of tensor operations.
enum class TensorType : uint8_t { fp16, bf16, tf32, fp8, int8, fp64, other };
constexpr size_t tensor_types = 7;

/// Why warps did not issue an instruction.
struct Stall {
  std::string reason;  // `long_scoreboard`
  double value = 0;    // cycles per issued instruction, or samples
};

struct MeasuredKernel {
  std::string_view name;  // of the profile, as are all texts
  std::string_view cc;
  trace::LaunchShape grid{};
  trace::LaunchShape block{};
  int32_t device = 0;
  int64_t instances = 1;
  std::optional<int64_t> duration_ns{};  // of all instances
  Measures measures{};
  std::array<double, tensor_types> tensor_flops{};  // of one instance
  /// What limits the theoretical occupancy: `registers`, `shared_memory`, `warps`, `blocks`,
  /// `barriers`; several with commas between; empty: not known.
  std::string_view limiter{};
  std::vector<Stall> stalls{};
  bool stalls_are_samples = false;
  std::vector<uint32_t> rules{};  // of the profile
};

/// By kernel of the profile, which has to live as long. A metric in a unit that it cannot have, or
/// that is not a number, is left out, with a warning that has file and line.
std::vector<MeasuredKernel> measure(const trace::NcuProfile& profile,
                                    std::vector<Warning>& warnings);

}  // namespace kr::ncu

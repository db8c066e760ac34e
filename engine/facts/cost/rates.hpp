// FLOPs and bytes of many calls added up, with the time they took, and the roof of a GPU.
//
// Roofline model (Williams, Waterman and Patterson, 2009): a call of F operations and B bytes takes
// at least max(F ÷ peak of its precision, B ÷ bandwidth). Peaks are those of the data sheet
// (ncu/gpus.hpp), dense, without sparsity; beside them those that were measured on the GPU
// (ncu/measured_peaks.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/warning.hpp"
#include "cost/costed_run.hpp"
#include "ncu/gpus.hpp"

namespace kr::cost {

/// The GPU of a run, whose peaks are roofs.
struct RunGpu {
  const ncu::GpuPeaks* peaks = nullptr;  // null: not known
  std::string unknown;                   // why not: a clause, `the trace does not name its GPU`
  /// What was measured on this GPU; null: not known.
  std::shared_ptr<const ncu::GpuPeaks> measured = {};
};

/// A demand for what costs are compared with: why it is not known is said.
struct Roofs {
  static constexpr facts::Set uses = facts::Set::of<CostedRun>();
  static facts::Computed<Roofs> compute(const facts::Input& run);
  std::optional<Warning> note(const facts::Input& run) const;

  RunGpu gpu;
};

/// By the names of its devices.
RunGpu gpu_of(const trace::Trace& trace);
/// `measured` may be null; of another GPU it is nothing.
RunGpu with_measured(RunGpu gpu, const std::shared_ptr<const ncu::GpuPeaks>& measured);
/// The GPU that the user named (may be null), or else that of the trace.
RunGpu gpu_of(const trace::Trace& trace, const ncu::GpuPeaks* named,
              const std::shared_ptr<const ncu::GpuPeaks>& measured);
RunGpu gpu_of(const facts::Input& run);

/// That measured peaks are those of another GPU than that of the run; none: they are not.
/// `measured` may be null.
std::optional<Warning> unused_peaks_note(const RunGpu& gpu, const ncu::GpuPeaks* measured);

/// That percentages of peaks are absent, why, and what to do; none: all peaks are known.
std::optional<Warning> no_peaks_note(const RunGpu& gpu, const CostedRun& costed);

/// FLOP/s of the precision; `tf32`: of FP32 operands on tensor cores. None: not known.
std::optional<double> peak_of(const ncu::GpuPeaks* gpu, ElementType type, bool tf32);

/// How long a call takes at the roof.
struct RoofTime {
  std::optional<double> compute_s;  // none: FLOPs or the peak of their precision are not known
  std::optional<double> memory_s;   // none: bytes or the bandwidth are not known

  /// One of them alone is not a roof: the other one may take longer.
  bool is_roof() const { return compute_s && memory_s; }
  /// By what is known.
  double at_least_s() const { return std::max(compute_s.value_or(0), memory_s.value_or(0)); }
};

/// `gpu` may be null. `kernel`: the name of the call's longest operation.
RoofTime roof_time(const match::OpCost& cost, const ncu::GpuPeaks* gpu, std::string_view kernel);

/// Whether a kernel computes FP32 operands as TF32, on tensor cores: `…_tf32f32_…` and, of CUTLASS,
/// `…_tensorop_s1688gemm_…`, the shape of these instructions.
bool is_tf32_kernel(std::string_view kernel);

/// How long the FLOPs of a call take at the peak of their precision; none: they or the peak are not
/// known. `kernel`: the name of the call's longest operation.
std::optional<double> seconds_at_peak(const match::OpCost& cost, const ncu::GpuPeaks* gpu,
                                      std::string_view kernel);

/// Sums of calls. FLOPs and bytes are exact; nothing of what overflows. Calls above the peak are in
/// no amount, rate or share.
class CostSum {
 public:
  /// `kernel`: the name of the call's longest operation.
  void add(const CostedRun& costed, const CostedCall& call, std::string_view kernel);
  void add_time(int64_t ns) { total_ns_ += ns; }

  int64_t total_ns() const { return total_ns_; }
  /// Of calls whose FLOPs are known; none: there are none.
  std::optional<int64_t> flops() const { return flops_.sum; }
  std::optional<int64_t> bytes() const { return bytes_.sum; }
  int64_t flops_ns() const { return flops_.ns; }
  int64_t bytes_ns() const { return bytes_.ns; }
  std::optional<double> flops_per_s() const { return flops_.rate(); }
  std::optional<double> bytes_per_s() const { return bytes_.rate(); }
  /// Operations per byte, of calls of which both are known.
  std::optional<double> intensity() const;
  /// The part of the roof at this intensity, of calls of which both and their peaks are known.
  std::optional<double> peak_ratio() const;
  /// The same by peaks that were measured on the GPU, of the calls of `measured_roof_ns`. Above 1
  /// the calls were faster than what was measured.
  std::optional<double> measured_peak_ratio() const;
  /// The type of the calls with most FLOPs; unknown: there are none. And whether most of these are
  /// TF32.
  ElementType main_type() const;
  bool is_mainly_tf32() const;
  /// Operations per second at the roof of the calls of which FLOPs, bytes and both peaks are known.
  std::optional<double> roof_flops_per_s() const;
  /// FLOPs and their rate, of calls of which both are known: a point of the roofline.
  std::optional<double> point_flops_per_s() const;
  int64_t point_ns() const { return both_ns_; }
  double point_flops() const { return both_flops_; }
  double point_bytes() const { return both_bytes_; }
  /// `compute` or `memory`; empty: not known.
  std::string_view bound() const;
  /// Time of calls of which FLOPs, bytes and their peaks are known, and what it would be at the
  /// roof. One of them alone is not a roof.
  int64_t roof_ns() const { return roof_ns_; }
  double at_roof_ns() const { return at_roof_ns_; }
  /// Time of calls of which FLOPs, bytes and their measured peaks are known.
  int64_t measured_roof_ns() const { return measured_roof_ns_; }
  /// Time of calls above the peak, and how long they take at their roof, as a part of it.
  int64_t above_peak_ns() const { return above_peak_ns_; }
  std::optional<double> above_peak_ratio() const;

 private:
  struct Amount {
    std::optional<int64_t> sum;
    bool broken = false;  // it overflowed
    int64_t ns = 0;

    void add(const std::optional<int64_t>& one, int64_t one_ns);
    std::optional<double> rate() const;
  };
  int64_t total_ns_ = 0;
  Amount flops_, bytes_;
  // Of calls of which both are known.
  int64_t both_ns_ = 0;
  double both_flops_ = 0;
  double both_bytes_ = 0;
  double roof_flops_ = 0;  // of calls with a roof
  std::map<ElementType, double> flops_of_type_;
  double tf32_flops_ = 0;  // of fp32
  double compute_s_ = 0;   // at the peak
  double memory_s_ = 0;
  int64_t roof_ns_ = 0;
  double at_roof_ns_ = 0;
  double measured_compute_s_ = 0;  // at the measured peak
  double measured_memory_s_ = 0;
  int64_t measured_roof_ns_ = 0;
  int64_t above_peak_ns_ = 0;
  double above_peak_s_ = 0;  // at the roof
};

}  // namespace kr::cost

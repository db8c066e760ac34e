// GPU metrics of an nsys export: GPU_METRICS with the names of TARGET_INFO_GPU_METRICS, or, in
// exports of 2021, the JSON of GENERIC_EVENTS.
//
// The lowest 8 bits of a typeId are nsys's number of the GPU, which is TARGET_INFO_GPU.id.
// Operations have the number that CUDA gives the device. TARGET_INFO_CUDA_DEVICE (gpuId, cudaId) or
// else TARGET_INFO_GPU (id, cuDevice) relates the two; without both they are taken as equal. See
// “--gpu-metrics-devices” of the Nsight Systems User Guide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trace/open.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Fills TraceBuilder::gpu_metrics. False if the file had less than its tables say. Rows that
/// cannot be read are counted as dropped; samples before the start of the profile are mentioned.
bool read_nsys_metrics(const SqliteTables& schema, const NsysLabels& labels,
                       const OpenOptions& options, TraceBuilder& out);

/// nsys's numbers of GPUs, and those of CUDA.
class NsysGpus {
 public:
  NsysGpus(const SqliteTables& schema, const NsysLabels& labels);

  /// Nullopt: CUDA did not use the GPU, or processes number GPUs in different ways.
  std::optional<int32_t> device(int32_t gpu) const;
  /// GPUs whose number depends on the process, or whose number another one has, too.
  bool ambiguous() const noexcept { return ambiguous_; }

 private:
  std::map<int64_t, std::optional<int32_t>> devices_;  // empty: the numbers are equal
  bool ambiguous_ = false;
};

}  // namespace kr::trace

// What AMD's profilers have in common, whatever they write: names of kernels, types of operations
// and numbers of devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/operation_kind.hpp"

namespace kr::trace {

class TraceBuilder;

/// Without the end of the name of a kernel's descriptor: `gemm.kd`, `gemm [clone .kd]`.
std::string_view kernel_name_of_symbol(std::string_view symbol) noexcept;

/// By the type of an operation: `KernelExecution`, `Task`, `CopyHostToDevice`, `FillBuffer`,
/// `MEMORY_COPY_HOST_TO_DEVICE`. Of a kernel, its name may say that it copies or sets. Nothing: it
/// is no work, as `Barrier`.
std::optional<OperationKind> kind_of_rocm_type(std::string_view type,
                                               std::string_view name) noexcept;

/// Calls of the tracer itself, which stand among those of the program: `hcc_activity_callback`,
/// `ApiTable::writeRows`, `rpdflush`.
bool is_call_of_tracer(std::string_view name) noexcept;
/// Says that so many of them were left out.
void note_calls_of_tracer(uint64_t calls, TraceBuilder& out);

/// What rocprofv3 calls a domain of calls: `HIP_RUNTIME_API`, `HSA_CORE_API`, `MARKER_CORE_API`,
/// `RCCL_API`.
enum class RocmDomain : uint8_t {
  runtime,  // calls that may launch operations: HIP, HSA
  marker,   // ranges that the program marks
  library,  // calls of what is above HIP
};
RocmDomain domain_of(std::string_view domain) noexcept;

/// A function of the layer below HIP: `hsa_signal_create`.
bool is_hsa_call(std::string_view name) noexcept;

/// The number in `2`, `Agent 2` or `GPU 0`.
std::optional<int64_t> agent_number(std::string_view text) noexcept;

}  // namespace kr::trace

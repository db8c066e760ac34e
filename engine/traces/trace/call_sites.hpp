// Where in a program's own source operations come from: by the frames of Python that a profiler
// recorded with stacks (PyTorch's `with_stack`), `vllm/worker.py(120): execute_model`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/trace.hpp"

namespace kr::trace {

/// Whether a frame is of a file with a line, and neither of PyTorch, Triton nor Python's library:
/// those are between a program and each of its kernels.
bool is_call_site(std::string_view frame) noexcept;

struct CallSite {
  std::string_view file;      // `vllm/worker.py`
  std::string_view line;      // the first of the function: PyTorch records no other
  std::string_view function;  // `execute_model`
};
/// Of what `is_call_site`.
CallSite call_site_from(std::string_view frame) noexcept;

/// By operation: the innermost frame around its launch, in HostTrace::frames->ops; HostRange::none
/// where there is none. Empty: the trace has no frames.
std::vector<uint32_t> find_call_sites(const Trace& trace);

}  // namespace kr::trace

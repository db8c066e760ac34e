#include "trace/readers/pftrace_classes.hpp"

#include <algorithm>
#include <iterator>

#include "trace/call_kinds.hpp"
#include "trace/call_sites.hpp"

namespace kr::trace {
namespace {

struct SliceCategory {
  std::string_view name;
  SliceClass what;
};
/// Of PyTorch, rocprofv3 and Proton. Slices of others are not read.
constexpr SliceCategory slice_categories[] = {
    {"kernel", SliceClass::kernel},
    {"kernel_dispatch", SliceClass::kernel},
    {"gpu_memcpy", SliceClass::copy},
    {"memory_copy", SliceClass::copy},
    {"memcpy", SliceClass::copy},
    {"gpu_memset", SliceClass::set},
    {"memset", SliceClass::set},
    {"cuda_runtime", SliceClass::runtime},
    {"hip_api", SliceClass::runtime},
    {"runtime", SliceClass::runtime},
    {"xpu_runtime", SliceClass::runtime},
    {"mtia_runtime", SliceClass::runtime},
    {"glow_runtime", SliceClass::runtime},
    {"privateuse1_runtime", SliceClass::runtime},
    {"cuda_driver", SliceClass::driver},
    {"hsa_api", SliceClass::driver},
    {"xpu_driver", SliceClass::driver},
    {"privateuse1_driver", SliceClass::driver},
    {"user_annotation", SliceClass::annotation},
    {"marker_api", SliceClass::annotation},
    {"rccl_api", SliceClass::annotation},
    {"python_function", SliceClass::frame},
    {"gpu_operation.kernel", SliceClass::own_kernel},
    {"gpu_operation.memcpy", SliceClass::own_copy},
    {"gpu_operation.memset", SliceClass::own_set},
    {"cpu_op", SliceClass::op},
    {"operator", SliceClass::op},
};

/// `cudaLaunchKernel`, `cuLaunchKernelEx`, `hipMemcpyAsync`.
bool is_call_name(std::string_view name) {
  for (const std::string_view head : {"cuda", "cu", "hip"}) {
    if (name.size() > head.size() && name.starts_with(head) && name[head.size()] >= 'A' &&
        name[head.size()] <= 'Z') {
      return true;
    }
  }
  return false;
}

}  // namespace

SliceClass slice_class_of_category(std::string_view category) {
  const auto* const at = std::ranges::find(slice_categories, category, &SliceCategory::name);
  return at != std::end(slice_categories) ? at->what : SliceClass::ignored;
}

SliceClass slice_class_of_name(std::string_view name) {
  if (name.starts_with(slice_step_head)) return SliceClass::annotation;
  if (name.starts_with(slice_frame_head) || is_call_site(name)) return SliceClass::frame;
  if (!is_call_name(name)) return SliceClass::unknown;
  return is_driver_call(name) ? SliceClass::driver : SliceClass::runtime;
}

bool is_own_slice(SliceClass what) {
  return what == SliceClass::own_kernel || what == SliceClass::own_copy ||
         what == SliceClass::own_set;
}

OperationKind kind_of_slice(SliceClass what) {
  if (what == SliceClass::copy || what == SliceClass::own_copy) return OperationKind::memcpy;
  const bool set = what == SliceClass::set || what == SliceClass::own_set;
  return set ? OperationKind::memset : OperationKind::kernel;
}

}  // namespace kr::trace

// What a slice of a track is: work of a GPU, a call, a range of the host, by its category or name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/operation_kind.hpp"

namespace kr::trace {

inline constexpr std::string_view slice_frame_head = "nn.Module: ";
// In 2020 the profiler wrote its own annotation as if it were an op.
inline constexpr std::string_view slice_step_head = "ProfilerStep#";

/// What a category of slices is.
enum class SliceClass : uint8_t {
  unknown,  // the slice has no category
  kernel,
  copy,
  set,
  own_kernel,  // of a trace that kr wrote: the name is that of the source
  own_copy,
  own_set,
  runtime,
  driver,
  annotation,
  frame,  // of Python, or a module
  op,
  ignored,
};

SliceClass slice_class_of_category(std::string_view category);
/// Of a slice without a category.
SliceClass slice_class_of_name(std::string_view name);

/// Of a trace that kr wrote.
bool is_own_slice(SliceClass what);
/// Of work.
OperationKind kind_of_slice(SliceClass what);

}  // namespace kr::trace

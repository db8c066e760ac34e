// Arguments of an op as PyTorch's profiler writes them: `Input Dims` (`Input dims` in 2020 and
// 2021), `Input type`, `Input Strides` (since 2024) and `Concrete Inputs` (since 2023), each a list
// with an entry per argument.
#pragma once

#include <array>
#include <string_view>

#include "base/op_arguments.hpp"

namespace kr::trace {

/// The lists as JSON texts: dims, types, strides, concrete inputs; empty: not recorded. What is not
/// such a list is ignored.
using KinetoInputs = std::array<std::string_view, 4>;

OpArguments kineto_arguments(const KinetoInputs& inputs);

}  // namespace kr::trace

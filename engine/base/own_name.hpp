// The own name of a function: what `own` of the rules language looks at.
#pragma once

#include <string>
#include <string_view>

namespace kr {

/// The qualified name of a function without its return type, template arguments and parameters, and
/// without what follows them:
///
///   void at::native::foo<std::array<char*, 1>>(int)   at::native::foo
///   ncclDevKernel_AllReduce(ncclDevKernelArgs)        ncclDevKernel_AllReduce
///   cub::Scan<int>::Policy<float>::run(int) const     cub::Scan::Policy::run
///   (anonymous namespace)::bar<2>                     bar
///   _Z3fooi                                           foo
///
/// A mangled name is decoded first. Unnamed namespaces are left out. What is not written as a
/// function of C++ is its own name: `_fwd_kernel_0d1d2`, `Cijk_Ailk`, `[CUDA memcpy HtoD]`,
/// `Memset (Device)`, `model.layers.3`. Never empty for a name that is not.
std::string own_name(std::string_view name);

}  // namespace kr

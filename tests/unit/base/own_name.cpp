#include "base/own_name.hpp"

#include <doctest/doctest.h>

using kr::own_name;

TEST_CASE("own names of functions") {
  CHECK(own_name("void at::native::foo<std::array<char*, 1>>(int)") == "at::native::foo");
  CHECK(own_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  CHECK(own_name("void cub::Scan<int>::Policy<float>::run(int) const") == "cub::Scan::Policy::run");
  CHECK(own_name("std::enable_if<true, int>::type ns::baz<int>(int)") == "ns::baz");
  CHECK(own_name("(anonymous namespace)::bar<2>") == "bar");
  CHECK(own_name("<unnamed>::down_epilogue_kernel(const float *, int)") == "down_epilogue_kernel");
  CHECK(own_name("at::native::(anonymous namespace)::k<a, b>(int)") == "at::native::k");
  CHECK(own_name("void foo") == "foo");
  CHECK(own_name("foo<int>") == "foo");
  CHECK(own_name("foo<int>.kd") == "foo");
  CHECK(own_name("foo<a, b<c>(d), (e)1>(int) [clone .kd]") == "foo");
  CHECK(own_name("decltype(auto) foo<int>(int)") == "foo");
  CHECK(own_name("ns::operator<< <int>(int)") == "ns::operator<<");
  CHECK(own_name("ns::F::operator()(int) const") == "ns::F::operator()");
  // Mangled.
  CHECK(own_name("_ZN2ns6kernelIiEEvT_") == "ns::kernel");
  CHECK(own_name("_Z3fooi") == "foo");
  // Cut off.
  CHECK(own_name("void at::native::foo<std::array<char*, 1") == "at::native::foo");
}

TEST_CASE("what is no function of C++ is its own name") {
  for (const char* name :
       {"_fwd_kernel_0d1d2", "Cijk_Ailk_Bjlk_BBS", "[CUDA memcpy HtoD]", "Memset (Device)",
        "Memcpy DtoH (Device -> Pageable)", "aten::mm", "model.layers.3", "fusion.3", "a b", "_Zx",
        "all-reduce-start.1", "1 2", "", "nn.Module: Linear_3", "triton_poi_fused_add_0"}) {
    CAPTURE(name);
    CHECK(own_name(name) == name);
  }
}

#include "text/names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using kr::text::cut_names;
using kr::text::name_parts;
using kr::text::short_name;
using Texts = std::vector<std::string>;

namespace {

Texts short_names(const std::vector<std::string_view>& names) {
  return kr::text::short_names(names);
}

}  // namespace

TEST_CASE("the short form of a name") {
  const auto is = [](std::string_view name, std::string_view text) {
    CHECK(short_name(name) == text);
  };
  is("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, "
     "std::array<char*, 1ul> >(int, at::native::FillFunctor<int>, std::array<char*, 1ul>)",
     "vectorized_elementwise_kernel<4, FillFunctor<int>, array<char*, 1>>");
  // As nsys writes it.
  is("void at::native::vectorized_elementwise_kernel<(int)4, at::native::AUnaryFunctor<long, long, "
     "bool, at::native::<unnamed>::CompareEqFunctor<long>>, std::array<char *, (unsigned long)2>>"
     "(int, T2, T3)",
     "vectorized_elementwise_kernel<4, AUnaryFunctor<long, long, bool, CompareEqFunctor<long>>, "
     "array<char*, 2>>");
  is("void at::native::elementwise_kernel<(int)128, (int)4, void "
     "at::native::gpu_kernel_impl_nocast<"
     "at::native::neg_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 2)]::operator "
     "()() "
     "const::[lambda(c10::BFloat16) (instance 1)]>(at::TensorIteratorBase &, const T1 &)::"
     "[lambda(int) (instance 1)]>(int, T3)",
     "elementwise_kernel<128, 4, gpu_kernel_impl_nocast<neg_kernel_cuda::[lambda (instance 2)]::"
     "[lambda(BFloat16) (instance 1)]>::[lambda(int) (instance 1)]>");
  is("void at::native::reduce_kernel<512, 1, at::native::func_wrapper_t<float, "
     "at::native::sum_functor<float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}> >"
     "(float)",
     "reduce_kernel<512, 1, func_wrapper_t<float, sum_functor<float>::operator()::"
     "{lambda(float, float)#1}>>");
  is("void at::native::_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_17e44f7d::fill<float>(float*)",
     "fill<float>");
  is("void (anonymous namespace)::softmax_warp_backward<float, 3, false>(float*, float const*)",
     "softmax_warp_backward<float, 3, false>");
  is("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, __nv_bfloat16 const, 6>"
     "(cublasGemvParamsEx<int>)",
     "gemvx::kernel<int, __nv_bfloat16 const, 6>");
  is("void cub::CUB_200600_500_900_NS::DeviceReduceKernel<cuda::std::__4::plus<void>>(T1)",
     "DeviceReduceKernel<plus<void>>");
  is("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_64x64_tn_align8>(T1::Params)",
     "Kernel2<cutlass_80_tensorop_bf16_s16816gemm_64x64_tn_align8>");
  is("void cutlass_cudnn_train::Kernel<cutlass_cudnn_train::MatrixShape<64, 32> >(T1::Params)",
     "Kernel<MatrixShape<64, 32>>");
  is("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
     "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  is("void flash::flash_fwd_kernel<Flash_traits<(int)64, (bool)0>, (bool)1>(flash::Params)",
     "flash::flash_fwd_kernel<Flash_traits<64, 0>, 1>");
  is("_ZN2at6native12_GLOBAL__N_13barIfEEvPT_", "bar<float>");
  is("_Z3addPfS_.kd", "add");
  is("Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_SN.kd", "Cijk_Ailk_Bljk_HHS_BH_MT64x64x32_SN");
  is("_RNvNtCs1234_7mycrate3gpu6kernel", "mycrate::gpu::kernel");
  // Several, as in `substitutions`.
  is("void at::f<int>(int) + void c10::g(int*)", "f<int> + g");
  is("void ns::operator<< <int>(ns::A, int)", "ns::operator<< <int>");
}

TEST_CASE("names that are not C++, or not complete, keep their words") {
  for (const char* name : {"",
                           "nvjet_tst_64x8_64x16_4x1_v_bz_TNT",
                           "triton_poi_fused_add_0",
                           "[CUDA memcpy HtoD]",
                           "Memcpy DtoH (Device -> Pageable)",
                           "Memset (Device)",
                           "Linear(weight=bfloat16[64, 8])",
                           "Conv2d(3, 64)",
                           "loss * 2",
                           "=cmd()",
                           "3 * f(x)",
                           "a < b",
                           "aten::mm",
                           "nn.Module: Linear_0",
                           "step 3 (decode)",
                           ")))",
                           "<<<",
                           "operator",
                           "(((",
                           "x::",
                           "at::"}) {
    CAPTURE(name);
    CHECK(short_name(name) == (std::string_view(name) == "at::" ? "at::" : name));
  }
  CHECK(short_name("void at::native::batch_norm_transform_input_kernel<float, fl") ==
        "batch_norm_transform_input_kernel<float, fl");
  CHECK(short_name("void deep_gemm::gemm_impl<24u, 16384u,\n") ==
        "deep_gemm::gemm_impl<24, 16384,\\x0a");
  CHECK(short_name("void f<int>(int, a::b<(anonymous na") == "f<int>");
  CHECK(short_name("bad\xff\x1b[2J") == "bad\\xff\\x1b[2J");
  // Depth is not recursion.
  const std::string deep = std::string(200'000, '<') + std::string(200'000, '(');
  CHECK(short_name(deep).size() <= deep.size());
}

TEST_CASE("names whose short forms are equal show what differs") {
  CHECK(short_names({"void f<int>(float*)", "void f<int>(int*)", "void g(int)"}) ==
        Texts{"f<int>(float*)", "f<int>(int*)", "g"});
  CHECK(short_names({"void at::f(int)", "void c10::f(int)"}) ==
        Texts{"void at::f(int)", "void c10::f(int)"});
  // The same kernel, from two tools.
  CHECK(short_names({"_Z1fi", "f(int)"}) == Texts{"_Z1fi", "f(int)"});
  // The short form of one is the other.
  CHECK(short_names({"f", "void f(int)"}) == Texts{"f", "f(int)"});
}

TEST_CASE("names are cut where they have their beginnings in common") {
  const Texts texts{"vectorized_elementwise_kernel<4, FillFunctor<int>, array<char*, 1>>",
                    "vectorized_elementwise_kernel<4, FillFunctor<long>, array<char*, 1>>",
                    "vectorized_elementwise_kernel<4, CUDAFunctor_add<int>, array<char*, 3>>",
                    "reduce_kernel<512, 1>"};
  CHECK(cut_names(texts, 0) == texts);
  CHECK(cut_names(texts, 100) == texts);
  CHECK(cut_names(texts, 50) == Texts{"vectorized_elementwise_kern…int>, array<char*, 1>>",
                                      "vectorized_elementwise_ker…long>, array<char*, 1>>",
                                      "vectorized_elem…CUDAFunctor_add<int>, array<char*…",
                                      "reduce_kernel<512, 1>"});
  // Each pair differs in another place.
  const std::string x(30, 'x');
  CHECK(cut_names(Texts{"A" + x + "-A", "A" + x + "-B", "B" + x + "-A", "B" + x + "-B"}, 12) ==
        Texts{"Axxxxxxxxx…A", "Axxxxxxxxx…B", "Bxxxxxxxxx…A", "Bxxxxxxxxx…B"});
  CHECK(cut_names(Texts{"P" + x + "-A" + x + "-A", "P" + x + "-A" + x + "-B",
                        "P" + x + "-B" + x + "-A", "P" + x + "-B" + x + "-B"},
                  16) ==
        Texts{"Pxxx…Axxxxxxxx…A", "Pxxx…Axxxxxxxx…B", "Pxxx…Bxxxxxxxx…A", "Pxxx…Bxxxxxxxx…B"});
}

TEST_CASE("names that no cut tells apart are numbered") {
  CHECK(cut_names(Texts{"aaaaaaaa", "aaaaaaab", "aaaaaaac", "aaaa"}, 3) ==
        Texts{"aa…", "…2", "…3", "…4"});
  CHECK(cut_names(Texts{"aaaaaaaa", "aaaaaaab", "aaaaaaac", "aaaa"}, 4) ==
        Texts{"aaa…", "a…2", "a…3", "aaaa"});
  CHECK(cut_names(Texts{"ééééééé1ééééé", "ééééééé2ééééé"}, 5) == Texts{"éé…éé", "éé…2"});
  // No room for a number.
  CHECK(cut_names(Texts{"aaaa", "bbbb", "cccc"}, 1) == Texts{"…", "…", "…"});
}

TEST_CASE("a page gets the places where texts go on") {
  const std::string long_part(60, 'x');
  CHECK(name_parts(Texts{"f<" + long_part + ", 1>", "f<" + long_part + ", 2>", "other"}, 40) ==
        std::vector<kr::text::NameParts>{{64}, {64}, {}});
}

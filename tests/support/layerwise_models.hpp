// What a layer-wise profile of an invented model says: trees of modules and kernels as vLLM builds
// them, from a description. The same description gives the same trees.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/module_trees.hpp"

namespace kr::test {

struct ModelDescription {
  enum class Family : uint8_t { llama, moe, mla };
  Family family = Family::llama;
  int layers = 32;
  int tensor_parallel = 1;
  int batch = 8;
  int prompt_len = 512;
  /// What no model has and a profile may: kernels beside modules at every height and as roots,
  /// repeated names, times of 0, names in many scripts, a chain of modules to fold.
  bool odd = false;
};

class ModelTrees {
 public:
  explicit ModelTrees(const ModelDescription& model) : model_(model) {}

  /// `summary_stats` of a step, the calls of a module added up. `step` 0 is the prefill.
  Forest summary(int step) { return whole(step, model_.layers); }
  /// `model_stats`: each layer for itself.
  Forest single_calls(int step) { return whole(step, 1); }

 private:
  using Family = ModelDescription::Family;

  // Time that grows with the tokens at hand, and a part of its own for each call.
  Tree kernel(std::string name, int64_t ns_a_token, int64_t calls = 1) {
    const int64_t tokens = step_ == 0 ? model_.batch * model_.prompt_len / 16 : model_.batch;
    int64_t ns = 0;
    const int64_t all = calls * calls_;
    ns = all * (1800 + ns_a_token * tokens / model_.tensor_parallel) + noise(all * 700);
    return {std::move(name), ns, all, {}};
  }
  // Attention reads a cache that each step makes longer.
  Tree attention_kernel(std::string name) {
    const int64_t length = model_.prompt_len + step_;
    Tree tree = kernel(std::move(name), 40);
    tree.ns += calls_ * length * model_.batch / 4;
    return tree;
  }
  Tree module(std::string name, Forest children, int64_t calls = 1) const {
    int64_t ns = 0;
    for (const Tree& child : children) ns += child.ns;
    return {std::move(name), ns, calls * calls_, std::move(children)};
  }
  Tree linear(const std::string& kind, int rows, int columns, bool reduced = false) {
    Forest inside;
    inside.push_back(kernel(
        fmt::format("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize{}x128x64_warpgroupsize1x1x1_"
                    "execute_segment_k_off_kernel__5x_cublas",
                    rows > 8192 ? 128 : 64),
        rows / 64));
    if (reduced && model_.tensor_parallel > 1) {
      inside.push_back(
          kernel("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*, "
                 "vllm::RankSignals, vllm::Signal*, __nv_bfloat16*, int, int)",
                 20));
    }
    return module(fmt::format("{}(weight=bfloat16[{}, {}])", kind,
                              reduced ? rows : rows / model_.tensor_parallel,
                              reduced ? columns / model_.tensor_parallel : columns),
                  std::move(inside));
  }
  Tree norm(const char* kernel_name, int64_t calls = 1) {
    return module("RMSNorm(weight=bfloat16[4096])", {kernel(kernel_name, 9, calls)}, calls);
  }

  Tree attention() {
    const char* const cache =
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, "
        "(vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, "
        "__nv_bfloat16*, __nv_bfloat16*, long const*, int, int, int, int, int, float const*, float "
        "const*)";
    const char* const rotary =
        "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, "
        "c10::BFloat16*, c10::BFloat16 const*, int, long, long, int, int, int)";
    if (model_.family == Family::mla) {
      return module(
          "DeepseekV2MLAAttention",
          {linear("ReplicatedLinear", 2112, 7168),
           norm("void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, "
                "c10::BFloat16 const*, float, int, int)"),
           linear("ColumnParallelLinear", 24576, 1536),
           module("MLAAttention",
                  {kernel(rotary, 4),
                   kernel("void vllm::concat_and_cache_mla_kernel<__nv_bfloat16>", 3),
                   attention_kernel(
                       "void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576, 64, 64, "
                       "8>>")}),
           kernel("nvjet_tst_192x192_64x4_2x1_v_bz_coopB_bias_TNT", 30),
           linear("RowParallelLinear", 7168, 16384, true)});
    }
    return module(
        "LlamaAttention",
        {linear("QKVParallelLinear", 6144, 4096), module("RotaryEmbedding", {kernel(rotary, 5)}),
         module(
             "Attention",
             {kernel(cache, 3),
              attention_kernel("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, "
                               "64, 128, 4, false, false, cutlass::bfloat16_t>>")}),
         linear("RowParallelLinear", 4096, 4096, true)});
  }
  Tree experts(bool dense) {
    const char* const act =
        "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 "
        "vllm::silu_kernel<c10::BFloat16>"
        "(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)";
    if (dense) {
      return module("LlamaMLP", {linear("MergedColumnParallelLinear", 28672, 4096),
                                 module("SiluAndMul", {kernel(act, 7)}),
                                 linear("RowParallelLinear", 4096, 14336, true)});
    }
    return module(
        "MixtralMoE",
        {linear("ReplicatedLinear", 64, 4096),
         module("FusedMoE", {kernel("void vllm::moe::topkGatingSoftmax<8, 64, 4, 16>(float const*, "
                                    "bool const*, float*, int, int*, int*, int, int, int)",
                                    2),
                             kernel("void vllm::moe::moe_align_block_size_kernel<int>(int*, int*, "
                                    "int*, int*, int, int, int, unsigned long)",
                                    2),
                             kernel("fused_moe_kernel", 260, 2), kernel(act, 8)}),
         // A kernel beside modules.
         kernel("void at::native::vectorized_elementwise_kernel<4, "
                "at::native::CUDAFunctor_add<c10::BFloat16>>",
                3)});
  }
  Tree layer(bool dense) {
    return module("LlamaDecoderLayer",
                  {norm("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, "
                        "long, c10::BFloat16*, c10::BFloat16 const*, float, int, int)",
                        2),
                   attention(), experts(dense)});
  }

  Forest whole(int step, int calls_together) {
    step_ = step;
    calls_ = 1;
    Forest inner;
    inner.push_back(module(
        "VocabParallelEmbedding(weight=bfloat16[128256, 4096])",
        {kernel("void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, "
                "long, unsigned int, 2, 2, -2, true>",
                2)}));
    const bool all_dense = model_.family == Family::llama;
    calls_ = calls_together;
    for (int i = 0; i < model_.layers; i += calls_together) {
      inner.push_back(layer(all_dense));
      if (calls_together == 1 && step_ > 0 && i == 0 && !all_dense) inner.push_back(layer(true));
    }
    calls_ = 1;
    inner.push_back(
        norm("void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, "
             "c10::BFloat16 const*, float, int, int)"));
    Forest all;
    all.push_back(module(model_.family == Family::mla   ? "DeepseekV3ForCausalLM"
                         : model_.family == Family::moe ? "MixtralForCausalLM"
                                                        : "LlamaForCausalLM",
                         {module("LlamaModel", std::move(inner))}));
    all.push_back(module(
        "LogitsProcessor",
        {kernel("void "
                "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_32x6_tn_align8>("
                "cutlass_80_tensorop_bf16_s16816gemm_bf16_64x64_32x6_tn_align8::Params)",
                300)}));
    all.push_back(module(
        "Sampler", {kernel("Memcpy HtoD (Pinned -> Device)", 1, 5),
                    kernel("void at::native::(anonymous namespace)::cunn_SoftMaxForward<4, float, "
                           "float, float, at::native::(anonymous "
                           "namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, int)",
                           10),
                    kernel("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                           "at::native::ArgMaxOps<float>, unsigned int, long, 4>>",
                           9)}));
    if (model_.odd) add_odd(all);
    return all;
  }

  void add_odd(Forest& all) {
    all.push_back(kernel("a_kernel_as_root", 1));
    all.push_back({"Idle", 0, 0, {{"void zero()", 0, 3, {}}, {"ZeroModule", 0, 1, {}}}});
    all.push_back(
        module("Ω≈ç 模块 🚀", {kernel("核_kernel_é", 2), kernel("core \"quoted\" \\ \n\t\x01", 1),
                              module("Twin", {kernel("twin", 1), kernel("twin", 2)}),
                              module("Twin", {kernel("twin", 3)})}));
    Tree chain = module("Inner", {kernel("innermost", 1)});
    for (int i = 0; i < 12; ++i)
      chain =
          module(i % 3 == 0 ? "Wrapper" : "Sequential", {std::move(chain), kernel("beside", 1)});
    all.push_back(std::move(chain));
    // A root that took longer than what is known below it.
    all.back().ns += 12345;
  }

  // Below `limit`, by a hash of what came before.
  int64_t noise(int64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_ ^ static_cast<uint64_t>(step_) << 32;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return static_cast<int64_t>((mixed ^ mixed >> 31) % static_cast<uint64_t>(limit));
  }

  ModelDescription model_;
  int step_ = 0;
  int64_t calls_ = 1;
  uint64_t state_ = 1;
};

}  // namespace kr::test

// Module traces as tests of pictures and pages want them: plausible ones, and hostile ones.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "trace/module_trace.hpp"
#include "trees/view.hpp"

namespace kr::test {

inline constexpr const char* module_rules_text = R"(
labels substage {
  attn "Attention" color "#59a14f"
  gemm "Dense matrix products" color "#4e79a7"
  norm "Normalisation" color "#b6992d"
  comm "Collectives" color "#c0392b"
  other "Other kernels" color "#8d939c"
}
engine vllm {
  phases {
    prefill: /^prefill(_(?<step>\d+))?$/
    decode: /^decode_(?<step>\d+)$/
  }
  substage {
    attn: "flash"
    comm: "nccl"
    norm: "norm_kernel"
    gemm: "gemm"
    other: otherwise
  }
}
)";

/// Rules that label what the traces below hold.
inline const match::CompiledRules& module_rules() {
  static const match::CompiledRules rules = [] {
    diag::Sink sink;
    match::CompiledRules compiled;
    std::vector<sema::SourceFile> files;
    files.push_back({"test.kr", module_rules_text, true, {}});
    compiled.rules = sema::load_rules(std::move(files), sink);
    KR_CHECK(!sink.has_errors());
    compiled.database = match::Database::compile(compiled.program(), std::nullopt);
    compiled.named = true;
    return compiled;
  }();
  return rules;
}

/// Builds forests by nesting calls.
class Modules {
 public:
  explicit Modules(std::string source = "profile.json")
      : builder_(std::move(source), "layerwise-json") {}

  trace::ModuleTraceBuilder& builder() { return builder_; }
  void begin(const std::string& key, int64_t sequences = -1) {
    builder_.begin_step(key);
    if (sequences >= 0) builder_.running_seqs(sequences);
  }
  void end() {
    builder_.end_step();
    below_ns_ = 0;
  }
  void kernel(std::string_view name, int64_t ns, int64_t calls = 1) {
    builder_.open(name, 0);
    builder_.measured(ns, calls);
    builder_.close();
    below_ns_ += ns;
  }
  /// What `inside` opens stands below it; it takes as long as that.
  template <class Inside>
  void module(std::string_view name, int64_t calls, const Inside& inside) {
    builder_.open(name, 0);
    const int64_t beside_ns = below_ns_;
    below_ns_ = 0;
    inside();
    builder_.measured(below_ns_, calls);
    builder_.close();
    below_ns_ += beside_ns;
  }
  trace::ModuleTrace finish() && { return std::move(builder_).finish(); }

 private:
  int64_t below_ns_ = 0;  // of the open node, as far as it goes
  trace::ModuleTraceBuilder builder_;
};

/// One step of a Llama: layers over attention and MLP over kernels, a kernel beside the layers.
inline void llama_step(Modules& modules, int layers, int64_t unit, int64_t context) {
  modules.module("LlamaForCausalLM", 1, [&] {
    modules.module("LlamaModel", 1, [&] {
      modules.module("VocabParallelEmbedding", 1,
                     [&] { modules.kernel("indexSelectLargeIndex", unit / 9); });
      for (int i = 0; i < layers; ++i) {
        modules.module("LlamaDecoderLayer", 1, [&] {
          modules.module("RMSNorm", 1, [&] { modules.kernel("rms_norm_kernel", unit / 11); });
          modules.module("LlamaAttention", 1, [&] {
            modules.module("QKVParallelLinear", 1, [&] {
              modules.kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas",
                             unit * 2);
            });
            modules.module("RotaryEmbedding", 1,
                           [&] { modules.kernel("rotary_embedding_kernel", unit / 14); });
            modules.module("Attention", 1, [&] {
              modules.kernel("reshape_and_cache_flash_kernel", unit / 16);
              modules.kernel("flash_fwd_splitkv_kernel", unit + context * 40);
            });
            modules.module("RowParallelLinear", 1, [&] {
              modules.kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64_cublas",
                             unit * 5 / 4);
              modules.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", unit / 3);
            });
          });
          modules.module("RMSNorm", 1,
                         [&] { modules.kernel("fused_add_rms_norm_kernel", unit / 10); });
          modules.module("LlamaMLP", 1, [&] {
            modules.module("MergedColumnParallelLinear", 1,
                           [&] { modules.kernel("cutlass_gemm_gate_up", unit * 5); });
            modules.module("SiluAndMul", 1,
                           [&] { modules.kernel("act_and_mul_kernel", unit / 5); });
            modules.module("RowParallelLinear", 1, [&] {
              modules.kernel("cutlass_gemm_down", unit * 3);
              modules.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", unit / 3);
            });
          });
        });
      }
    });
  });
  modules.module("LogitsProcessor", 1, [&] { modules.kernel("gemm_lm_head", unit * 6); });
  modules.module("Sampler", 1, [&] {
    modules.kernel("softmax_warp_forward", unit / 4);
    modules.kernel("argmax", unit / 6);
  });
}

inline void flat_context(Modules& modules) {
  for (const auto& [key, value] : {std::pair{"model", "meta-llama/Llama-3.1-8B-Instruct"},
                                   {"batch_size", "32"},
                                   {"prompt_len", "512"},
                                   {"output_len", "128"},
                                   {"tensor_parallel_size", "2"},
                                   {"sparsity", "null"},
                                   {"num_steps", "12"},
                                   {"complete_num_requests_per_step", "null"}}) {
    modules.builder().context(key, value);
  }
}

inline void nested_context(Modules& modules) {
  for (const auto& [key, value] : {std::pair{"torch_version", "2.5.1"},
                                   {"engine_args.model", "neuralmagic/Llama-70B-2of4"},
                                   {"engine_args.tensor_parallel_size", "4"},
                                   {"engine_args.pipeline_parallel_size", "2"},
                                   {"batch_size", "1"},
                                   {"prompt_len", "2048"},
                                   {"max_output_len", "1"},
                                   {"engine_args.sparsity", "2:4"},
                                   {"complete_num_requests_per_step", "8"}}) {
    modules.builder().context(key, value);
  }
}

/// A prefill and so many decodes, whose attention grows and whose sequences end one by one.
inline trace::ModuleTrace llama_trace(int decodes, int layers = 4) {
  Modules modules("llama.json");
  flat_context(modules);
  modules.begin("prefill", 32);
  llama_step(modules, layers, 210'000, 0);
  modules.end();
  std::mt19937 random(7);
  for (int i = 1; i <= decodes; ++i) {
    modules.begin(fmt::format("decode_{}", i), 32 - i * 20 / decodes);
    llama_step(modules, layers, 21'000 + static_cast<int64_t>(random() % 900),
               static_cast<int64_t>(i) * 900 / decodes);
    modules.end();
  }
  return std::move(modules).finish();
}

/// Names with markup, control bytes, broken UTF-8, emoji and great length; steps of no time, of
/// phases of their own, and one that dwarfs all.
inline trace::ModuleTrace hostile_trace() {
  Modules modules("<img src=x onerror=window.hacked=1>.json");
  modules.builder().context(
      "model",
      "</script><script>window.hacked=2</script> a \xf0\x9f\xa6\x99 model \xff of a name that "
      "goes on and on until no line of any picture can hold it, whatever its width may be");
  modules.builder().context("batch_size", "\x1b[31m8");
  const auto step = [&](std::string_view key, int64_t unit) {
    modules.begin(std::string(key), unit % 3);
    modules.module(
        "M\xc3\xb6"
        "dule \xf0\x9f\x94\xa5 <b>bold</b>",
        1, [&] {
          modules.kernel("\xe6\xb3\xa8\xe6\x84\x8f flash \xf0\x9f\x98\x80\x00 zero", 40 * unit, 3);
          modules.kernel(std::string("tab\there\nline\x1b[0m \xe2\x80\xae turned"), 30 * unit);
          modules.kernel(std::string(3000, 'k'), 20 * unit);
          modules.kernel("</script><script>window.hacked=3</script>", 10 * unit);
          modules.kernel("never", 0, 0);
        });
    modules.kernel("", 5 * unit);
    modules.kernel("broken \xff\xc3 utf-8 \x80", 7 * unit);
    modules.end();
  };
  step("prefill", 1000);
  step("decode_1", 90);
  step("decode_2", 0);
  step("decode_3", 7'000'000);
  step("warm\xff up \xf0\x9f\x9a\x80 <i>", 33);
  step("", 11);
  return std::move(modules).finish();
}

/// So many modules of falling size in a few steps.
inline trace::ModuleTrace wide_trace(int count, int steps = 6) {
  Modules modules("wide.json");
  nested_context(modules);
  for (int i = 1; i <= steps; ++i) {
    modules.begin(fmt::format("decode_{}", i), i);
    for (int k = 1; k <= count; ++k) {
      modules.module(fmt::format("Module{}", k), k, [&] {
        modules.kernel(fmt::format("kernel_{}", k), 40'000'000 / (k + 3) + i * 100, k);
      });
    }
    modules.end();
  }
  return std::move(modules).finish();
}

/// One step, one kernel.
inline trace::ModuleTrace single_trace(int64_t ns = 123'456'789) {
  Modules modules("single.json");
  modules.begin("prefill");
  modules.kernel("gemm", ns);
  modules.end();
  return std::move(modules).finish();
}

/// A view with what it stands on.
struct OwnedView {
  std::unique_ptr<trees::LabelledModules> modules;
  std::unique_ptr<trees::TreeView> view;

  OwnedView(trace::ModuleTrace trace, const trees::ViewOptions& options,
            const match::CompiledRules& rules = module_rules())
      : modules(trees::label_modules(rules, classify::RunSpec{}, std::move(trace))),
        view(std::make_unique<trees::TreeView>(rules, *modules, options)) {}
};

}  // namespace kr::test

// Reports as tests of outputs want them: plausible ones, and hostile ones.
#pragma once

#include <deque>
#include <random>
#include <string>

#include "overview/overview.hpp"
#include "sema/load.hpp"
#include "support/summaries.hpp"
#include "tables/source.hpp"

namespace kr::test {

/// Owns the runs of a Report until the test ends.
inline std::vector<const analyze::RunSummary*> kept(std::vector<analyze::RunSummary> runs) {
  static std::deque<std::vector<analyze::RunSummary>> all;
  std::vector<const analyze::RunSummary*> list;
  for (const analyze::RunSummary& run : all.emplace_back(std::move(runs))) list.push_back(&run);
  return list;
}
inline const analyze::RunSummary* kept(analyze::RunSummary run) {
  return kept(std::vector<analyze::RunSummary>(1, std::move(run)))[0];
}

/// The runs of a report as tables need them, with rules that declare nothing.
inline tables::Source source_of(const overview::Report& report) {
  static const match::CompiledRules& rules = *[] {
    auto* made = new match::CompiledRules;
    made->rules = std::make_unique<sema::LoadedRules>();
    return made;
  }();
  tables::Source source;
  source.rules = &rules;
  for (const analyze::RunSummary* run : report.runs) source.runs.push_back({*run, {}});
  return source;
}

/// Styles as a Program without vocabularies gives them.
inline void style(overview::Report& report) {
  report.styles = picture::label_styles(sema::Program{}, report.runs);
  const std::pair<const char*, const char*> declared[] = {
      {"gemm", "#4e79a7"},       {"attn", "#59a14f"},  {"moe_gemm", "#f28e2b"},
      {"comm", "#c0392b"},       {"norm", "#b6992d"},  {"quantize", "#499894"},
      {"activation", "#e15759"}, {"rope", "#f1ce63"},  {"memops", "#6b7a8f"},
      {"compute", "#4e79a7"},    {"layer", "#4e79a7"}, {"communication", "#c0392b"},
      {"memory", "#6b7a8f"}};
  for (picture::LabelStyle& style : report.styles) {
    for (const auto& [label, color] : declared) {
      if (style.label == label) style.color = color;
    }
    if (style.label == "gemm") style.title = "Dense matrix products";
    if (style.label == "moe_gemm") style.title = "Expert matrix products";
    if (style.label == "attn") style.title = "Attention";
    if (style.label == "comm") style.title = "Collectives";
  }
}

struct KernelFamily {
  const char* label;
  const char* kind;
  const char* name;
  int64_t weight;
  OperationKind operation = OperationKind::kernel;
};

inline constexpr KernelFamily kernel_families[] = {
    {"gemm", "compute", "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", 3100},
    {"gemm", "compute",
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
     "int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecial"
     "izedFP8<4, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> > > > > >(T1::Params)",
     900},
    {"moe_gemm", "compute", "fused_moe_kernel", 1900},
    {"attn", "compute",
     "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
     "cutlass::bfloat16_t> >(flash::Flash_fwd_params)",
     1650},
    {"attn", "compute", "reshape_and_cache_flash_kernel", 210},
    {"comm", "communication",
     "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1200},
    {"comm", "communication", "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>", 330},
    {"norm", "compute", "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>", 280},
    {"quantize", "compute", "void vllm::dynamic_per_token_scaled_fp8_quant_kernel", 190},
    {"activation", "compute", "void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel>",
     170},
    {"rope", "compute", "void vllm::rotary_embedding_kernel<c10::BFloat16, true>", 90},
    {"memops", "memory", "[CUDA memcpy Host-to-Device]", 120, OperationKind::memcpy},
    {"memops", "memory", "[CUDA memset]", 8, OperationKind::memset},
    {"sample", "compute", "void at::native::cunn_SoftMaxForward<4, float, float, float>", 60},
    {"unclassified", "compute", "triton_poi_fused_mul_silu_0", 75},
};

/// A decode of a language model: the same every time for the same seed.
inline analyze::RunSummary decode_run(const std::string& id, unsigned seed, int64_t scale_ns) {
  std::mt19937_64 random(seed);
  SummaryBuilder builder(id, {"stage", "substage", "kind"});
  builder.run().source = "runs/" + id + ".csv";
  for (const KernelFamily& family : kernel_families) {
    const int64_t jitter = static_cast<int64_t>(random() % 997);
    const int64_t elapsed = family.weight * scale_ns * (900 + jitter % 200) / 1000 + jitter;
    builder.add({.name = family.name,
                 .labels = {"layer", family.label, family.kind},
                 .elapsed_ns = elapsed,
                 .total_ns = elapsed + elapsed / 9,
                 .instances = 32 * (1 + jitter % 60),
                 .kind = family.operation});
  }
  builder.device(0, "NVIDIA H100 80GB HBM3", scale_ns * 8000 + 17, scale_ns * 900 + 3,
                 scale_ns * 40 + 1, scale_ns * 1300 + 9);
  builder.device(1, "NVIDIA H100 80GB HBM3", scale_ns * 7800 + 11, scale_ns * 1100 + 5,
                 scale_ns * 35 + 2, scale_ns * 1305 + 12);
  builder.run().choice_why =
      "engine vllm: its detect holds for 81.2 % of GPU time (next: sglang 3.1 %)";
  return std::move(builder).finish(scale_ns * 1450 + 123);
}

/// Names and labels that want to break something.
inline analyze::RunSummary hostile_run() {
  SummaryBuilder builder("hostile_\xff\"<b>_0", {"substage", "operation", "kind"});
  const auto add = [&](std::string name, int64_t ns) {
    builder.add({.name = name,
                 .labels = {name.size() % 2 == 0 ? "even" : "<i>odd</i>", name, "compute"},
                 .elapsed_ns = ns,
                 .total_ns = ns + 1});
  };
  add("<script>window.hacked = 1; alert(1)</script>", 1'000'000'007);
  add("</script><script>window.hacked = 2</script>", 500'000'003);
  add("<!--<script>", 400'000'009);
  add("<img src=x onerror=\"window.hacked = 3\">", 300'000'001);
  add("=cmd()|'/C calc'!A0", 200'000'011);
  add("+1+1", 100'000'013);
  add("-2", 90'000'017);
  add("@SUM(A1)", 80'000'019);
  add("\tafter a tab", 70'000'023);
  add("\rafter a return", 60'000'029);
  add("quote \" comma , newline \n end", 50'000'031);
  add("ünï→日本 \xf0\x9f\x94\xa5", 40'000'037);
  add("broken \xff\xc3 utf-8 \x80", 30'000'041);
  add("escape \x1b[31m red \x07", 20'000'043);
  add("turn \xe2\x80\xae around", 10'000'047);
  add("{a|rich} {b} {c}", 9'000'049);
  add("\\u003cscript\\u003e", 8'000'051);
  add(std::string(5000, 'k'), 7'000'053);
  add(std::string("nul \0 inside", 12), 6'000'057);
  add("__proto__", 5'000'059);
  add("constructor", 4'000'061);
  builder.run().source = "<b>trace</b>.csv";
  builder.run().dropped = {{"kernel name id without a string <u>", 3, 1234}};
  builder.run().inexact = "the source rounds to 100 ns";
  builder.run().warnings = {{"no-elapsed", "no elapsed time given: \x1b[31mCPU(non-GPU)"}};
  return std::move(builder).finish(123'456'789);
}

/// Sums beyond what a double holds to the nanosecond (104 days).
inline analyze::RunSummary huge_run() {
  SummaryBuilder builder("huge_0", {"substage", "kind"});
  const int64_t years = int64_t{1} << 58;
  builder.add({"a", {"x", "compute"}, years + 1, years + 3, int64_t{1} << 54});
  builder.add({"b", {"y", "compute"}, years - 1, years, 1});
  builder.device(0, "", years * 2, 1, 1, 1);
  return std::move(builder).finish(1);
}

/// More names than a page may lay out at once.
inline analyze::RunSummary wide_run(int names) {
  std::mt19937_64 random(7);
  SummaryBuilder builder("wide_0", {"stage", "substage", "operation", "kind"});
  for (int i = 0; i < names; ++i) {
    const KernelFamily& family = kernel_families[random() % std::size(kernel_families)];
    const auto ns = static_cast<int64_t>(random() % 10'000'000);
    const std::string name = std::string(family.name) + "_" + std::to_string(i);
    builder.add({.name = name,
                 .labels = {"layer", family.label, name, family.kind},
                 .elapsed_ns = ns,
                 .total_ns = ns * 2,
                 .instances = static_cast<int64_t>(1 + random() % 100)});
  }
  return std::move(builder).finish(1'000'000);
}

/// Names of templates that differ near their ends, and a mangled one.
inline analyze::RunSummary long_names_run() {
  SummaryBuilder builder("names_0", {"substage", "kind"});
  int64_t ns = 1'000'000;
  const auto add = [&](std::string name) {
    builder.add(
        {.name = std::move(name), .labels = {"x", "compute"}, .elapsed_ns = --ns, .total_ns = ns});
  };
  for (const char* type : {"int", "long", "float", "double", "c10::BFloat16", "bool"}) {
    const std::string functor =
        std::string("at::native::AUnaryFunctor<at::native::binary_internal::MulFunctor<float>, ") +
        type + ">";
    add("void at::native::vectorized_elementwise_kernel<4, " + functor +
        ", std::array<char*, 2ul> >(int, " + functor + ", std::array<char*, 2ul>)");
  }
  add("_ZN2at6native3barIfEEvPT_");
  add("nvjet_tst_64x8");
  return std::move(builder).finish(1000);
}

inline analyze::RunSummary empty_run() {
  return SummaryBuilder("empty_0", {"kind"}).finish(0);
}

}  // namespace kr::test

// Runs of a language model with a planted structure: model load, prefill, decode, layers.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace kr::test {

/// Rules that label what ModelRun writes.
inline constexpr const char* model_run_rules =
    "engine e { substage { attention: \"attn\" kv_cache: \"kv_\" sampling: \"sample\" "
    "embedding: \"embed\" gemm: \"gemm\" training: \"optim\" misc: otherwise } }";

struct PlantedStep {
  std::string phase;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t kernels = 0;
};

/// Writes operations one after the other on one device. Times vary by a few percent.
class ModelRun {
 public:
  int layers = 12;
  double jitter = 0.03;
  bool copies = true;               // of inputs and tokens, at both ends of a step
  bool alternating = false;         // every fourth layer has another attention
  bool side_stream = false;         // a kernel beside each layer, on another stream
  double missing = 0;               // the part of the kernels that is not recorded
  int draft_layers = 0;             // of a draft model, after the layers of each decode step
  int64_t attention_growth_ns = 0;  // of decode, per step

  explicit ModelRun(unsigned seed) : random_(seed) {}

  void load(int tensors) {
    for (int i = 0; i < tensors; ++i)
      add("[CUDA memcpy Host-to-Device]", 800'000, OperationKind::memcpy);
    wait(300'000);
  }

  void prefill() { step("prefill", 12); }
  void decode() {
    step("decode", 1);
    attention_ns_ += attention_growth_ns;
  }
  void draft(int layers_of_draft) {
    PlantedStep one = begin("draft");
    add_kernel("embed_draft", 2'000);
    for (int i = 0; i < layers_of_draft; ++i) layer("draft", 1, i);
    add_kernel("sample_draft", 4'000);
    finish(one);
  }
  void training_step() {
    PlantedStep one = begin("training");
    copy("[CUDA memcpy Host-to-Device]");
    add_kernel("embed", 5'000);
    for (int i = 0; i < layers; ++i) layer("forward", 4, i);
    add_kernel("gemm_head", 40'000);
    add_kernel("loss", 8'000);
    for (int i = 0; i < layers; ++i) {
      for (const char* name : {"gemm_down_grad", "act_grad", "gemm_up_grad", "attn_grad",
                               "gemm_qkv_grad", "norm_grad"}) {
        add_kernel(name, 30'000);
      }
    }
    for (int i = 0; i < 30; ++i) add_kernel("optim_adam", 6'000);
    finish(one);
  }
  /// Kernels in no order.
  void noise(int kernels) {
    for (int i = 0; i < kernels; ++i) {
      add_kernel("other_" + std::to_string(random_() % 40),
                 1'000 + static_cast<int64_t>(random_() % 9'000));
    }
    wait(100'000);
  }
  void wait(int64_t ns) { now_ += ns; }

  const std::vector<PlantedStep>& steps() const { return steps_; }
  size_t count(const std::string& phase) const {
    size_t found = 0;
    for (const PlantedStep& one : steps_) found += one.phase == phase ? 1 : 0;
    return found;
  }

  trace::Trace trace() const { return make(operations_); }
  /// The same times and names, but which operation has which name is random.
  trace::Trace shuffled() {
    std::vector<Written> mixed = operations_;
    for (size_t i = mixed.size(); i > 1; --i) {
      Written& a = mixed[i - 1];
      Written& b = mixed[random_() % i];
      std::swap(a.name, b.name);
      std::swap(a.kind, b.kind);
    }
    return make(mixed);
  }

 private:
  struct Written {
    int64_t start_ns;
    int64_t duration_ns;
    std::string name;
    OperationKind kind;
    int64_t stream;
  };

  static trace::Trace make(const std::vector<Written>& operations) {
    trace::TraceBuilder builder("test.csv", "test");
    for (const Written& one : operations) {
      builder.add({one.start_ns, one.duration_ns, builder.name(one.name, one.kind),
                   builder.track({0, one.stream, "GPU"})});
    }
    return std::move(builder).finish();
  }

  int64_t about(int64_t ns) {
    std::uniform_real_distribution<double> factor(1 - jitter, 1 + jitter);
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(ns) * factor(random_)));
  }
  void add(const std::string& name, int64_t ns, OperationKind kind) {
    const int64_t duration_ns = about(ns);
    operations_.push_back({now_, duration_ns, name, kind, 7});
    now_ += duration_ns + 500;
  }
  void add_kernel(const std::string& name, int64_t ns) {
    if (missing > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < missing) return;
    add(name, ns, OperationKind::kernel);
    ++kernels_;
  }
  void copy(const char* name) {
    if (copies) add(name, 1'500, OperationKind::memcpy);
  }

  PlantedStep begin(const char* phase) {
    kernels_ = 0;
    return {phase, now_, 0, 0};
  }
  void finish(PlantedStep one) {
    one.end_ns = now_;
    one.kernels = kernels_;
    steps_.push_back(one);
    wait(30'000 + static_cast<int64_t>(random_() % 20'000));
  }

  void layer(const std::string& phase, int64_t times, int number) {
    const int64_t side_ns = now_;
    add_kernel("norm", 2'000 * times);
    add_kernel("gemm_qkv_" + phase, 6'000 * times);
    add_kernel("rope", 2'000 * times);
    add_kernel("kv_write", 2'000 * times);
    const bool other = alternating && number % 4 == 3;
    add_kernel((other ? "attn_full_" : "attn_") + phase,
               7'000 * times + (phase == "decode" ? attention_ns_ : 0));
    if (other) add_kernel("attn_reduce", 1'500 * times);
    add_kernel("gemm_o_" + phase, 5'000 * times);
    add_kernel("norm", 2'000 * times);
    add_kernel("gemm_up_" + phase, 9'000 * times);
    add_kernel("act", 2'000 * times);
    add_kernel("gemm_down_" + phase, 8'000 * times);
    if (!side_stream) return;
    operations_.push_back({side_ns + about(9'000), about(5'000), "side", OperationKind::kernel, 8});
    ++kernels_;
  }

  void step(const char* phase, int64_t times) {
    PlantedStep one = begin(phase);
    copy("[CUDA memcpy Host-to-Device]");
    add_kernel("embed", 3'000 * times);
    for (int i = 0; i < layers; ++i) layer(phase, times, i);
    if (times == 1) {
      for (int i = 0; i < draft_layers; ++i) layer("draft", 1, i);
    }
    add_kernel("final_norm", 2'000);
    add_kernel("gemm_head", 30'000);
    add_kernel("sample_top_p", 5'000);
    add_kernel("sample", 4'000);
    copy("[CUDA memcpy Device-to-Host]");
    finish(one);
  }

  std::mt19937 random_;
  std::vector<Written> operations_;
  std::vector<PlantedStep> steps_;
  int64_t now_ = 1'000'000;
  int64_t attention_ns_ = 0;
  int64_t kernels_ = 0;
};

}  // namespace kr::test

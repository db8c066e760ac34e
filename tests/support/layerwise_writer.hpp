// Layer-wise profiles as vLLM writes them: both forms, with `indent=2` or on one line.
#pragma once

#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "support/layerwise_models.hpp"

namespace kr::test {

struct ProfileForm {
  bool nested = true;  // the context has `engine_args`, steps have `metadata`
  bool pretty = true;
  bool single_calls = true;  // `model_stats` is not empty
  int decodes = 3;
};

class ProfileWriter {
 public:
  /// `flush` takes the text, a step at a time.
  ProfileWriter(const ModelDescription& model, const ProfileForm& form,
                std::function<void(std::string_view)> flush)
      : model_(model), form_(form), trees_(model), flush_(std::move(flush)) {}

  void write() {
    begin('{');
    key("context");
    context();
    for (int step = 0; step <= form_.decodes; ++step) {
      key(step == 0 ? "prefill" : fmt::format("decode_{}", step));
      begin('{');
      if (form_.nested) {
        key("metadata");
        begin('{');
        number("num_running_seqs", fmt::to_string(model_.batch));
        end('}');
      }
      key("summary_stats");
      forest(trees_.summary(step), false);
      key("model_stats");
      forest(form_.single_calls ? trees_.single_calls(step) : Forest{}, true);
      end('}');
      flush_(out_);
      out_.clear();
    }
    end('}');
    flush_(out_);
  }

 private:
  void context() {
    begin('{');
    text("python_version", "3.12.3 (main, Nov  6 2024, 18:32:19) [GCC 13.2.0]");
    text("torch_version", "2.6.0+cu124");
    text("cuda_device", "NVIDIA H100 80GB HBM3");
    const std::string name =
        model_.family == ModelDescription::Family::llama ? "meta-llama/Meta-Llama-3-8B-Instruct"
        : model_.family == ModelDescription::Family::moe ? "mistralai/Mixtral-8x7B-Instruct-v0.1"
                                                         : "deepseek-ai/DeepSeek-V3";
    if (form_.nested) {
      key("engine_args");
      begin('{');
    }
    text("model", name);
    number("served_model_name", "null");
    text("dtype", "bfloat16");
    number("quantization", "null");
    number("tensor_parallel_size", fmt::to_string(model_.tensor_parallel));
    number("enforce_eager", "true");
    if (form_.nested) end('}');
    number("batch_size", fmt::to_string(model_.batch));
    number("prompt_len", fmt::to_string(model_.prompt_len));
    number(form_.nested ? "max_output_len" : "output_len", fmt::to_string(form_.decodes + 1));
    if (!form_.nested) number("sparsity", "null");
    key("complete_num_requests_per_step");
    number("null");
    end('}');
  }

  void forest(const Forest& trees, bool single) {
    begin('[');
    for (const Tree& tree : trees) {
      item();
      node(tree, single);
    }
    end(']');
  }

  void node(const Tree& tree, bool single) {
    begin('{');
    key("entry");
    begin('{');
    text("name", tree.name);
    if (single) number("cpu_time_us", microseconds(tree.ns / 3));
    number("cuda_time_us", microseconds(tree.ns));
    number("pct_cuda_time", microseconds(tree.ns / 77));
    if (single) {
      text("trace", "");
    } else {
      number("invocations", fmt::to_string(tree.calls));
    }
    end('}');
    key("children");
    forest(tree.children, single);
    end('}');
  }

  // As sums of floats come out: now and then a last digit beside the true one.
  std::string microseconds(int64_t ns) {
    double us = static_cast<double>(ns) / 1000;
    if (++times_ % 3 == 0 && ns != 0) us = std::nextafter(us, us * 2);
    char digits[40];
    const auto done = std::to_chars(digits, digits + sizeof digits, us, std::chars_format::fixed);
    std::string out(digits, done.ptr);
    if (out.find('.') == out.npos) out += ".0";
    return out;
  }

  void begin(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void end(char bracket) {
    --depth_;
    if (!first_ && form_.pretty) line();
    out_ += bracket;
    first_ = false;
  }
  void item() {
    if (!first_) out_ += form_.pretty ? "," : ", ";
    first_ = false;
    if (form_.pretty) line();
  }
  void line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }
  void key(std::string_view key) {
    item();
    append_json_string(out_, key);
    out_ += ": ";
  }
  void number(std::string_view text) { out_ += text; }
  void number(std::string_view name, std::string_view text) {
    key(name);
    out_ += text;
  }
  void text(std::string_view name, std::string_view text) {
    key(name);
    append_json_string(out_, text);
  }

  ModelDescription model_;
  ProfileForm form_;
  ModelTrees trees_;
  std::function<void(std::string_view)> flush_;
  std::string out_;
  size_t depth_ = 0;
  bool first_ = true;
  uint64_t times_ = 0;
};

inline std::string profile_text(const ModelDescription& model, const ProfileForm& form = {}) {
  std::string out;
  ProfileWriter(model, form, [&](std::string_view text) { out += text; }).write();
  return out;
}

}  // namespace kr::test

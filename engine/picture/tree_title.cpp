#include "picture/tree_title.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/integer.hpp"

namespace kr::picture {
namespace {

/// What stands under the key, here or in `engine_args`; null where it says nothing.
const std::string* known(const trace::ModuleTrace& trace, std::string_view key) {
  for (const std::string& name : {std::string(key), fmt::format("engine_args.{}", key)}) {
    const std::string* value = trace.find_context(name);
    if (value != nullptr && !value->empty() && *value != "null" && *value != "None") return value;
  }
  return nullptr;
}

std::optional<int64_t> whole_number(const std::string* text) {
  return text == nullptr ? std::nullopt : integer_from(*text);
}

const char* plural(std::string_view count) {
  return count == "1" ? "" : "s";
}

/// Processes that share a model: those of its tensors times those of its stages.
std::optional<std::string> gpus(const trace::ModuleTrace& trace) {
  const std::string* tensor = known(trace, "tensor_parallel_size");
  if (tensor == nullptr) return std::nullopt;
  const auto tensors = whole_number(tensor);
  const auto stages = whole_number(known(trace, "pipeline_parallel_size"));
  int64_t all = 0;
  if (!tensors || !stages || __builtin_mul_overflow(*tensors, *stages, &all)) return *tensor;
  return fmt::format("{}", all);
}

}  // namespace

std::string tree_subject(const trace::ModuleTrace& trace) {
  const std::string* model = known(trace, "model");
  return model != nullptr ? *model : trace.source;
}

std::vector<std::string> tree_facts(const trace::ModuleTrace& trace) {
  std::vector<std::string> facts;
  const auto add = [&](const char* key, const auto& text) {
    if (const std::string* value = known(trace, key)) facts.push_back(text(*value));
  };
  using Value = const std::string&;
  add("batch_size", [](Value value) { return fmt::format("batch {}", value); });
  add("prompt_len",
      [](Value value) { return fmt::format("prompt {} token{}", value, plural(value)); });
  add(known(trace, "output_len") != nullptr ? "output_len" : "max_output_len",
      [](Value value) { return fmt::format("output {} token{}", value, plural(value)); });
  if (const auto count = gpus(trace)) {
    facts.push_back(fmt::format("{} GPU{}", *count, plural(*count)));
  }
  add("sparsity", [](Value value) { return fmt::format("sparsity {}", value); });
  if (known(trace, "num_steps") != nullptr) {
    add("num_steps",
        [](Value value) { return fmt::format("run of {} step{}", value, plural(value)); });
  } else {
    add("complete_num_requests_per_step",
        [](Value value) { return fmt::format("{} request{} done a step", value, plural(value)); });
  }
  return facts;
}

}  // namespace kr::picture

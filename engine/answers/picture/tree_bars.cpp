#include "picture/tree_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/integer.hpp"

namespace kr::picture {
namespace {

std::string label_of(const trees::ViewStep& step) {
  if (step.of.size() > 1) return fmt::format("{} ({} steps)", step.key, step.of.size());
  if (!step.running_seqs) return step.key;
  return fmt::format("{} ({} seq{})", step.key, *step.running_seqs,
                     *step.running_seqs == 1 ? "" : "s");
}

/// Every k-th and the last, so that no more than max_bars are left.
void thin_out(std::vector<size_t>& steps) {
  if (steps.size() <= max_bars) return;
  const size_t interval = (steps.size() + max_bars - 2) / (max_bars - 1);
  std::vector<size_t> kept;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % interval == 0 || i + 1 == steps.size()) kept.push_back(steps[i]);
  }
  steps = std::move(kept);
}

class BarMaker {
 public:
  BarMaker(const trees::TreeView& view, trees::Metric metric)
      : view_(view), metric_(metric), sums_(view.entries().size(), 0) {}

  TreeBar make(size_t step) {
    view_.rows(step, nodes_, rows_);
    for (const trees::ViewRow& row : rows_) {
      const int64_t value = metric_ == trees::Metric::invocations ? row.invocations : row.total_ns;
      sums_[row.entry] = trees::bounded_sum(sums_[row.entry], value);
    }
    const trees::ViewStep& shown = view_.step(step);
    const auto steps = static_cast<int64_t>(shown.of.size());
    const auto mean = [&](int64_t sum) { return sum / steps + (sum % steps * 2 >= steps ? 1 : 0); };
    TreeBar bar;
    bar.step = step;
    bar.label = label_of(shown);
    for (uint32_t entry = 0; entry < sums_.size(); ++entry) {
      const int64_t value = mean(std::exchange(sums_[entry], 0));
      if (value == 0) continue;
      bar.parts.push_back({entry, value});
      bar.total = trees::bounded_sum(bar.total, value);
    }
    bar.whole = metric_ == trees::Metric::invocations ? bar.total : mean(shown.total_ns);
    return bar;
  }

 private:
  const trees::TreeView& view_;
  trees::Metric metric_;
  std::vector<int64_t> sums_;  // by entry; 0 between bars
  std::vector<trace::ModuleNode> nodes_;
  std::vector<trees::ViewRow> rows_;
};

/// The value of the key, here or in `engine_args`; null if it is empty or absent.
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

std::vector<TreeBars> tree_bars(const trees::TreeView& view, trees::Metric metric) {
  struct Group {
    const char* begin;
    const char* file_stem;
    const char* heading;
    std::vector<size_t> steps;
  };
  std::array<Group, 3> groups{{{"prefill", "prefill", "prefill", {}},
                               {"decode", "decode_steps", "decode steps", {}},
                               {"", "other_steps", "other steps", {}}}};
  for (const size_t i : view.shown()) {
    const std::string& phase = view.step(i).phase;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      return phase.rfind(one.begin, 0) == 0;
    });
    group->steps.push_back(i);
  }
  std::vector<TreeBars> pictures;
  BarMaker maker(view, metric);
  for (Group& group : groups) {
    if (group.steps.empty()) continue;
    TreeBars& bars = pictures.emplace_back();
    bars.file_stem = group.file_stem;
    bars.heading = group.heading;
    bars.steps = group.steps.size();
    thin_out(group.steps);
    for (const size_t step : group.steps) bars.bars.push_back(maker.make(step));
  }
  return pictures;
}

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

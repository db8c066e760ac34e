// What two rulesets say besides labels of names: what detects engines and models, costs, folds,
// abbreviations, the numbers that phases take, titles, and the labels that are declared.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/pairs.hpp"
#include "prove/prover.hpp"

namespace kr::compare {

enum class Setting : uint8_t {
  title,          // of an engine or a model
  detect,         // of an engine or a model
  phase_numbers,  // the numbers that a rule of `phases` takes from texts
  fold,
  abbreviation,
  cost,
  label,  // declared, with its title and colour
};

/// `title`, `detect`, `phase number`, …
std::string_view to_string(Setting what) noexcept;

/// One thing that only one side says, or that both say in another way.
struct SettingChange {
  /// A side: what it says, or where it is written if the text is to be read there. Both empty: the
  /// side does not say it.
  struct Side {
    std::string text;
    source::Span span;
    bool empty() const { return text.empty() && !span.valid(); }
  };
  Setting what = Setting::title;
  std::string subject;  // the op of a cost, `substage gemm`; empty: `models` says it
  Side before;
  Side after;
  std::vector<std::string> models;  // `vllm`, `vllm/llama`: whose it is, by the first Program
  std::string example;              // a name that shows it; may be empty
};

struct SettingsCompared {
  /// By `what`, then as found. A change that several models have is one.
  std::vector<SettingChange> changes;
  bool proven = true;  // false: some expressions may differ in ways that were not found
};

SettingsCompared compare_settings(prove::Prover& prover, const sema::Program& before,
                                  const sema::Program& after, const ModelPairs& pairs);

}  // namespace kr::compare

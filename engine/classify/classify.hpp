// Program + Trace → labels. Every distinct name of the trace gets one label in every dimension of
// its model: from a rule, its own name (`otherwise keep`), or `unclassified`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "match/evaluate.hpp"
#include "trace/trace.hpp"

namespace kr {

/// The engine and model of a run, and why.
struct Choice {
  ModelId model;
  bool engine_detected = false;
  bool model_detected = false;
  /// For a person: `detect of vllm holds for 81.2 % of GPU time; near: sglang 3.1 %`.
  std::string why;
};

/// How much GPU time the `detect` expressions hold for.
struct Detection {
  struct Score {
    std::string name;
    int64_t total_ns = 0;
  };
  std::vector<Score> engines;  // all that have any `detect`, the best first
  std::vector<Score> models;   // of the chosen engine
};

/// Finds `engine` and `model` by name; empty means detect. Throws Error on an unknown name, with
/// near ones suggested. `only_engine_of_rules`: taken when no engine is detected, before `generic`;
/// see LANGUAGE “Detect”.
struct ChooseOptions {
  std::string engine;
  std::string model;
  bool rules_given = false;  // the user named rules: their only engine is the fallback
};
Choice choose_model(const Program& program, const std::shared_ptr<const Database>& database,
                    const Trace& trace, const ChooseOptions& options,
                    Detection* detection = nullptr);

/// A label as given to one name.
struct Given {
  std::string_view label;      // owned by the Program, or the trace's name where kept
  std::optional<RuleId> rule;  // none: unclassified
  bool explained = false;      // by a rule that is not `otherwise`
};

/// Labels of one dimension by NameId.
struct DimensionLabels {
  DimensionId dimension;
  std::vector<Given> by_name;
};

/// Refers to the Program and the Trace it was made from.
struct Labelled {
  ModelId model;
  std::vector<DimensionLabels> dimensions;  // those of the model, in the Program's order; kind last

  const DimensionLabels* find(DimensionId dimension) const;
};

Labelled classify(const Program& program, const std::shared_ptr<const Database>& database,
                  const Trace& trace, ModelId model);

}  // namespace kr

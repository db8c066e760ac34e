// Program + Trace → labels. Every distinct subject of the trace gets one label in every dimension
// of its model: from a rule, its own name (`otherwise keep`), or `unclassified`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "classify/subjects.hpp"
#include "match/evaluate.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// A dimension that a user named. Throws Error, with similar names, if there is none.
sema::DimensionId named_dimension(const sema::Program& program, const std::string& name);

/// The same; also throws for a dimension of order rules, where labels are of names.
sema::DimensionId named_name_dimension(const sema::Program& program, const std::string& name);

/// The dimension with this name if it has labels from neighbours: of operations, not of names.
std::optional<sema::DimensionId> order_dimension(const sema::Program& program,
                                                 std::string_view name);

/// The engine and model of a run, and why.
struct Choice {
  sema::ModelId model;
  /// For a person: `engine vllm is detected for 81.2 % of GPU time; next: sglang 3.1 %`.
  std::string why;
  /// The choice is the same for any context that Evidence::perhaps_within allows.
  bool certain = true;
};

/// An engine that is detected for less of the time is not chosen, unless a range of the trace
/// matches a `within` of its `detect`: other engines have some of its kernels, too. See
/// docs/language.md, Detect.
inline constexpr int64_t min_engine_percent = 8;

/// The input of `detect`.
struct Evidence {
  std::string_view model_text;  // a `detect` that matches it counts for all time
  /// Calls its argument with every subject and its time; may be called several times. Sums saturate
  /// at the largest 64-bit number.
  std::function<void(const std::function<void(const match::Subject&, int64_t total_ns)>&)> each;
  /// Each of these names may enclose any subject; used instead of Subject::within.
  std::span<const match::AtomSet> perhaps_within = {};
  /// Names of modules and other ranges of the trace, if they are known. A model is chosen if
  /// it is the only one of its engine whose `detect` matches the class of a module that is a
  /// model's: `Qwen3DecoderLayer`, `LlamaForCausalLM`.
  std::span<const std::string> range_names = {};
  /// The same names, reduced to what `within` distinguishes.
  std::span<const match::AtomSet> range_sets = {};
};

/// The engine and model by name, or by `detect` (see docs/language.md). Throws Error for an unknown
/// name, with similar ones.
Choice choose_model(const sema::Program& program,
                    const std::shared_ptr<const match::Database>& database,
                    const Evidence& evidence, const ChooseOptions& options);
/// By the subjects of a trace.
Choice choose_model(const std::shared_ptr<const match::Database>& database,
                    const TraceSubjects& subjects, const ChooseOptions& options,
                    std::span<const match::AtomSet> perhaps_within = {});

/// The label of a name, and the rule that gave it.
struct LabelResult {
  std::string_view label;            // owned by the Program; by the trace if the name is kept
  std::optional<sema::RuleId> rule;  // none: unclassified
  bool explained = false;            // by a rule other than `otherwise`
};

/// The result of `rule` for a name, which must outlive it.
LabelResult label_result(const sema::Program& program, std::optional<sema::RuleId> rule,
                         std::string_view name);

/// Labels of one dimension.
struct DimensionLabels {
  sema::DimensionId dimension;
  std::vector<LabelResult> by_row;
};

/// The operations that one match of an order rule labelled: places in the trace. There may be
/// others of the stream between them.
struct OrderMatch {
  sema::RuleId rule;
  uint32_t first = 0;
  uint32_t last = 0;
};

/// The labels of a trace's operations. A row is a name with labels from the same rules: a name that
/// `within` labels in several ways has several rows. Refers to the Program and the Trace.
struct Labelled {
  sema::ModelId model;
  /// Those of the model, in the Program's order; kind last. Without one that calls all operations
  /// sema::none_label.
  std::vector<DimensionLabels> dimensions;
  /// Those of order rules come last.
  size_t order_dimensions = 0;
  /// Of sema::candidate_dimensions: what an engine could do better, and not what operations are.
  std::vector<DimensionLabels> candidates;
  /// Why there are none, although the model has such rules; empty: there are.
  std::string no_order;
  std::unordered_map<sema::RuleId, int64_t> matches_of_rule;  // of chains: how often they matched
  /// Of sema::candidate_dimensions, by first operation. None overlap in one dimension.
  std::vector<std::pair<sema::DimensionId, std::vector<OrderMatch>>> matches;
  std::vector<trace::NameId> names;  // by row
  std::vector<uint32_t> row_of;      // by operation; empty: the row of a name is its number

  /// Also a candidate's.
  const DimensionLabels* find(sema::DimensionId dimension) const;
  /// The dimensions that a name alone has: the first ones.
  size_t name_dimensions() const noexcept { return dimensions.size() - order_dimensions; }
  std::span<const DimensionLabels> of_names() const noexcept {
    return std::span(dimensions).first(name_dimensions());
  }
  size_t rows() const noexcept { return names.size(); }
  /// The row of the operation at `place` in its trace.
  uint32_t row(size_t place, const trace::Operation& operation) const noexcept {
    return row_of.empty() ? operation.name.index : row_of[place];
  }
};

/// `ordered`: with labels from neighbours.
Labelled classify(const TraceSubjects& subjects, sema::ModelId model, bool ordered = false);

/// Of a trace without ranges: the rules by which labels would depend on the ranges that enclose the
/// launches of operations. Without rules of order.
std::vector<sema::ExprId> needed_context(const TraceSubjects& subjects, sema::ModelId model);

}  // namespace kr::classify

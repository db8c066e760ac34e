// Program + Trace → labels. Every distinct subject of the trace gets one label in every dimension
// of its model: from a rule, its own name (`otherwise keep`), or `unclassified`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/subjects.hpp"
#include "match/evaluate.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// A dimension that a user named. Throws Error where there is none, with near ones suggested.
sema::DimensionId named_dimension(const sema::Program& program, const std::string& name);

/// The engine and model of a run, and why.
struct Choice {
  sema::ModelId model;
  /// For a person: `engine vllm: its detect holds for 81.2 % of GPU time (next: sglang 3.1 %)`.
  std::string why;
  /// Of Evidence::perhaps_within: whatever of it stands round which operation, this is the choice.
  bool certain = true;
};

/// What `detect` is tried on.
struct Evidence {
  std::string_view model_text;  // what holds of it counts for all time
  /// Calls with every subject and its time; may be called several times. Sums that do not fit in
  /// 64 bits count as the largest that does.
  std::function<void(const std::function<void(const match::Subject&, int64_t total_ns)>&)> each;
  /// Each of these names may stand round any subject or none, in place of Subject::within.
  std::span<const match::AtomSet> perhaps_within = {};
};

/// The engine and model asked for by name, or by `detect` (see docs/language.md). Throws Error on
/// an unknown name, with near ones suggested.
Choice choose_model(const sema::Program& program,
                    const std::shared_ptr<const match::Database>& database,
                    const Evidence& evidence, const ChooseOptions& options);
/// By the subjects of a trace.
Choice choose_model(const std::shared_ptr<const match::Database>& database,
                    const TraceSubjects& subjects, const ChooseOptions& options,
                    std::span<const match::AtomSet> perhaps_within = {});

/// A label as given to one name.
struct LabelResult {
  std::string_view label;            // owned by the Program, or the trace's name where kept
  std::optional<sema::RuleId> rule;  // none: unclassified
  bool explained = false;            // by a rule that is not `otherwise`
};

/// What `rule` gives a subject of that name, which has to live as long.
LabelResult label_result(const sema::Program& program, std::optional<sema::RuleId> rule,
                         std::string_view name);

/// Labels of one dimension.
struct DimensionLabels {
  sema::DimensionId dimension;
  std::vector<LabelResult> by_row;
};

/// The labels of a trace's operations. A row is what has one name and gets its labels from the same
/// rules: where `within` labels a name in several ways it has a row for each. Refers to the Program
/// and the Trace it was made from.
struct Labelled {
  sema::ModelId model;
  std::vector<DimensionLabels> dimensions;  // those of the model, in the Program's order; kind last
  std::vector<trace::NameId> names;         // by row
  std::vector<uint32_t> row_of;  // by operation; empty: every name has one row, that of its number

  const DimensionLabels* find(sema::DimensionId dimension) const;
  size_t rows() const noexcept { return names.size(); }
  /// The row of the operation that stands at `place` in its trace.
  uint32_t row(size_t place, const trace::Operation& operation) const noexcept {
    return row_of.empty() ? operation.name.index : row_of[place];
  }
};

Labelled classify(const TraceSubjects& subjects, sema::ModelId model);

}  // namespace kr::classify

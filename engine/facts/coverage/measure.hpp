// How much of a run's GPU time a dimension explains, name by name.
//
// A name is explained if a rule other than `otherwise` labels it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/run.hpp"

namespace kr::coverage {

/// A name and its time. In module trees a name may be explained in one module and not in another;
/// then it occurs twice.
struct MeasuredName {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t instances = 0;
  int64_t total_ns = 0;
  std::string label{};  // `unclassified` if no rule matches
  bool explained = false;
  bool common_words = false;  // explained by a rule of common words of names alone
};

struct MeasuredRun {
  std::string id;
  std::string source;
  std::string format;
  sema::ModelId model;
  std::string choice_why;
  bool has_dimension = false;  // the model has rules for it
  int64_t explained_ns = 0;
  int64_t common_words_ns = 0;      // the part of it by rules of common words alone
  int64_t total_ns = 0;             // of all operations, or of the leaves of all trees
  std::vector<MeasuredName> names;  // by descending total, then name
  std::vector<trace::DroppedRecords> dropped;
  bool known_layout = true;  // if false, no operations does not mean no GPU work
};

/// Operations by their names, labelled by `model`. Throws Error where the sums do not fit.
MeasuredRun measure_run(const match::CompiledRules& rules, sema::DimensionId dimension,
                        sema::ModelId model, const analyze::RunSummary& summary);
/// Of module trees the leaves, with what encloses them; the `(self)` of a node counts under the
/// node's own name. `id`: of the run.
MeasuredRun measure_run(const match::CompiledRules& rules, sema::DimensionId dimension,
                        const trees::LabelledModules& modules, const std::string& id);

}  // namespace kr::coverage

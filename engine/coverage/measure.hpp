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
  std::string label;  // `unclassified` if no rule matches
  bool explained = false;
};

struct MeasuredRun {
  std::string id;
  std::string source;
  std::string format;
  sema::ModelId model;
  std::string choice_why;
  bool has_dimension = false;  // the model has rules for it
  int64_t explained_ns = 0;
  int64_t total_ns = 0;             // of all operations, or of the leaves of all trees
  std::vector<MeasuredName> names;  // by descending total, then name
  std::vector<trace::Loss> losses;
  std::vector<Warning> warnings;
};

/// Reads a run of operations or of module trees. Of trees, the leaves count, with their enclosing
/// modules; a node's `(self)` counts under the node's own name. `index` makes the id unique. Throws
/// Error.
MeasuredRun measure_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                        size_t index, sema::DimensionId dimension,
                        const trace::OpenOptions& options);

}  // namespace kr::coverage

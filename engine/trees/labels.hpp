// Labels of the nodes of module trees: a node is a subject by its name, and all nodes above it are
// what encloses it (`within`).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "classify/classify.hpp"
#include "trace/module_trace.hpp"

namespace kr::trees {

/// The names of a ModuleTrace matched. Refers to the Program and the trace.
class MatchedPaths {
 public:
  MatchedPaths(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
               const trace::ModuleTrace& trace);

  /// The engine and model asked for, or detected by the leaves' names, the names above them, and
  /// the context. `leaf_ns` is the leaves' time by path.
  classify::Choice choose(const std::shared_ptr<const match::Database>& database,
                          const std::vector<int64_t>& leaf_ns,
                          const classify::ChooseOptions& options) const;
  /// What each path gets in a dimension.
  std::vector<classify::LabelResult> labels(const sema::Table& table) const;
  /// By path: any of the folds holds, or the name is one of `names`.
  std::vector<bool> folded(const std::vector<sema::Fold>& folds,
                           const std::vector<std::string>& names) const;

  const trace::ModuleTrace& trace() const noexcept { return *trace_; }

 private:
  /// Paths as what rules can tell of them: their name and what is above it.
  struct Subjects {
    classify::EnclosingContexts around;
    classify::PlacedNames pairs;
    std::vector<uint32_t> of_path;
  };
  /// As far as `asked` look.
  Subjects subjects(const std::vector<sema::ExprId>& asked) const;
  /// Calls `tell(number, subject)` for each, rising.
  template <class Tell>
  void each(const Subjects& subjects, const Tell& tell) const;

  const sema::Program* program_;
  const trace::ModuleTrace* trace_;
  std::vector<match::AtomSet> sets_;  // by name
};

}  // namespace kr::trees

// What rules say of the labels of a run.
#pragma once

#include <string_view>

#include "analyze/summary.hpp"
#include "sema/program.hpp"

namespace kr::tables {

class DeclaredLabels {
 public:
  DeclaredLabels(const sema::Program& program, const analyze::RunSummary& run) : program_(program) {
    const auto engine = program.engine(run.engine);
    const auto model = engine ? program.model(*engine, run.model) : std::nullopt;
    if (model) model_ = &program.models.get(*model);
  }

  /// Null where the rules do not declare it; a saved run may be of other rules.
  const sema::Label* find(std::string_view dimension, std::string_view label) const {
    const auto id = program_.dimension(dimension);
    const sema::Table* table = model_ != nullptr && id ? model_->any_table(*id) : nullptr;
    return table != nullptr ? table->find(label) : nullptr;
  }
  /// Empty where there is none.
  std::string_view title(std::string_view dimension, std::string_view label) const {
    const sema::Label* one = find(dimension, label);
    return one != nullptr ? std::string_view(one->title) : std::string_view();
  }

 private:
  const sema::Program& program_;
  const sema::Model* model_ = nullptr;
};

}  // namespace kr::tables

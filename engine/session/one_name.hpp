// One name of an operation as if it were the only one of a trace.
#pragma once

#include <string_view>

#include "classify/classify.hpp"
#include "match/compiled_rules.hpp"
#include "trace/trace.hpp"

namespace kr::session {

/// Refers to the rules.
class OneName {
 public:
  /// Chooses the engine and model; empty: detected. Throws Error if one is unknown.
  OneName(const match::CompiledRules& rules, std::string_view name, OperationKind kind,
          std::string_view engine, std::string_view model);

  const classify::Choice& choice() const noexcept { return choice_; }
  /// Its label in a dimension.
  std::string label(sema::DimensionId dimension) const;

 private:
  trace::Trace trace_;
  classify::ChooseOptions options_;
  classify::TraceSubjects subjects_;
  classify::Choice choice_;
};

}  // namespace kr::session

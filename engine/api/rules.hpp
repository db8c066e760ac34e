// What is inside kr::Rules.
#pragma once

#include "kr/kr.hpp"
#include "match/compiled_rules.hpp"

namespace kr {

struct Rules::Impl {
  explicit Impl(CompiledRules rules) : compiled(std::move(rules)) {}
  CompiledRules compiled;
};

}  // namespace kr

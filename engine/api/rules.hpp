// What is inside kr::Rules.
#pragma once

#include "kr/kr.hpp"
#include "match/compiled_rules.hpp"

namespace kr {

struct Rules::Impl {
  explicit Impl(match::CompiledRules rules) : compiled(std::move(rules)) {}
  match::CompiledRules compiled;
};

}  // namespace kr

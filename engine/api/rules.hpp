// What is inside kr::Rules.
#pragma once

#include "kr/kr.hpp"
#include "match/compiled_rules.hpp"

namespace kr {

struct Rules::Impl {
  Impl(match::CompiledRules rules, source::Library where)
      : compiled(std::move(rules)), library(std::move(where)) {}
  match::CompiledRules compiled;
  source::Library library;  // where they were found
};

}  // namespace kr

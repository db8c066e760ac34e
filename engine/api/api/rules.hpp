// What is inside kr::Rules, and where rules are found.
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

/// Where rules are found. Throws Error if a folder of rules, or (`shipped`) any, is needed and
/// missing.
source::Library library_of(const LoadOptions& options, bool shipped);

}  // namespace kr

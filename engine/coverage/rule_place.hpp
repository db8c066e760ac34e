// Where in the rules a rule is to be added that labels what a model leaves unexplained.
#pragma once

#include <cstdint>
#include <string>

#include "match/compiled_rules.hpp"

namespace kr::coverage {

/// Last of the rules that a model tries before `otherwise`: what is added there takes no name from
/// any rule that is there. That is the engine's own block of the dimension; where the engine has
/// none and inherits its rules from elsewhere, the model's.
struct RulePlace {
  source::FileId file;
  uint32_t byte = 0;           // text goes in before it
  uint32_t line = 0;           // from 1: of what it then stands below, or in
  std::string below;           // the rule it then stands below, its first line; empty: none
  std::string owner;           // `engine vllm`, `model ds of engine vllm`
  bool new_block = false;      // the dimension's block is new there
  bool new_dimension = false;  // and nothing is inherited: the block needs an `otherwise`

  friend bool operator==(const RulePlace&, const RulePlace&) = default;
};

RulePlace rule_place(const match::CompiledRules& rules, sema::ModelId model,
                     sema::DimensionId dimension);

/// What to insert at the place for a rule, `label: expression`.
std::string text_to_insert(const RulePlace& place, const std::string& dimension,
                           const std::string& rule);

}  // namespace kr::coverage

// Where to add a rule for names that a model does not explain.
#pragma once

#include <cstdint>
#include <string>

#include "match/compiled_rules.hpp"

namespace kr::coverage {

/// The place of a new last rule before `otherwise`: a rule there changes no label of other rules.
/// It is in the engine's own block of the dimension, or, if the engine has none and inherits its
/// rules, in the model's block.
struct InsertionPlace {
  source::FileId file;
  uint32_t byte = 0;           // the text is inserted before it
  uint32_t line = 0;           // from 1: of the rule before it, or of the block
  std::string below;           // the first line of the rule before it; may be empty
  std::string owner;           // `engine vllm`, `model ds of engine vllm`
  bool new_block = false;      // the dimension has no block yet
  bool new_dimension = false;  // and nothing is inherited: the block needs an `otherwise`

  friend bool operator==(const InsertionPlace&, const InsertionPlace&) = default;
};

InsertionPlace insertion_place(const match::CompiledRules& rules, sema::ModelId model,
                               sema::DimensionId dimension);

/// What to insert at the place for a rule, `label: expression`.
std::string text_to_insert(const InsertionPlace& place, const std::string& dimension,
                           const std::string& rule);

}  // namespace kr::coverage

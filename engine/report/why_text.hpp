// `kr why` as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "classify/why.hpp"

namespace kr {

struct WhyReport {
  std::string name;
  std::string model;       // engine/model
  std::string choice_why;  // how it was chosen; empty where the user named it
  std::vector<WhyDimension> dimensions;
};

struct WhyTextOptions {
  bool color = false;
};

/// For a person: the name with the matched parts underlined, a block a dimension.
std::string why_text(const CompiledRules& rules, const WhyReport& report, WhyTextOptions options);

/// `{"dimensions":[{"dimension","label","rule":"file:line","spans":[[begin,end]],
/// "also":[{"label","rule"}],"when":[…]}]}`: one element an outcome; `rule` is null where
/// unclassified, `when` lists the conditions of an outcome that is not certain.
std::string why_json(const CompiledRules& rules, const WhyReport& report);

}  // namespace kr

// What the texts of `kr why` share.
#pragma once

#include <string>

#include "classify/why.hpp"
#include "tables/explanation.hpp"

namespace kr::overview {

/// `file:line`s and rules are on one line: short enough for a terminal.
std::string short_rule(const match::CompiledRules& rules, sema::RuleId rule);

/// Of operations with their neighbours.
std::string why_sequence_text(const match::CompiledRules& rules, const tables::Explanation& report,
                              bool color);

}  // namespace kr::overview

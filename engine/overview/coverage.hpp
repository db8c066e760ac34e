// `kr coverage` on a terminal.
#pragma once

#include <string>

#include "coverage/suggest.hpp"
#include "overview/report.hpp"

namespace kr::overview {

/// For a terminal.
std::string coverage_text(const match::CompiledRules& rules, const coverage::TimeCoverage& coverage,
                          TableOptions options);

/// `part` of `whole` in percent with two decimals, rounded down: 100.00 is all of it. Of nothing,
/// all is explained.
std::string share_explained(int64_t part, int64_t whole);

}  // namespace kr::overview

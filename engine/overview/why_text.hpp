// `kr why` for people.
#pragma once

#include <string>
#include <vector>

#include "tables/source.hpp"

namespace kr::overview {

struct WhyTextOptions {
  bool color = false;
};

/// For a person: the name with the matched parts underlined, a block a dimension.
std::string why_text(const match::CompiledRules& rules, const tables::Explanation& report,
                     WhyTextOptions options);

}  // namespace kr::overview

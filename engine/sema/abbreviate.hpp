// What a name is shown as.
#pragma once

#include <string>
#include <vector>

#include "sema/program.hpp"

namespace kr {

/// Replaces all occurrences, from the left, one abbreviation after another.
inline std::string abbreviate(std::string text, const std::vector<Abbreviation>& all) {
  for (const Abbreviation& one : all) {
    if (one.from.empty()) continue;
    for (size_t at = text.find(one.from); at != std::string::npos;
         at = text.find(one.from, at + one.to.size())) {
      text.replace(at, one.from.size(), one.to);
    }
  }
  return text;
}

}  // namespace kr

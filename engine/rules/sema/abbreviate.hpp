// The abbreviated form of a name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sema/program.hpp"

namespace kr::sema {

/// An abbreviation whose result would be longer is skipped: fifty abbreviations that each double
/// the text would fill the memory.
inline constexpr size_t longest_abbreviated = size_t{1} << 16U;

/// Replaces all occurrences, from the left, one abbreviation after another.
inline std::string abbreviate(std::string text, const std::vector<Abbreviation>& all) {
  std::string made;
  for (const Abbreviation& one : all) {
    if (one.from.empty() || text.find(one.from) == std::string::npos) continue;
    const size_t longest = std::max(text.size(), longest_abbreviated);
    made.clear();
    size_t at = 0;
    for (size_t found = text.find(one.from); found != std::string::npos && made.size() <= longest;
         found = text.find(one.from, at)) {
      made.append(text, at, found - at).append(one.to);
      at = found + one.from.size();
    }
    made.append(text, at);
    if (made.size() <= longest) text.swap(made);
  }
  return text;
}

}  // namespace kr::sema

#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"
#include "base/join.hpp"

namespace kr {
size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table, the oldest for swaps.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  size_t best = std::clamp<size_t>(word.size() / 3, 1, 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& candidate : candidates) {
    const size_t gap =
        std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (gap >= best) continue;
    if (const size_t distance = edit_distance(word, candidate); distance < best) {
      best = distance;
      found = &candidate;
    }
  }
  return found ? std::optional(*found) : std::nullopt;
}

std::string near_or_all(std::string_view word, std::span<const std::string> candidates) {
  if (const auto near = nearest(word, candidates)) return "did you mean `" + *near + "`?";
  return fmt::format("available: {}", join(candidates, ", "));
}

}  // namespace kr

// “did you mean …?”: the candidate closest to a word, by edits of one character (insertion,
// removal, change, swap of neighbours), where one is close enough to be meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kr {

size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest candidate within a third of the word's length (at least 1, at most 3 edits); ASCII
/// case differs at no cost. Ties: the first. None when nothing is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// For an Error about a name that is none of the candidates: `did you mean `x`?`, or what there is.
std::string near_or_all(std::string_view word, std::span<const std::string> candidates);

}  // namespace kr

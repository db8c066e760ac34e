// Where an expression has empty matches. Whether it matches the empty string at a place depends
// only on what is before and after that place: nothing, a word byte, or another byte. These are
// nine kinds of places, one bit each.
#pragma once

#include <cstdint>

#include "regex/byte_set.hpp"
#include "regex/regex.hpp"

namespace kr::regex {

enum Side : unsigned { nothing, word, other };

inline Side side_of(char byte) noexcept {
  return is_word(static_cast<unsigned char>(byte)) ? word : other;
}

constexpr Places place_bit(Side before, Side behind) {
  return static_cast<Places>(1U << (before * 3 + behind));
}

inline constexpr Places all_places = 0x1ff;
inline constexpr Places empty_name_place = place_bit(nothing, nothing);

/// Whether `^`, `$`, `\b` or `\B` matches at such a place.
constexpr bool holds(NodeKind assertion, Side before, Side behind) {
  if (assertion == NodeKind::begin) return before == nothing;
  if (assertion == NodeKind::end) return behind == nothing;
  return ((before == word) != (behind == word)) == (assertion == NodeKind::word_edge);
}

constexpr bool is_word_edge(NodeKind assertion) {
  return assertion == NodeKind::word_edge || assertion == NodeKind::not_word_edge;
}

/// The places where the node has an empty match.
Places empty_places(const Regex& regex, NodeId id);

}  // namespace kr::regex

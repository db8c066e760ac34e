// The alignment of two sequences of names.
//
// Method: global alignment without a penalty for gaps (S. B. Needleman, C. D. Wunsch, J. Mol. Biol.
// 48, 1970). Where several alignments are the best, the leftmost and the rightmost of them are
// compared: what only one of them contains is ambiguous.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>

namespace kr::changes {

/// How good it is that two names meet: 0 (never) to 30.
using MeetingScore = std::function<uint32_t(uint32_t a, uint32_t b)>;

/// By two names, one of `a` and one of `b`: in how many places they meet.
using Meetings = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

/// The meetings of an alignment with the highest sum of scores, without what is ambiguous.
/// Sequences have at most 2048 names. The score is called once per pair of names.
Meetings meetings(std::span<const uint32_t> a, std::span<const uint32_t> b,
                  const MeetingScore& score);

}  // namespace kr::changes

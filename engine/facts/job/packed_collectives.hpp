// The collectives of a device as a short text, for saved runs (Members::saved): about 18 bytes
// each.
//
// One word for each, in order of launch, with blanks between them: `g0,b8192,s5,1200,340,20`. Its
// last three numbers are the time from the end of the one before (at first, from the first
// operation of the device), the duration, and the part of the former in which the device was idle.
// They may be negative where operations overlap. Before them there may be the number of the group
// (`g`), unless it is that of the word before; the bytes (`b`), unless they are those of the last
// of the group; the sequence number (`s`), unless it follows that of the last of the group; the
// rank of the root or of the other end (`p`), unless it is that of the last of the group. All three
// are -1 where they are unknown, which is what they are at first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "job/member.hpp"

namespace kr::job {

/// Of one device of a run. What follows is kept as sums.
inline constexpr size_t max_saved_collective_bytes = size_t{256} << 10;

struct PackedCollectives {
  std::string text;
  std::vector<CollectiveRest> all;  // by group: of all, with those in the text
};

/// Those that fit in `max_bytes`.
PackedCollectives pack_collectives(const Member& member,
                                   size_t max_bytes = max_saved_collective_bytes);

/// Fills `collectives` and `rest` of a member whose device, first start and groups are known. False
/// where the text is not one, its numbers are out of range, or `all` is less than the text has.
[[nodiscard]] bool unpack_collectives(std::string_view text, const std::vector<CollectiveRest>& all,
                                      Member& member);

}  // namespace kr::job

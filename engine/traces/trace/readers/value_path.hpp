// Where a value is inside a nested one, for messages: `decode_3.summary_stats[0].entry`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kr::trace {

/// Bytes of a key that are kept for a path.
inline constexpr size_t kept_of_key = 200;

/// A member of an object, or an item of a list.
struct ValuePathPart {
  bool is_member = false;
  std::string_view key = {};  // of a member, perhaps only its beginning
  uint64_t index = 0;         // of an item, from 0
};

/// Of so many parts, from the outermost on; of many only those at both ends.
std::string value_path(size_t parts, const std::function<ValuePathPart(size_t)>& part);

}  // namespace kr::trace

#include "trace/readers/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

// Parts of a path that are shown at its two ends.
constexpr size_t shown_parts = 12;

bool is_plain(std::string_view key) noexcept {
  return !key.empty() && std::all_of(key.begin(), key.end(),
                                     [](char c) { return is_identifier_byte(c) || c == '-'; });
}

}  // namespace

std::string value_path(size_t parts, const std::function<ValuePathPart(size_t)>& part) {
  std::string out;
  for (size_t i = 0; i < parts; ++i) {
    if (parts > 2 * shown_parts && i == shown_parts) {
      i = parts - shown_parts - 1;
      out += "…";
      continue;
    }
    const ValuePathPart one = part(i);
    if (!one.is_member) {
      out += fmt::format("[{}]", one.index);
    } else if (!is_plain(one.key)) {
      out += fmt::format("[\"{}\"]", shown_text(one.key));
    } else {
      if (!out.empty()) out += '.';
      out += one.key;
    }
  }
  return out;
}

}  // namespace kr::trace

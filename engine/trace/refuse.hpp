// Files that people hand over for a trace and that are none, told by their first bytes: each gets
// a message that says what it is and what to do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kr::trace {

struct Refusal {
  std::string why;
  std::string remedy;
};

/// None where the head may begin a trace.
std::optional<Refusal> refusal_of(std::string_view head);
/// What no format took.
Refusal unknown_content();

}  // namespace kr::trace

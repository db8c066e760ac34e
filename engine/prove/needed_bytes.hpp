// A fast test that a name has no match: every match needs a byte that the name does not contain.
// Upper and lower case count as one, so the test also works with `i`.
#pragma once

#include <string_view>

#include "regex/regex.hpp"

namespace kr::prove {

/// Every name with a match has all these bytes in its `bytes_of`.
regex::ByteSet needed_bytes(const regex::Regex& regex);

/// The bytes of a name, with letters in lower case.
regex::ByteSet bytes_of(std::string_view name);

}  // namespace kr::prove

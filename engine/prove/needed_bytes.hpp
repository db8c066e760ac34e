// A cheap reason why a name has no match: bytes that every match needs and the name does not have.
// Upper and lower case count as one, so that `i` loses nothing.
#pragma once

#include <string_view>

#include "regex/regex.hpp"

namespace kr::prove {

/// Every name with a match has all of them among its `bytes_of`.
regex::ByteSet needed_bytes(const regex::Regex& regex);

/// The bytes of a name, letters as small ones.
regex::ByteSet bytes_of(std::string_view name);

}  // namespace kr::prove

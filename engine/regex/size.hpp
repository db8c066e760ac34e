// How large the automaton of a Regex is.
#pragma once

#include <cstdint>

#include "regex/regex.hpp"

namespace kr::regex {

/// States that Nfa::build makes of it, the repeats written out; held at 2^40.
uint64_t state_count(const Regex& regex);

}  // namespace kr::regex

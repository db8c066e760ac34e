// A first ruleset for a new engine (`kr init`).
#pragma once

#include <string>
#include <string_view>

namespace kr::convert {

/// The text of a commented rules file with one engine, one model and tests that pass. Throws Error,
/// with a valid name, if `engine` is not a name.
std::string starter_rules(std::string_view engine);

}  // namespace kr::convert

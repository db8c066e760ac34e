// A ruleset to start from (`kr init`).
#pragma once

#include <string>
#include <string_view>

namespace kr::convert {

/// The text of a commented rules file with one engine, one model and tests that pass. Throws Error
/// where `engine` is not a name, with one that is.
std::string starter_rules(std::string_view engine);

}  // namespace kr::convert

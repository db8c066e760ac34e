// The difference of two texts as `diff -u` writes it.
#pragma once

#include <string>
#include <string_view>

namespace kr {

/// Hunks with three lines of context, and the two names above them; empty where the texts are
/// equal. The least number of lines removed and added, unless the texts differ in more than some
/// thousand lines: then what differs is one hunk. A last line without a line break is said so.
std::string unified_diff(std::string_view before_name, std::string_view before,
                         std::string_view after_name, std::string_view after);

}  // namespace kr

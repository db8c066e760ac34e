// The rules files that verbs over files (test, lint, fmt) work on.
#pragma once

#include <string>
#include <vector>

#include "source/library.hpp"

namespace kr::cli {

/// Each `PATH` as the names that load_rules takes: a folder stands for the .kr files in and below
/// it, in the order of their names; hidden folders are left out. No PATH: all shipped rulesets. A
/// file reached twice is named once. Throws Error where a folder holds no rules or cannot be read,
/// or a path is a .krdb, which has lost what these verbs look at.
std::vector<std::string> rule_paths(const std::vector<std::string>& paths,
                                    const source::Library& library);

/// The .kr files in and below a folder, in the order of their names; hidden folders are left out. A
/// folder below it that cannot be read stands in the list itself, so that whoever reads it says so.
/// Throws Error where there is none, or the folder cannot be read.
std::vector<std::string> rules_in_folder(const std::string& folder);

}  // namespace kr::cli

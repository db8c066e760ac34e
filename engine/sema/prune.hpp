// What neither models nor declarations of root files reach is left out: patterns, tables and models
// of files that are only used would make the scanner look for what no rule asks.
#pragma once

#include <string>
#include <vector>

#include "sema/program.hpp"

namespace kr::sema {

/// `dimensions` are the names that DimensionIds of the working Program stand for; in the pruned one
/// they are those of its own `dimensions`.
Program pruned(Program program, const std::vector<std::string>& dimensions);

}  // namespace kr::sema

// What tables of costs have in common.
#pragma once

#include <string>

#include "tables/definition.hpp"

namespace kr::tables {

/// Why there are no costs; empty: some run has ops.
std::string without_costs(const Source& source);

}  // namespace kr::tables

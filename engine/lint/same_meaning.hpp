// Whether a changed text means what it meant: what must hold of every safe fix.
#pragma once

#include "sema/load.hpp"

namespace kr::lint {

/// All that users see of the engines: every table of every model, phases, folds, abbreviations,
/// detection. True only where it is proven.
bool same_meaning(const Rules& before, const Rules& after);

}  // namespace kr::lint

// Whether a changed text means what it meant: what must hold of every safe fix.
#pragma once

#include "sema/program.hpp"

namespace kr::lint {

/// All that users see: the patterns and tables of root files, every table of every model, phases,
/// folds, abbreviations, detection. True only where it is proven.
bool same_meaning(const Program& before, const Program& after);

}  // namespace kr::lint

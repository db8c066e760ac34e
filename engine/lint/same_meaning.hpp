// Whether a changed text means what it meant: what must hold of every safe fix.
#pragma once

#include "prove/allowance.hpp"
#include "sema/program.hpp"

namespace kr::lint {

/// All that users see: the patterns and tables of root files, every table of every model, phases,
/// folds, abbreviations, detection. True only where it is proven, within the allowance.
bool same_meaning(const sema::Program& before, const sema::Program& after,
                  prove::Allowance& allowance);

}  // namespace kr::lint

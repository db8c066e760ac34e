// Whether an imported rules file means what its tables mean.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "convert/pattern_tables.hpp"

namespace kr::convert {

/// Holds a rules file against a direct reading of the tables: a rule a pattern, each one regular
/// expression, in their order, without those left out. Throws Error, with a name that shows it,
/// where they label a name differently. False where the proof takes more than its budget.
bool check_import(const std::string& text, const std::vector<PatternEngine>& engines,
                  const std::set<const PatternRule*>& left_out);

}  // namespace kr::convert

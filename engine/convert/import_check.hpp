// Proves that an imported rules file is equivalent to its tables.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "convert/pattern_tables.hpp"

namespace kr::convert {

/// Compares a rules file with a direct translation of the tables: one rule per pattern, each a
/// regular expression, in their order, without those in `left_out`. Throws Error, with the name, if
/// they label a name differently. False if the proof exceeds its budget.
bool check_import(const std::string& text, const std::vector<PatternEngine>& engines,
                  const std::set<const PatternRule*>& left_out);

}  // namespace kr::convert

// Some columns and rows of a table of the registry, for a terminal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "table/table.hpp"

namespace kr::overview {

struct Part {
  std::vector<std::string> columns;  // in this order; those that the table lacks are left out
  std::string title = {};            // empty: that of the table
  std::string where = {};            // only rows with `value` in this column; empty: all
  std::string value = {};
  std::string not_zero = {};  // only rows with another number in this column; empty: all
  // What the ids of columns begin with is replaced: `a_` by `bf16_`.
  std::vector<std::pair<std::string, std::string>> prefixes = {};
};
/// Refers to what the table was made from.
table::Table part_of(table::Table table, Part part);

}  // namespace kr::overview

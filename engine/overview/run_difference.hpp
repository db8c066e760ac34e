// What `kr diff` says of two runs.
#pragma once

#include <string>

#include "overview/report.hpp"
#include "trees/difference.hpp"

namespace kr::overview {

struct DifferenceTable {
  std::string a;  // what the sides are called
  std::string b;
  std::string by = "substage";
  size_t most_names = 20;  // 0: all
};
/// For a terminal: labels of one dimension, then the names that change most.
std::string to_table(const trees::RunDifference& difference, const DifferenceTable& shown,
                     TableOptions options);

}  // namespace kr::overview

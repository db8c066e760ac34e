// What the tables of `kr why` are made from.
#pragma once

#include <string>
#include <vector>

#include "classify/why.hpp"
#include "sema/program.hpp"

namespace kr::tables {

/// `kr why` of one name.
struct Explanation {
  std::string name;
  std::string model;       // engine/model
  std::string choice_why;  // empty: the user named it
  std::vector<classify::WhyDimension> dimensions;
  /// Clauses of costs for an op of this name, in the order tried.
  std::vector<sema::CostId> costs;
};

}  // namespace kr::tables

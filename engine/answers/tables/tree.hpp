// What the tables of module trees are made from.
#pragma once

#include <string>
#include <vector>

#include "cost/module_costs.hpp"
#include "trees/view.hpp"

namespace kr::tables {

/// `kr tree` of one run.
struct Tree {
  std::string run;
  std::string engine;
  std::string model;
  const trees::TreeView* view = nullptr;
  std::vector<std::string> unknown_folds = {};  // as notes
  cost::TreeGpu gpu = {};                       // whose peaks are roofs of costs
};

}  // namespace kr::tables

// What the tables of module trees are made from.
#pragma once

#include <string>
#include <vector>

#include "trees/view.hpp"

namespace kr::ncu {
struct GpuPeaks;
}

namespace kr::tables {

/// `kr tree` of one run.
struct Tree {
  std::string run;
  std::string engine;
  std::string model;
  const trees::TreeView* view = nullptr;
  std::vector<std::string> unknown_folds = {};  // as notes
  const ncu::GpuPeaks* gpu = nullptr;           // whose peaks are roofs of costs
};

}  // namespace kr::tables

// Names that only some of several runs have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/summary.hpp"

namespace kr::analyze {

/// A name that some runs have and others do not.
struct NameOnlyIn {
  size_t run = 0;  // a run that has it
  std::string name;
  int64_t instances = 0;
  int64_t total_ns = 0;
};
/// Of two or more runs, by run and descending total. Empty for a single run.
std::vector<NameOnlyIn> names_only_in(const std::vector<const RunSummary*>& runs);

}  // namespace kr::analyze

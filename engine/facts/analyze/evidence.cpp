#include "analyze/evidence.hpp"

#include "analyze/run.hpp"

namespace kr::analyze {

facts::Computed<Evidence> Evidence::compute(const facts::Input& run) {
  return Evidence{classify::sum(run.trace.trace, run.trace.attribution(run.rules))};
}

}  // namespace kr::analyze

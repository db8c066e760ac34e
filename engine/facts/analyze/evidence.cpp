#include "analyze/evidence.hpp"

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"

namespace kr::analyze {

facts::Computed<Evidence> Evidence::compute(const facts::Input& run) {
  return Evidence{classify::sum(run.trace.trace, run.trace.attribution(run.rules))};
}

void Evidence::saved(facts::Fields& io, const RunSummary& run) {
  int64_t left = run.operations, left_ns = run.gpu_total_ns;
  io.rows("parts", sums.parts.size(), [&](facts::Fields& row, size_t i) {
    row.check(i < sums.parts.size());
    row.amount("operations", sums.parts[i].operations);
    row.amount("total_ns", sums.parts[i].total_ns);
    row.take_from(left, sums.parts[i].operations);
    row.take_from(left_ns, sums.parts[i].total_ns);
  });
  io.check(left == 0 && left_ns == 0);
}

}  // namespace kr::analyze

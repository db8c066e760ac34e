#include "analyze/compare_runs.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace kr::analyze {
namespace {

void add_labels(const RunSummary& run, int64_t trees::Difference::*side,
                std::vector<trees::Difference>& out) {
  for (const DimensionSum& dimension : run.dimensions) {
    for (const LabelSum& sum : dimension.labels) {
      auto at = out.begin();
      auto last = out.end();  // one past the last of the dimension
      for (; at != out.end(); ++at) {
        if (at->dimension != dimension.dimension) continue;
        last = at + 1;
        if (at->name == sum.label) break;
      }
      if (at == out.end()) at = out.insert(last, {dimension.dimension, sum.label, 0, 0});
      (*at).*side += sum.elapsed_ns;
    }
  }
}

}  // namespace

trees::RunDifference compare_runs(const RunSummary& a, const RunSummary& b) {
  trees::RunDifference difference;
  difference.a_ns = a.gpu_elapsed_ns;
  difference.b_ns = b.gpu_elapsed_ns;
  if ((a.operations == 0) != (b.operations == 0)) {
    difference.comparable = false;
    difference.why = fmt::format("no GPU work in {}", (a.operations == 0 ? a : b).source);
  }
  add_labels(a, &trees::Difference::a_ns, difference.labels);
  add_labels(b, &trees::Difference::b_ns, difference.labels);
  // A name with two kinds of operation is two names.
  std::map<std::pair<std::string, OperationKind>, trees::Difference> names;
  const auto add_names = [&](const RunSummary& run, int64_t trees::Difference::*side) {
    for (const NameSum& sum : run.names) {
      trees::Difference& name = names[{sum.name, sum.kind}];
      name.name = sum.name;
      name.*side += sum.elapsed_ns;
    }
  };
  add_names(a, &trees::Difference::a_ns);
  add_names(b, &trees::Difference::b_ns);
  for (auto& [key, name] : names) difference.names.push_back(std::move(name));
  trees::finish(difference);
  return difference;
}

}  // namespace kr::analyze

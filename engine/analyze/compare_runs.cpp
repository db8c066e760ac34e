#include "analyze/compare_runs.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace kr::analyze {
namespace {

void add_labels(const RunSummary& run, int64_t trees::LabelDifference::*side,
                std::vector<trees::LabelDifference>& out) {
  for (const DimensionSum& dimension : run.dimensions) {
    for (const LabelSum& sum : dimension.labels) {
      auto at = out.begin();
      auto last = out.end();  // one past the last of the dimension
      for (; at != out.end(); ++at) {
        if (at->dimension != dimension.dimension) continue;
        last = at + 1;
        if (at->label == sum.label) break;
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
  add_labels(a, &trees::LabelDifference::a_ns, difference.labels);
  add_labels(b, &trees::LabelDifference::b_ns, difference.labels);
  // A name with two kinds of operation is two names.
  std::map<std::pair<std::string, OperationKind>, trees::NameDifference> names;
  const auto add_names = [&](const RunSummary& run, int64_t trees::NameDifference::*side) {
    for (const NameSum& sum : run.names) {
      trees::NameDifference& name = names[{sum.name, sum.kind}];
      name.name = sum.name;
      name.*side += sum.elapsed_ns;
    }
  };
  add_names(a, &trees::NameDifference::a_ns);
  add_names(b, &trees::NameDifference::b_ns);
  for (auto& [key, name] : names) difference.names.push_back(std::move(name));
  trees::finish(difference);
  return difference;
}

}  // namespace kr::analyze

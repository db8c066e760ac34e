#include "analyze/compare_runs.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace kr {
namespace {

void add_labels(const RunSummary& run, int64_t LabelDifference::*side,
                std::vector<LabelDifference>& out) {
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

RunDifference compare_runs(const RunSummary& a, const RunSummary& b) {
  RunDifference difference;
  difference.a_ns = a.gpu_elapsed_ns;
  difference.b_ns = b.gpu_elapsed_ns;
  if ((a.operations == 0) != (b.operations == 0)) {
    difference.comparable = false;
    difference.why = fmt::format("no GPU work in {}", (a.operations == 0 ? a : b).source);
  }
  add_labels(a, &LabelDifference::a_ns, difference.labels);
  add_labels(b, &LabelDifference::b_ns, difference.labels);
  // A name met as two kinds of operation is two, told apart by the kind.
  std::map<std::pair<std::string, OperationKind>, NameDifference> names;
  const auto add_names = [&](const RunSummary& run, int64_t NameDifference::*side) {
    for (const NameSum& sum : run.names) {
      NameDifference& name = names[{sum.name, sum.kind}];
      name.name = sum.name;
      name.*side += sum.elapsed_ns;
    }
  };
  add_names(a, &NameDifference::a_ns);
  add_names(b, &NameDifference::b_ns);
  for (auto& [key, name] : names) difference.names.push_back(std::move(name));
  finish(difference);
  return difference;
}

}  // namespace kr

#include "analyze/kernels.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/moments.hpp"
#include "analyze/run.hpp"
#include "base/check.hpp"

namespace kr::analyze {

facts::Computed<Kernels> Kernels::compute(const facts::Input& input) {
  const LabelledTrace& run = input.trace;
  const trace::Trace& trace = run.trace;
  const classify::DimensionLabels* kinds = run.labelled.find(input.rules.program().kind());
  KR_CHECK(kinds != nullptr);
  // By name, the label of kind, and device.
  std::map<std::tuple<uint32_t, std::string_view, int32_t>, Moments> moments;
  int64_t total = 0;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const std::string_view kind = kinds->by_row[run.labelled.row(i, operation)].label;
    moments[{operation.name.index, kind, trace.track(operation.track).device}].add(
        operation.duration_ns);
    total += operation.duration_ns;
  }
  Kernels out;
  out.all.reserve(moments.size());
  for (const auto& [key, one] : moments) {
    const auto& [name, kind, device] = key;
    out.all.push_back({std::string(trace.names.get({name}).text), std::string(kind), device,
                       one.count, one.sum, one.min, one.max, one.mean(), one.deviation(),
                       total > 0 ? static_cast<double>(one.sum) / static_cast<double>(total) : 0});
  }
  std::sort(out.all.begin(), out.all.end(),
            [](const KernelStatistics& a, const KernelStatistics& b) {
              return std::tie(b.total_ns, a.name, a.device, a.kind) <
                     std::tie(a.total_ns, b.name, b.device, b.kind);
            });
  return out;
}

}  // namespace kr::analyze

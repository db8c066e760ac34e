#include "analyze/kernels.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/moments.hpp"
#include "analyze/run.hpp"
#include "base/check.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {

facts::Computed<Kernels> Kernels::compute(const facts::Input& input) {
  const LabelledTrace& run = input.trace;
  const trace::Trace& trace = run.trace;
  const classify::DimensionLabels* kinds = run.labelled.find(input.rules.program().kind());
  KR_CHECK(kinds != nullptr);
  const scopes::Scope devices = scopes::by_device(trace);
  int64_t total = 0;
  const auto rows = scopes::sum_by<Moments>(scopes::by_row(trace, run.labelled), devices,
                                            [&](Moments& moments, size_t i) {
                                              moments.add(trace.operations[i].duration_ns);
                                              total += trace.operations[i].duration_ns;
                                            });
  // By name, the label of kind, and device: a name may have several rows.
  std::map<std::tuple<uint32_t, std::string_view, int64_t>, Moments> moments;
  rows.each([&](uint32_t row, uint32_t device, const Moments& one) {
    moments[{run.labelled.names[row].index, kinds->by_row[row].label, devices.number(device)}].add(
        one);
  });
  Kernels out;
  out.all.reserve(moments.size());
  for (const auto& [key, one] : moments) {
    const auto& [name, kind, device] = key;
    out.all.push_back({std::string(trace.names.get({name}).text), std::string(kind),
                       static_cast<int32_t>(device), one.count, one.sum, one.min, one.max,
                       one.mean(), one.deviation(),
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

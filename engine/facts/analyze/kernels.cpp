#include "analyze/kernels.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/moments.hpp"
#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"
#include "base/check.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {
namespace {

double share_of(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

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
                       one.mean(), one.deviation(), share_of(one.sum, total)});
  }
  std::sort(out.all.begin(), out.all.end(),
            [](const KernelStatistics& a, const KernelStatistics& b) {
              return std::tie(b.total_ns, a.name, a.device, a.kind) <
                     std::tie(a.total_ns, b.name, b.device, b.kind);
            });
  return out;
}

void Kernels::saved(facts::Fields& io, const RunSummary& run) {
  int64_t left = run.operations, left_ns = run.gpu_total_ns;
  io.list("all", all, [&](facts::Fields& row, KernelStatistics& one) {
    row.text("name", one.name);
    row.text("kind", one.kind);
    row.number("device", one.device);
    row.amount("instances", one.instances);
    row.amount("total_ns", one.total_ns);
    row.amount("min_ns", one.min_ns);
    row.amount("max_ns", one.max_ns);
    row.real("mean_ns", one.mean_ns);
    row.real("stddev_ns", one.stddev_ns);
    row.take_from(left, one.instances);
    row.take_from(left_ns, one.total_ns);
    if (row.reads()) one.share = share_of(one.total_ns, run.gpu_total_ns);
  });
  io.check(left == 0 && left_ns == 0);
}

}  // namespace kr::analyze

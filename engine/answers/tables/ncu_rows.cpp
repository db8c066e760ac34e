#include "tables/ncu_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tables/source.hpp"

namespace kr::tables {

std::string not_measured_by_ncu(const Source& source) {
  return measured_by_ncu(source).empty() ? "there are no pages of ncu; name them with --ncu" : "";
}

Cell ncu_label(const Run& run, uint32_t kernel, std::string_view dimension) {
  const auto at = run.summary.dimension(dimension);
  if (!at || run.get<ncu::Joined>().labels[kernel][*at].empty()) return {};
  return std::string_view(run.get<ncu::Joined>().labels[kernel][*at]);
}

std::vector<const Run*> measured_by_ncu(const Source& source) {
  std::vector<const Run*> out;
  for (const Run& run : source.runs) {
    if (run.find<ncu::Joined>() != nullptr) out.push_back(&run);
  }
  return out;
}

std::vector<NcuLabel> ncu_labels(const Run& run, const std::vector<std::string>& dimensions) {
  std::vector<NcuLabel> out;
  for (size_t dimension = 0; dimension < dimensions.size(); ++dimension) {
    const auto at = run.summary.dimension(dimensions[dimension]);
    if (!at) continue;
    std::map<std::string_view, ncu::RoofTime> by_label;
    for (const ncu::RunKernel& one : run.get<ncu::Joined>().run) {
      const analyze::NameSum& name = run.summary.names[one.name];
      ncu::RoofTime& time = by_label[name.labels[*at].label];
      time.total_ns += name.total_ns;
      for (const ncu::TimeShare& share : one.time.shares) {
        time.add(run.get<ncu::Joined>().kernels[share.kernel], share.time_ns);
      }
    }
    for (auto& [label, time] : by_label) out.push_back({dimension, std::string(label), time});
  }
  std::stable_sort(out.begin(), out.end(), [](const NcuLabel& a, const NcuLabel& b) {
    return std::pair(a.dimension, b.time.total_ns) < std::pair(b.dimension, a.time.total_ns);
  });
  return out;
}

}  // namespace kr::tables

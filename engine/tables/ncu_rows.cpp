#include "tables/ncu_rows.hpp"

#include <algorithm>

namespace kr::tables {

std::string not_measured_by_ncu(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return run.ncu != nullptr; });
  return any ? "" : "there are no pages of ncu; name them with --ncu";
}

Cell ncu_label(const Run& run, uint32_t kernel, std::string_view dimension) {
  const auto at = run.summary.dimension(dimension);
  if (!at || run.ncu->labels[kernel][*at].empty()) return {};
  return std::string_view(run.ncu->labels[kernel][*at]);
}

Cell ncu_shown_label(const Run& run, uint32_t kernel) {
  return ncu_label(run, kernel, run.summary.dimension("substage") ? "substage" : "kind");
}

std::vector<Column> measure_columns() {
  return {
#define KR_NCU_MEASURE(id, unit, role, mean, doc) {#id, Unit::unit, Role::role, doc, true},
#include "ncu/measures.def"
#undef KR_NCU_MEASURE
  };
}

void add_measures(Cells& row, const ncu::Measures& measures) {
  for (size_t i = 0; i < ncu::measure_count; ++i) {
    row.push_back(table::cell(measures.get(static_cast<ncu::Measure>(i))));
  }
}

std::vector<Column> columns_of_lists(std::initializer_list<std::vector<Column>> lists) {
  std::vector<Column> out;
  for (const std::vector<Column>& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

std::vector<std::pair<std::string, ncu::RoofTime>> ncu_time_by_label(const Run& run,
                                                                     size_t dimension) {
  std::map<std::string, ncu::RoofTime> by_label;
  for (const ncu::RunKernel& one : run.ncu->run) {
    const analyze::NameSum& name = run.summary.names[one.name];
    ncu::RoofTime& time = by_label[name.labels[dimension].label];
    time.total_ns += name.total_ns;
    for (const ncu::TimeShare& share : one.shares) {
      time.add(run.ncu->kernels[share.kernel], share.time_ns);
    }
  }
  std::vector<std::pair<std::string, ncu::RoofTime>> out(by_label.begin(), by_label.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.second.total_ns > b.second.total_ns;
  });
  return out;
}

}  // namespace kr::tables

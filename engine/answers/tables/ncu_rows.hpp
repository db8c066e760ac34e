// What tables of measurements of ncu have in common.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ncu/joined.hpp"
#include "tables/columns.hpp"

namespace kr::tables {

/// Why there are no such tables; empty: there are.
std::string not_measured_by_ncu(const Source& source);

/// The label of a measured kernel in a dimension; nothing: the run does not have the dimension.
Cell ncu_label(const Run& run, uint32_t kernel, std::string_view dimension);
/// The dimension of the label that people see of a kernel.
inline std::string_view shown_dimension(const Run& run) {
  return run.summary.dimension("substage") ? "substage" : "kind";
}

inline std::string ncu_grid(const ncu::MeasuredKernel& kernel) {
  return ncu::shape_text(kernel.grid);
}
inline std::string ncu_block(const ncu::MeasuredKernel& kernel) {
  return ncu::shape_text(kernel.block);
}

/// Of a row that has a kernel.
template <class Row>
Columns<Row> ncu_kernel_keys() {
  return {
      run_column,
      {"name", Unit::name, Role::key, "The kernel, as ncu names it.", &ncu::MeasuredKernel::name},
      {"grid", Unit::text, Role::key, "Its grid: `X`x`Y`x`Z` blocks.", ncu_grid, optional},
      {"block", Unit::text, Role::key, "Its block: `X`x`Y`x`Z` threads.", ncu_block, optional}};
}

/// A mean of bytes is whole bytes.
template <ncu::Measure measure, Unit unit>
Cell measure_of(const ncu::Measures& of) {
  const std::optional<double> value = of.get(measure);
  return value && unit == Unit::bytes ? Cell(int64_t{std::llround(*value)}) : table::cell(value);
}

/// The columns of ncu/measures.def, of a row that has them.
template <class Row>
Columns<Row> measure_columns() {
  return {
#define KR_NCU_MEASURE(id, unit, role, mean, doc) \
  {#id, Unit::unit, Role::role, doc, measure_of<ncu::Measure::id, Unit::unit>, optional},
#include "ncu/measures.def"
#undef KR_NCU_MEASURE
  };
}

/// The runs that pages of ncu were joined to, in order.
std::vector<const Run*> measured_by_ncu(const Source& source);

struct NcuLabel {
  size_t dimension = 0;  // of those requested
  std::string label;
  ncu::RoofTime time;
};
/// Time of a run's kernels by label of those dimensions that it has: by dimension, then descending
/// time. `run` is measured.
std::vector<NcuLabel> ncu_labels(const Run& run, const std::vector<std::string>& dimensions);

}  // namespace kr::tables

// What tables of measurements of ncu have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ncu/joined.hpp"
#include "tables/definition.hpp"

namespace kr::tables {

/// Why there are no such tables; empty: there are.
std::string not_measured_by_ncu(const Source& source);

/// The label of a measured kernel in a dimension; nothing: the run does not have the dimension.
Cell ncu_label(const Run& run, uint32_t kernel, std::string_view dimension);
/// That of `substage`, else of `kind`: for people.
Cell ncu_shown_label(const Run& run, uint32_t kernel);

/// The columns of ncu/measures.def.
std::vector<Column> measure_columns();
void add_measures(Cells& row, const ncu::Measures& measures);

/// Columns of several lists, in order.
std::vector<Column> columns_of_lists(std::initializer_list<std::vector<Column>> lists);

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

/// Whole nanoseconds; nothing where `known` is false.
inline Cell ns_if(bool known, int64_t ns) {
  return known ? Cell(ns) : Cell();
}

}  // namespace kr::tables

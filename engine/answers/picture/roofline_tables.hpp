// The roofline of a run, from the rows of the tables `roofline` and `roofline_roofs`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "picture/label_styles.hpp"
#include "picture/roofline.hpp"
#include "table/table.hpp"

namespace kr::picture {

/// The rows that are drawn: those of one level, `kernel` if there are any, else `dimension`; and
/// those of `dimension` whose `source` is `shapes`. `roofline` has the columns run, level, key,
/// total_ns, flops_per_s and intensity; and, if they are there, precision, grid, block,
/// verdict (else bound), and the label: the column `dimension` or `DIMENSION_label`, else `label`.
/// Colours and titles of labels are those of `styles`.
///
/// `roofs` has run, device, kind (`compute` or `memory`), name, per_second and source. Null, or
/// without rows: roofs are the highest peaks of the points, in the columns peak_flops_per_s,
/// peak_bytes_per_s and peak_l2_bytes_per_s, since clocks differ from kernel to kernel.
///
/// Throws Error if the tables have several runs: a picture shows one.
Roofline roofline_of(const table::Table& roofline, const table::Table* roofs,
                     const std::vector<LabelStyle>& styles, std::string_view dimension);

/// The roofline of each run and level, in their order: points are all rows of both, in the order of
/// the table. They have no labels, titles or facts: a page has these, and lets its reader choose.
struct LevelRoofline {
  std::string run;
  std::string level;
  Roofline roofline;
};
std::vector<LevelRoofline> rooflines_by_level(const table::Table& roofline,
                                              const table::Table* roofs);

}  // namespace kr::picture

// The roofline of a run, from the rows of the tables `roofline` and `roofline_roofs`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "picture/label_styles.hpp"
#include "picture/roofline.hpp"
#include "table/table.hpp"

namespace kr::picture {

/// The rows that are drawn: those of one level, `kernel` if there are any. `roofline` has the
/// columns run, level, key, label, precision, total_ns, flops_per_s, intensity and bound; `roofs`
/// has run, device, kind (`compute` or `memory`), name, per_second and source. Others may be
/// there. Colours and titles of labels are those of `styles` in `dimension`, else in any.
/// Throws Error if the tables have several runs: a picture shows one.
Roofline roofline_of(const table::Table& roofline, const table::Table& roofs,
                     const std::vector<LabelStyle>& styles, std::string_view dimension);

}  // namespace kr::picture

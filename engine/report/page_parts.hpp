// What the page of a report is made of, held in the program: engine/report/page/* and ECharts.
#pragma once

#include <string_view>

namespace kr {

struct PageParts {
  std::string_view html;  // with `{{style}}` and the like where the other parts go
  std::string_view style;
  std::string_view script;
  std::string_view echarts;
  std::string_view script_hash;  // `sha256-…`, for the page's policy
  std::string_view echarts_hash;
};

extern const PageParts page_parts;

}  // namespace kr

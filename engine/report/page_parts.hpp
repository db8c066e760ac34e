// What pages are made of, held in the program: engine/report/page/* and ECharts.
#pragma once

#include <functional>
#include <string>
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

extern const PageParts report_page;
extern const PageParts tree_page;
extern const PageParts analysis_page;

/// The parts and the data in one file that needs nothing else: nothing is fetched or sent, and no
/// script runs but the page's own two. `append_data` appends JSON that may stand inside a script
/// element, some `data_size` bytes of it.
std::string assemble_page(const PageParts& parts, std::string_view title, size_t data_size,
                          const std::function<void(std::string&)>& append_data);

}  // namespace kr

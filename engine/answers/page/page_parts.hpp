// What pages are made of, compiled into the program: engine/answers/page/web/* and ECharts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kr::page {

struct Script {
  std::string_view text;
  std::string_view hash;  // `sha256-…`, for the page's policy
};

/// What all pages have.
struct PageShell {
  std::string_view html;  // with `{{style}}` and the like where the other parts go
  std::string_view style;
  Script script;
  Script echarts;
};
extern const PageShell page_shell;

/// What one page has of its own.
struct PageParts {
  std::string_view style;
  Script script;
};

extern const PageParts report_page;
extern const PageParts tree_page;
extern const PageParts diff_page;
extern const PageParts tables_page;

/// The parts and the data in one file that needs no other file: nothing is fetched or sent, and
/// only the page's own scripts run. `append_data` appends JSON that is valid inside a script
/// element, some `data_size` bytes of it.
std::string assemble_page(const PageParts& parts, std::string_view title, size_t data_size,
                          const std::function<void(std::string&)>& append_data);

}  // namespace kr::page

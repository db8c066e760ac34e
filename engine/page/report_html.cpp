// result.html: the page's parts and the data of the runs in one file.
#include "page/report_html.hpp"

#include <fmt/format.h>

#include "page/page_data.hpp"
#include "page/page_parts.hpp"

namespace kr::page {
namespace {

std::string title_of(const overview::Report& report) {
  if (!report.title.empty()) return report.title;
  if (report.runs.size() == 1) return "GPU time of " + report.runs[0]->id;
  return fmt::format("GPU time of {} runs", report.runs.size());
}

}  // namespace

std::string to_html(const overview::Report& report) {
  return assemble_page(report_page, title_of(report), estimated_page_data(report),
                       [&](std::string& out) { append_page_data(out, report); });
}

}  // namespace kr::page

// `kr report --format html`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "picture/label_styles.hpp"
#include "table/table.hpp"
#include "tables/source.hpp"

namespace kr::page {

/// How a page of a report begins.
struct ReportPage {
  std::string_view title;  // empty: made from the runs
  std::string_view by;     // the dimension shown first
};

/// A page that needs no other file: the tables of a report made from `source`, and labels by run.
/// Colours of labels are those of `styles`.
std::string report_html(const tables::Source& source, std::span<const table::Table> tables,
                        const std::vector<picture::LabelStyle>& styles, const ReportPage& page);

}  // namespace kr::page

// `kr analyze --format html`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "table/table.hpp"
#include "tables/source.hpp"

namespace kr::page {

/// A page that needs no other file: tables made from `source`, and charts of their labels.
std::string analysis_html(const tables::Source& source, std::span<const table::Table> tables,
                          std::string_view title);

}  // namespace kr::page

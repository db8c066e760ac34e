// Any tables as a page: a card per table, for verbs without a page of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "table/table.hpp"

namespace kr::page {

/// Longer tables are cut, and the page says so.
inline constexpr size_t most_page_rows = 50'000;

/// The tables as JSON and what their columns are, in one file that needs nothing else. Columns show
/// values in a unit that suits them, and explain themselves when pointed at.
std::string tables_html(std::span<const table::Table> tables, std::string_view title,
                        size_t most_rows = most_page_rows);

}  // namespace kr::page

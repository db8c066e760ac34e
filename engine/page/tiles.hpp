// The numbers at the top of pages.
#pragma once

#include <vector>

#include "page/page_data.hpp"
#include "tables/source.hpp"

namespace kr::page {

/// The sums of a single run; none for several, which are compared in tables.
std::vector<Tile> report_tiles(const tables::Source& source);
/// Sums over all devices of all runs.
std::vector<Tile> analysis_tiles(const tables::Source& source);

}  // namespace kr::page

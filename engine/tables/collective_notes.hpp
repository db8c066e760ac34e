// What is to be known of collectives and clocks beside their tables.
#pragma once

#include <vector>

#include "tables/source.hpp"

namespace kr::tables {

/// Collectives that are not compared, and clocks that do not fit them.
void add_collective_notes(const Source& source, std::vector<Note>& notes);

}  // namespace kr::tables

// What tables about collectives share, and what is to be known of collectives and clocks beside
// them.
#pragma once

#include <vector>

#include "tables/collective_keys.hpp"
#include "tables/source.hpp"

namespace kr::tables {

/// By place among the job's collectives.
std::vector<CollectiveKey> keys_of(const job::Job& job);

/// Collectives that are not compared, and clocks that do not fit them.
void add_collective_notes(const Source& source, std::vector<Note>& notes);

}  // namespace kr::tables

// What process groups and kinds of collectives are called in tables.
#pragma once

#include <string>
#include <vector>

#include "job/member.hpp"

namespace kr::tables {

struct CollectiveKey {
  std::string group;  // process groups of one name on different ranks have these in their names
  std::string kind;
};

/// By group. No two keys are the same.
std::vector<CollectiveKey> keys_of_groups(const std::vector<job::CollectiveGroup>& groups);

}  // namespace kr::tables

#include "tables/collective_keys.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace kr::tables {

std::vector<CollectiveKey> keys_of_groups(const std::vector<job::CollectiveGroup>& groups) {
  std::map<std::string_view, std::set<std::string_view>> ranks_of;
  for (const job::CollectiveGroup& one : groups) ranks_of[one.name].insert(one.ranks);
  std::vector<CollectiveKey> keys;
  keys.reserve(groups.size());
  std::map<std::pair<std::string, std::string>, size_t> had;
  for (const job::CollectiveGroup& of : groups) {
    CollectiveKey& key = keys.emplace_back();
    key.group = of.name;
    if (ranks_of[of.name].size() > 1 && !of.ranks.empty()) key.group += " " + of.ranks;
    key.kind = of.kernel.empty() ? job::to_string(of.kind) : of.kernel;
    const size_t same = ++had[{key.group, key.kind}];
    if (same > 1) key.group += fmt::format(" ({})", same);
  }
  return keys;
}

}  // namespace kr::tables

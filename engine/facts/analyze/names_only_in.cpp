#include "analyze/names_only_in.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace kr::analyze {

std::vector<NameOnlyIn> names_only_in(const std::vector<const RunSummary*>& runs) {
  std::vector<NameOnlyIn> out;
  if (runs.size() < 2) return out;
  std::unordered_map<std::string_view, size_t> had_by;  // by name: the number of runs
  for (const RunSummary* run : runs) {
    std::set<std::string_view> own;
    for (const NameSum& name : run->names) {
      if (own.insert(name.name).second) ++had_by[name.name];
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    std::map<std::string_view, NameOnlyIn> own;
    for (const NameSum& name : runs[i]->names) {
      if (had_by[name.name] == runs.size()) continue;
      NameOnlyIn& one = own.try_emplace(name.name, NameOnlyIn{i, name.name, 0, 0}).first->second;
      one.instances += name.instances;
      one.total_ns += name.total_ns;
    }
    const size_t first = out.size();
    for (auto& [name, one] : own) out.push_back(std::move(one));
    std::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
        [](const NameOnlyIn& a, const NameOnlyIn& b) { return a.total_ns > b.total_ns; });
  }
  return out;
}

}  // namespace kr::analyze

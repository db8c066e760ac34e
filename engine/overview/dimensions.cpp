#include "overview/dimensions.hpp"

#include <algorithm>
#include <set>

namespace kr::overview {

std::vector<std::string> further_dimensions(std::span<const analyze::RunSummary* const> runs) {
  std::set<std::string> names;
  for (const analyze::RunSummary* run : runs) {
    for (const analyze::DimensionSum& sum : run->dimensions) {
      if (sum.dimension != "stage" && sum.dimension != "substage") names.insert(sum.dimension);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> all_dimensions(std::span<const analyze::RunSummary* const> runs) {
  const auto present = [&](std::string_view name) {
    return std::any_of(runs.begin(), runs.end(), [&](const analyze::RunSummary* run) {
      return run->dimension(name).has_value();
    });
  };
  std::vector<std::string> names;
  for (const char* name : {"stage", "substage"}) {
    if (present(name)) names.emplace_back(name);
  }
  for (const std::string& name : further_dimensions(runs)) {
    if (name != "kind") names.push_back(name);
  }
  if (present("kind")) names.emplace_back("kind");
  return names;
}

std::string_view label_of(const analyze::NameSum& name, std::optional<size_t> dimension,
                          std::string_view absent) {
  const analyze::NameSum::LabelResult* found = name.label(dimension);
  return found != nullptr ? std::string_view(found->label) : absent;
}

}  // namespace kr::overview

#include "overview/dimensions.hpp"

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

std::string_view label_of(const analyze::NameSum& name, std::optional<size_t> dimension,
                          std::string_view absent) {
  const analyze::NameSum::LabelResult* found = name.label(dimension);
  return found != nullptr ? std::string_view(found->label) : absent;
}

}  // namespace kr::overview

// Sums of operations by dimension and label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/steps.hpp"

namespace kr::analyze {

/// Instances and time of a label.
using LabelTotal = std::pair<int64_t, int64_t>;

/// Sums of a part of a run, label by label.
class LabelSums {
 public:
  explicit LabelSums(const classify::Labelled& labelled) : sums_(labelled.dimensions.size()) {}

  /// Operations of one row of labels.
  void add(const classify::Labelled& labelled, uint32_t row, int64_t instances, int64_t total_ns) {
    instances_ += instances;
    total_ns_ += total_ns;
    for (size_t d = 0; d < sums_.size(); ++d) {
      auto& [of_label, ns_of_label] = sums_[d][labelled.dimensions[d].by_row[row].label];
      of_label += instances;
      ns_of_label += total_ns;
    }
  }
  int64_t instances() const noexcept { return instances_; }
  int64_t total_ns() const noexcept { return total_ns_; }
  LabelParts parts(const sema::Program& program, const classify::Labelled& labelled) const {
    LabelParts parts;
    for (size_t d = 0; d < sums_.size(); ++d) {
      auto& [dimension, labels] = parts.emplace_back();
      dimension = program.dimensions.get(labelled.dimensions[d].dimension).name;
      labels.reserve(sums_[d].size());
      for (const auto& [label, sums] : sums_[d]) {
        labels.push_back({std::string(label), sums.first, sums.second});
      }
      std::stable_sort(labels.begin(), labels.end(), [](const LabelPart& a, const LabelPart& b) {
        return a.total_ns > b.total_ns;
      });
    }
    return parts;
  }

 private:
  std::vector<std::map<std::string_view, LabelTotal>> sums_;  // by dimension
  int64_t instances_ = 0;
  int64_t total_ns_ = 0;
};

}  // namespace kr::analyze

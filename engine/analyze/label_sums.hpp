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

/// Sums of one phase or step, label by label.
class LabelSums {
 public:
  explicit LabelSums(const classify::Labelled& labelled) : sums_(labelled.dimensions.size()) {}

  /// `row`: the row of the operation's labels.
  void add(const classify::Labelled& labelled, uint32_t row, const trace::Operation& operation) {
    add(labelled, row, 1, operation.duration_ns);
  }
  /// Several operations of one row.
  void add(const classify::Labelled& labelled, uint32_t row, int64_t instances, int64_t total_ns) {
    instances_ += instances;
    total_ns_ += total_ns;
    for (size_t d = 0; d < sums_.size(); ++d) {
      auto& [of_label, ns_of_label] = sums_[d][labelled.dimensions[d].by_row[row].label];
      of_label += instances;
      ns_of_label += total_ns;
    }
  }
  void add(const LabelSums& other) {
    instances_ += other.instances_;
    total_ns_ += other.total_ns_;
    for (size_t d = 0; d < sums_.size(); ++d) {
      for (const auto& [label, sums] : other.sums_[d]) {
        auto& [instances, total] = sums_[d][label];
        instances += sums.first;
        total += sums.second;
      }
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
  std::vector<std::map<std::string_view, std::pair<int64_t, int64_t>>> sums_;  // by dimension
  int64_t instances_ = 0;
  int64_t total_ns_ = 0;
};

}  // namespace kr::analyze

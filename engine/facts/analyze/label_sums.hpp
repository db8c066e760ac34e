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

/// Where the labels of a row are summed, by dimension. Operations mostly belong to the phase or
/// step of the one before, so its sums need not be searched again.
class FoundSums {
 public:
  FoundSums(size_t rows, size_t dimensions)
      : dimensions_(dimensions), found_(rows), sums_(rows * dimensions) {}

  /// Of the phase or step `of`; `find(dimension)` finds a sum that stays where it is.
  template <class Find>
  LabelTotal* const* get(const void* of, uint32_t row, const Find& find) {
    if (of != of_) {
      of_ = of;
      ++visit_;
    }
    LabelTotal** const sums = sums_.data() + row * dimensions_;
    if (std::exchange(found_[row], visit_) == visit_) return sums;
    for (size_t d = 0; d < dimensions_; ++d) sums[d] = find(d);
    return sums;
  }

 private:
  size_t dimensions_;
  const void* of_ = nullptr;
  uint64_t visit_ = 0;
  std::vector<uint64_t> found_;    // by row: the last visit
  std::vector<LabelTotal*> sums_;  // by row and dimension
};

/// Sums of one phase or step, label by label.
class LabelSums {
 public:
  explicit LabelSums(const classify::Labelled& labelled) : sums_(labelled.dimensions.size()) {}

  /// `row`: the row of the operation's labels.
  void add(const classify::Labelled& labelled, uint32_t row, const trace::Operation& operation,
           FoundSums& found) {
    ++instances_;
    total_ns_ += operation.duration_ns;
    LabelTotal* const* const sums = found.get(
        this, row, [&](size_t d) { return &sums_[d][labelled.dimensions[d].by_row[row].label]; });
    for (size_t d = 0; d < sums_.size(); ++d) {
      ++sums[d]->first;
      sums[d]->second += operation.duration_ns;
    }
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
  std::vector<std::map<std::string_view, LabelTotal>> sums_;  // by dimension
  int64_t instances_ = 0;
  int64_t total_ns_ = 0;
};

}  // namespace kr::analyze

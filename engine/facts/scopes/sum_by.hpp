// Sums of operations by one scope, or by pairs of two. A sum is any type that begins empty, such as
// those of scopes/measures.hpp, analyze/sweep.hpp and analyze/moments.hpp; `add` adds an operation,
// given by its place, to it. Operations come in the order of the trace: by start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scopes/scope.hpp"

namespace kr::scopes {

/// Sums of pairs of keys, of which few of all that are possible occur.
template <class Sum>
class PairSums {
 public:
  /// The number of keys of each.
  PairSums(size_t firsts, size_t seconds)
      : seconds_(seconds),
        dense_(seconds == 0 || firsts <= max_dense / seconds ? firsts * seconds : 0, none) {}

  Sum& of(uint32_t first, uint32_t second) {
    uint32_t& number = dense_.empty() ? sparse_.try_emplace(pair(first, second), none).first->second
                                      : dense_[first * seconds_ + second];
    if (number == none) {
      number = static_cast<uint32_t>(sums_.size());
      sums_.push_back({pair(first, second), Sum()});
    }
    return sums_[number].second;
  }
  size_t size() const noexcept { return sums_.size(); }
  /// Calls `visit(first, second, sum)` by first, then second.
  template <class Visit>
  void each(const Visit& visit) const {
    std::vector<uint32_t> order(sums_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [this](uint32_t a, uint32_t b) { return sums_[a].first < sums_[b].first; });
    for (const uint32_t at : order) {
      const auto& [pair, sum] = sums_[at];
      visit(static_cast<uint32_t>(pair >> 32U), static_cast<uint32_t>(pair), sum);
    }
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr size_t max_dense = size_t{1} << 20U;

  static uint64_t pair(uint32_t first, uint32_t second) noexcept {
    return uint64_t{first} << 32U | second;
  }

  size_t seconds_;
  std::vector<uint32_t> dense_;  // places in `sums_`; empty: too many pairs are possible
  std::unordered_map<uint64_t, uint32_t> sparse_;
  std::vector<std::pair<uint64_t, Sum>> sums_;
};

/// By key. Calls `add(sum, operation)` once for each key of each operation.
template <class Sum, class Add>
std::vector<Sum> sum_by(const Scope& scope, const Add& add) {
  std::vector<Sum> sums(scope.size());
  for (size_t i = 0; i < scope.operations(); ++i) {
    for (const uint32_t key : scope.keys(i)) add(sums[key], i);
  }
  return sums;
}

/// By pairs of keys of two scopes of one trace.
template <class Sum, class Add>
PairSums<Sum> sum_by(const Scope& first, const Scope& second, const Add& add) {
  PairSums<Sum> sums(first.size(), second.size());
  if (first.size() == 0 || second.size() == 0) return sums;
  for (size_t i = 0; i < first.operations(); ++i) {
    const std::span<const uint32_t> others = second.keys(i);
    for (const uint32_t key : first.keys(i)) {
      for (const uint32_t other : others) add(sums.of(key, other), i);
    }
  }
  return sums;
}

}  // namespace kr::scopes

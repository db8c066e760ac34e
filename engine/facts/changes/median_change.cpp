#include "changes/median_change.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/check.hpp"

namespace kr::changes {
namespace {

double middle_of(const std::vector<int64_t>& sorted, size_t low, size_t high) {
  return (static_cast<double>(sorted[low]) + static_cast<double>(sorted[high])) / 2;
}

double median_of_sorted(const std::vector<int64_t>& sorted) {
  return middle_of(sorted, (sorted.size() - 1) / 2, sorted.size() / 2);
}

/// Of more values the draws are not made one by one.
constexpr size_t max_drawn = 1000;

/// The place of the median of a draw of many values: nearly normal, around the middle, with a
/// standard deviation of half the root of their number. A sum of twelve uniform numbers is nearly
/// normal, too.
uint32_t far_place(size_t values, std::mt19937_64& random) {
  double normal = -6;
  for (int i = 0; i < 12; ++i) normal += static_cast<double>(random() >> 11) * 0x1p-53;
  const auto count = static_cast<double>(values);
  const double place = std::round((count - 1) / 2 + normal * std::sqrt(count) / 2);
  return static_cast<uint32_t>(std::clamp(place, 0.0, count - 1));
}

}  // namespace

MedianDraws::MedianDraws(size_t values, uint64_t seed) : values_(values) {
  KR_CHECK(values > 0);
  // Its numbers are fixed by the standard; those of distributions are not.
  std::mt19937_64 random(seed);
  middles_.reserve(draws);
  if (values > max_drawn) {
    for (size_t i = 0; i < draws; ++i) {
      const uint32_t place = far_place(values, random);
      middles_.push_back({place, place});
    }
    return;
  }
  std::vector<uint32_t> drawn(values);
  for (size_t i = 0; i < draws; ++i) {
    for (uint32_t& place : drawn) place = static_cast<uint32_t>((random() >> 11) % values);
    const auto high = drawn.begin() + static_cast<std::ptrdiff_t>(values / 2);
    std::nth_element(drawn.begin(), high, drawn.end());
    const uint32_t low = values % 2 == 1 ? *high : *std::max_element(drawn.begin(), high);
    middles_.push_back({low, *high});
  }
}

double MedianDraws::median(const std::vector<int64_t>& sorted, size_t draw) const {
  return middle_of(sorted, middles_[draw].low, middles_[draw].high);
}

double median(std::vector<int64_t> values) {
  KR_CHECK(!values.empty());
  std::ranges::sort(values);
  return median_of_sorted(values);
}

std::optional<MedianChange> median_change(std::vector<int64_t> a, const MedianDraws& a_draws,
                                          std::vector<int64_t> b, const MedianDraws& b_draws) {
  KR_CHECK(a.size() == a_draws.values() && b.size() == b_draws.values());
  if (std::min(a.size(), b.size()) < min_values) return std::nullopt;
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<double> changes(MedianDraws::draws), percents(MedianDraws::draws);
  for (size_t i = 0; i < changes.size(); ++i) {
    const double before = a_draws.median(a, i);
    changes[i] = b_draws.median(b, i) - before;
    percents[i] = 100 * changes[i] / before;  // of 0: not finite
  }
  const bool relative = std::ranges::all_of(percents, [](double x) { return std::isfinite(x); });
  std::ranges::sort(changes);
  if (relative) std::ranges::sort(percents);
  constexpr size_t tail = MedianDraws::draws / 40;  // 2.5 %
  MedianChange change;
  change.a_ns = median_of_sorted(a);
  change.change_ns = median_of_sorted(b) - change.a_ns;
  change.low_ns = changes[tail];
  change.high_ns = changes[changes.size() - 1 - tail];
  if (relative) change.percent = {percents[tail], percents[percents.size() - 1 - tail]};
  return change;
}

}  // namespace kr::changes

// Whether a change is larger than the noise: an interval for the change of the median.
//
// Method: the bootstrap, with the interval of percentiles (B. Efron, R. J. Tibshirani, An
// Introduction to the Bootstrap, 1993, chapter 13). Each side's values are drawn again, with
// replacement, as many as there are; the medians of the two draws are subtracted; of 4,000 such
// differences, the middle 95 % are the interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kr::changes {

/// With three values a side, the interval is from the least to the largest difference: two equal
/// runs are called different on one side in one of 20 cases. With fewer there is none.
inline constexpr size_t min_values = 3;
/// Of the draws of the two sides.
inline constexpr uint64_t a_seed = 1, b_seed = 2;

/// The places, in sorted values, of the medians of draws. They depend on the number of values and
/// on the seed alone, so all labels of a run share them.
class MedianDraws {
 public:
  static constexpr size_t draws = 4000;

  MedianDraws(size_t values, uint64_t seed);

  size_t values() const noexcept { return values_; }
  /// The median of a draw, of sorted values: the mean of the middle two where they are even.
  double median(const std::vector<int64_t>& sorted, size_t draw) const;

 private:
  struct Middle {
    uint32_t low;
    uint32_t high;
  };
  size_t values_;
  std::vector<Middle> middles_;
};

struct MedianChange {
  double a_ns = 0;       // the median of the first run
  double change_ns = 0;  // of the medians
  double low_ns = 0;     // of the interval of 95 % for the change
  double high_ns = 0;
  /// Of the interval for the change in percent, each draw against the first run's median in it.
  /// Nothing if that is 0 in a draw.
  std::optional<std::pair<double, double>> percent;

  bool within_noise() const noexcept { return low_ns <= 0 && high_ns >= 0; }
};

double median(std::vector<int64_t> values);

/// The values in any order, as many as their draws are of. Nothing if there are too few.
std::optional<MedianChange> median_change(std::vector<int64_t> a, const MedianDraws& a_draws,
                                          std::vector<int64_t> b, const MedianDraws& b_draws);

}  // namespace kr::changes

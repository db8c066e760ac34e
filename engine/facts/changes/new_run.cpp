#include "changes/new_run.hpp"

#include <algorithm>
#include <cmath>

namespace kr::changes {
namespace {

struct Interval {
  double low = 0;
  double high = 0;
};

/// Of a further value, as new_run.hpp says.
Interval predicted(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double reach =
      student_t975(values.size() - 1) * std::sqrt(squares / (count - 1) * (1 + 1 / count));
  return {mean - reach, mean + reach};
}

Interval predicted_run(const std::vector<int64_t>& earlier) {
  std::vector<double> values(earlier.begin(), earlier.end());
  const auto [least, most] = std::ranges::minmax(values);
  if (least <= 0 || least == most) return predicted(values);
  for (double& value : values) value = std::log(value);
  const Interval logarithms = predicted(values);
  return {std::exp(logarithms.low), std::exp(logarithms.high)};
}

}  // namespace

// M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 1964, 26.7.5. For 4 degrees it
// is 0.03 % too small, for more it is closer.
double student_t975(size_t degrees) {
  constexpr double z = 1.959963984540054;  // of the normal distribution
  constexpr double z2 = z * z;
  const auto n = static_cast<double>(degrees);
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / n) / n) / n) / n;
}

std::optional<MedianChange> new_run_change(const std::vector<int64_t>& earlier, int64_t value) {
  if (earlier.size() < min_earlier_runs) return std::nullopt;
  const Interval equal = predicted_run(earlier);
  const auto seen = static_cast<double>(value);
  MedianChange change;
  change.a_ns = median(earlier);
  change.change_ns = seen - change.a_ns;
  change.low_ns = seen - equal.high;
  change.high_ns = seen - equal.low;
  if (equal.low > 0) {
    change.percent = {100 * (seen / equal.high - 1), 100 * (seen / equal.low - 1)};
  }
  return change;
}

}  // namespace kr::changes

#include "picture/log_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/numbers.hpp"

namespace kr::picture {
namespace {

/// The exponent of the power of ten that is at most the value.
int decade_of(double value) {
  auto exponent = static_cast<int>(std::floor(std::log10(value)));
  // A logarithm may miss an exact power by the last digit.
  if (std::pow(10, exponent + 1) <= value) ++exponent;
  if (std::pow(10, exponent) > value) --exponent;
  return exponent;
}

double round_bound(double value, bool up) {
  const double power = std::pow(10, decade_of(value));
  const double steps[] = {1, 2, 5, 10};
  if (up) {
    for (const double step : steps) {
      if (step * power >= value * (1 - 1e-9)) return step * power;
    }
  }
  for (size_t i = 4; i-- > 0;) {
    if (steps[i] * power <= value * (1 + 1e-9)) return steps[i] * power;
  }
  return power;
}

}  // namespace

double LogScale::place(double value) const {
  return std::log(value / low) / std::log(high / low) * length;
}

LogScale log_scale(const std::vector<double>& values, double length) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  constexpr double space = 1.4;
  LogScale scale{round_bound(*least / space, false), round_bound(*most * space, true), length};
  while (scale.high < scale.low * 9.999) {
    scale.low = round_bound(scale.low * 0.49, false);
    scale.high = round_bound(scale.high * 2.01, true);
  }
  return scale;
}

std::vector<LogTick> log_ticks(const LogScale& scale, double room) {
  const double decade = scale.length / std::log10(scale.high / scale.low);
  constexpr double min_between = 44;  // for lines of 2 to 9
  const bool minor = decade >= min_between;
  // The narrowest distance of 1, 2, 5, 10 is from 1 to 2 and from 5 to 10.
  const bool label_minor = decade * std::log10(2.0) >= room;
  int stride = 1;  // of labelled decades
  while (decade * stride < room) ++stride;
  std::vector<LogTick> ticks;
  const int last = decade_of(scale.high);
  for (int exponent = decade_of(scale.low); exponent <= last; ++exponent) {
    const double power = std::pow(10, exponent);
    for (int step = 1; step <= 9; ++step) {
      if (step > 1 && !minor) break;
      const double value = step * power;
      if (value < scale.low * (1 - 1e-9) || value > scale.high * (1 + 1e-9)) continue;
      const bool first = step == 1;
      const bool labelled =
          first ? exponent % stride == 0 : label_minor && (step == 2 || step == 5);
      ticks.push_back({value, labelled, first});
    }
  }
  return ticks;
}

std::string log_tick_text(double value) {
  if (value >= 1) return text::grouped(value, 0);
  return fmt::format("{:.{}f}", value, -decade_of(value));
}

}  // namespace kr::picture

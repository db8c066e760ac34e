// Logarithmic axes: where the lines are, and what they are called.
#pragma once

#include <string>
#include <vector>

namespace kr::picture {

/// From `low` to `high`, both more than 0, over `length` units of the picture.
struct LogScale {
  double low = 1;
  double high = 10;
  double length = 1;

  /// The distance of a value from `low`, which is negative below it.
  double place(double value) const;
  bool contains(double value) const { return value >= low && value <= high; }
};

/// Bounds of an axis that shows all of `values` with some space around them: 1, 2 or 5 times a
/// power of ten. At least a decade apart. `values` are more than 0 and not empty.
LogScale log_scale(const std::vector<double>& values, double length);

struct LogTick {
  double value = 0;
  bool labelled = false;
  bool decade = false;  // a power of ten
};

/// Powers of ten, and 2 to 9 times these if the decades are wide enough for lines between. Labels
/// are at least `room` apart: of powers of ten, then of 2 and 5 times these.
std::vector<LogTick> log_ticks(const LogScale& scale, double room);

/// 0.001, 0.5, 20, 1,000: for axes without a unit that has prefixes.
std::string log_tick_text(double value);

}  // namespace kr::picture

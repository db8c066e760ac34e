// Times and shares as text, by integer arithmetic: what is shown never depends on the rounding of
// a floating-point number, so that table, page and CSV agree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::table {

/// ns as seconds with nine decimals: `0.000123456`. Exact.
std::string seconds(int64_t ns);
/// For people: `1.234 ms`, the unit by size, four significant digits, rounded half away from zero.
std::string human_time(int64_t ns);

/// A unit of time for a whole column, and the decimals shown.
struct TimeUnit {
  const char* name;  // `ms`
  int64_t ns;        // of one
};

/// The unit of a column whose largest time is `ns`: the largest in which that has two digits.
TimeUnit unit_for(int64_t ns);

/// `ns` in the unit, with three decimals (none in ns), rounded half away from zero: `12.346`.
std::string in_unit(int64_t ns, TimeUnit unit);

/// `part` of `whole` in percent with `decimals` digits after the point, rounded half up: `12.3`.
/// Empty where `whole` is 0.
std::string percent(int64_t part, int64_t whole, int decimals);

/// `1,234,567`.
std::string grouped(int64_t number);
/// `1,234.50`.
std::string grouped(double number, int decimals);
/// `1 name`, `1,234 names`.
std::string counted(int64_t number, std::string_view noun);

}  // namespace kr::table

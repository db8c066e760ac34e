// Times and shares as text, by integer arithmetic: what is shown never depends on the rounding of
// a floating-point number, so that table, page and CSV agree.
//
// For people, numbers have three significant digits: 1.23, 12.3, 0.0123. Whole digits are never
// rounded away (12,346), and what is not 0 never looks like 0: it has as many decimals as it needs
// (0.0000120). `web/numbers.js` has the same rule for pages; files have exact values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kr::text {

/// ns as seconds with nine decimals: `0.000123456`. Exact.
std::string seconds(int64_t ns);
/// For people: `1.23 ms`, three significant digits, the unit by size, rounded half away from zero.
std::string human_time(int64_t ns);

/// A unit of time for a whole column.
struct TimeUnit {
  const char* name;  // `ms`
  int64_t ns;        // of one
};

inline constexpr TimeUnit milliseconds{"ms", 1'000'000};

/// Chooses the unit of a column by the median of its times that are not 0.
class ColumnUnit {
 public:
  void add(int64_t ns) noexcept;
  void add(const ColumnUnit& other) noexcept;
  /// In which the median has one to three whole digits. ms if there are no times.
  TimeUnit unit() const noexcept;
  /// That of the table, unless the median would be below 0.1 in it, or 10,000 or more.
  TimeUnit unit_beside(TimeUnit of_table) const noexcept;

 private:
  /// The number of digits of the median in ns, less 1; nullopt: there are no times.
  std::optional<int> magnitude() const noexcept;

  std::array<uint64_t, 19> times_{};  // by their digits in ns, less 1
};

/// `ns` in the unit, for people, rounded half away from zero: `12.3`, `1,235`, `0.0000120`.
std::string in_unit(int64_t ns, TimeUnit unit);
/// A number for people in the same way.
std::string short_number(double number);

/// The same with a prefix of 1000 and its powers, for rates: `989 TFLOP/s`, `12.5 FLOP/s`. `unit`
/// may be empty: `989 T`.
std::string in_si(double number, std::string_view unit);

/// `part` of `whole` in percent with `decimals` digits after the point, rounded half up: `12.3`.
/// Empty where `whole` is 0.
std::string percent(int64_t part, int64_t whole, int decimals);

/// The same for people: one decimal, and more if it would look like 0 or all without being that:
/// `12.3`, `0.04`, `99.98`, `0.00002`.
std::string share(int64_t part, int64_t whole);
/// A number of percent in the same way.
std::string short_percent(double percent);

/// `1,234,567`.
std::string grouped(int64_t number);
/// `1,234.50`, for an axis.
std::string grouped(double number, int decimals);
/// `1 name`, `1,234 names`.
std::string counted(int64_t number, std::string_view noun);

}  // namespace kr::text

#include "table/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kr::table {
namespace {

using Wide = unsigned __int128;

constexpr TimeUnit units[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"µs", 1'000}, {"ns", 1}};

uint64_t magnitude(int64_t number) {
  return number < 0 ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

const char* sign(int64_t number) {
  return number < 0 ? "-" : "";
}

std::string signed_text(int64_t number, std::string_view size) {
  return fmt::format("{}{}", sign(number), size);
}

uint64_t power_of_ten(int exponent) {
  uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// number / one as a decimal with `decimals` digits, rounded half up.
std::string decimal(Wide number, Wide one, int decimals) {
  const uint64_t scale = power_of_ten(decimals);
  const Wide scaled = (number * scale * 2 + one) / (one * 2);
  const auto whole = static_cast<uint64_t>(scaled / scale);
  if (decimals == 0) return fmt::format("{}", whole);
  return fmt::format("{}.{:0{}}", whole, static_cast<uint64_t>(scaled % scale), decimals);
}

}  // namespace

std::string seconds(int64_t ns) {
  const uint64_t size = magnitude(ns);
  return fmt::format("{}{}.{:09}", sign(ns), size / 1'000'000'000, size % 1'000'000'000);
}

std::string human_time(int64_t ns) {
  const uint64_t size = magnitude(ns);
  if (size < 1000) return fmt::format("{} ns", ns);
  // From the smallest unit up, the first in which four digits suffice: 999.96 µs is 1.000 ms.
  for (const int i : {2, 1, 0}) {
    const auto one = static_cast<uint64_t>(units[i].ns);
    for (int decimals = 3; decimals >= 1; --decimals) {
      const std::string text = decimal(size, one, decimals);
      if (text.size() <= 5) return fmt::format("{}{} {}", sign(ns), text, units[i].name);
    }
  }
  return fmt::format("{}{} s", sign(ns), decimal(size, 1'000'000'000, 0));
}

TimeUnit unit_for(int64_t ns) {
  for (const TimeUnit& unit : units) {
    if (magnitude(ns) / 10 >= static_cast<uint64_t>(unit.ns)) return unit;
  }
  return units[3];
}

std::string in_unit(int64_t ns, TimeUnit unit) {
  return signed_text(ns,
                     decimal(magnitude(ns), static_cast<uint64_t>(unit.ns), unit.ns == 1 ? 0 : 3));
}

std::string percent(int64_t part, int64_t whole, int decimals) {
  if (whole == 0) return {};
  return signed_text(part, decimal(Wide{magnitude(part)} * 100, magnitude(whole), decimals));
}

std::string grouped(int64_t number) {
  std::string digits = fmt::format("{}", magnitude(number));
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return signed_text(number, digits);
}

std::string grouped(double number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  const size_t first = text.starts_with('-') ? 1 : 0;
  for (size_t at = std::min(text.find('.'), text.size()); at > first + 3; at -= 3) {
    text.insert(at - 3, ",");
  }
  return text;
}

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace kr::table

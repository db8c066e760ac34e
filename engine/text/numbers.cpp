#include "text/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kr::text {
namespace {

using Wide = unsigned __int128;

constexpr TimeUnit units[] = {{"s", 1'000'000'000}, milliseconds, {"µs", 1'000}, {"ns", 1}};

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

/// Of the whole part, by thousands.
std::string with_commas(std::string text) {
  for (size_t at = std::min(text.find('.'), text.size()); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

size_t significant_digits(std::string_view text) {
  const size_t first = text.find_first_of("123456789");
  if (first == std::string_view::npos) return 0;
  return text.size() - first - (text.find('.', first) == std::string_view::npos ? 0 : 1);
}

constexpr int most_decimals = 15;

/// The size of a number that is not 0, of which `with(decimals)` is the text with so many decimals.
template <class With>
std::string three_digits(const With& with, int max_decimals) {
  for (int decimals = 1; decimals <= max_decimals; ++decimals) {
    std::string text = with(decimals);
    const size_t digits = significant_digits(text);
    if (digits > 3) break;
    if (digits < 3 && decimals < max_decimals) continue;
    // 0.0996 rounds to 0.100, too.
    std::string next = decimals < max_decimals ? with(decimals + 1) : std::string();
    return significant_digits(next) == 3 ? next : text;
  }
  return with_commas(with(0));
}

/// The same of a percentage, which may be 0; `below_all`: it is less than 100.
template <class With>
std::string percentage(const With& with, bool is_zero, bool below_all) {
  bool looks_zero = false;
  for (int decimals = 1; decimals <= most_decimals; ++decimals) {
    std::string text = with(decimals);
    looks_zero = !is_zero && significant_digits(text) == 0;
    const bool looks_all = below_all && text.starts_with("100.");
    if (!looks_zero && !looks_all) return with_commas(std::move(text));
  }
  return looks_zero ? "<0.001" : ">99.999";
}

/// A size with so many decimals, rounded half up as pages do.
std::string rounded(double size, int decimals) {
  const auto one = static_cast<double>(power_of_ten(decimals));
  size = size < 1e15 ? std::round(size * one) / one : std::round(size);
  return fmt::format("{:.{}f}", size, decimals);
}

int decimals_of(TimeUnit unit) {
  int decimals = 0;
  for (int64_t ns = unit.ns; ns > 1; ns /= 10) ++decimals;
  return decimals;
}

}  // namespace

std::string seconds(int64_t ns) {
  const uint64_t size = magnitude(ns);
  return fmt::format("{}{}.{:09}", sign(ns), size / 1'000'000'000, size % 1'000'000'000);
}

std::string human_time(int64_t ns) {
  // From the smallest unit up, the first in which three digits suffice: 999.96 µs is 1.00 ms.
  for (const int i : {3, 2, 1}) {
    std::string text = in_unit(ns, units[i]);
    if (text.find(',') == std::string::npos) return text + ' ' + units[i].name;
  }
  return in_unit(ns, units[0]) + " s";
}

void ColumnUnit::add(int64_t ns) noexcept {
  if (ns == 0) return;
  size_t digits = 0;
  for (uint64_t size = text::magnitude(ns); size >= 10; size /= 10) ++digits;
  ++times_[digits];
}

void ColumnUnit::add(const ColumnUnit& other) noexcept {
  for (size_t i = 0; i < times_.size(); ++i) times_[i] += other.times_[i];
}

std::optional<int> ColumnUnit::magnitude() const noexcept {
  const uint64_t all = std::accumulate(times_.begin(), times_.end(), uint64_t{0});
  if (all == 0) return std::nullopt;
  int digits = 0;
  uint64_t below = times_[0];
  while (below <= all / 2) below += times_[static_cast<size_t>(++digits)];
  return digits;
}

TimeUnit ColumnUnit::unit() const noexcept {
  const auto digits = magnitude();
  if (!digits) return milliseconds;
  return units[3 - std::min(*digits / 3, 3)];
}

TimeUnit ColumnUnit::unit_beside(TimeUnit of_table) const noexcept {
  const auto digits = magnitude();
  if (!digits) return of_table;
  const int in_table = *digits - decimals_of(of_table);
  return in_table < -1 || in_table > 3 ? unit() : of_table;
}

std::string in_unit(int64_t ns, TimeUnit unit) {
  if (ns == 0) return "0";
  const auto with = [&](int decimals) {
    return decimal(magnitude(ns), static_cast<uint64_t>(unit.ns), decimals);
  };
  return signed_text(ns, three_digits(with, decimals_of(unit)));
}

std::string short_number(double number) {
  if (number == 0) return "0";
  const auto with = [&](int decimals) { return rounded(std::fabs(number), decimals); };
  const double size = std::fabs(number);
  if (size < 1e-15) return fmt::format("{:.3g}", number);
  return (number < 0 ? "-" : "") + three_digits(with, most_decimals);
}

std::string in_si(double number, std::string_view unit) {
  constexpr std::string_view prefixes = "kMGTPE";
  std::string text = short_number(number);
  double size = number;
  size_t prefix = 0;  // 0: none
  // The first in which three digits suffice: 999.96 G is 1.00 T.
  while (text.find(',') != std::string::npos && prefix < prefixes.size()) {
    ++prefix;
    size /= 1000;
    text = short_number(size);
  }
  if (prefix > 0) return fmt::format("{} {}{}", text, prefixes[prefix - 1], unit);
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

std::string percent(int64_t part, int64_t whole, int decimals) {
  if (whole == 0) return {};
  return signed_text(part, decimal(Wide{magnitude(part)} * 100, magnitude(whole), decimals));
}

std::string share(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  const Wide size = Wide{magnitude(part)} * 100;
  const auto with = [&](int decimals) { return decimal(size, magnitude(whole), decimals); };
  return signed_text(part, percentage(with, part == 0, magnitude(part) < magnitude(whole)));
}

std::string short_percent(double percent) {
  const double size = std::fabs(percent);
  const auto with = [&](int decimals) { return rounded(size, decimals); };
  return (percent < 0 ? "-" : "") + percentage(with, percent == 0, size < 100);
}

std::string grouped(int64_t number) {
  return signed_text(number, with_commas(fmt::format("{}", magnitude(number))));
}

std::string grouped(double number, int decimals) {
  return (number < 0 ? "-" : "") + with_commas(fmt::format("{:.{}f}", std::fabs(number), decimals));
}

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace kr::text

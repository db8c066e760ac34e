#include "trace/readers/ncu_units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.hpp"
#include "base/integer.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

struct UnitWord {
  std::string_view word;
  std::string_view base;
  int exponent;
  bool takes_prefix;  // K, M, G, T, P: powers of 1000
};

/// Every unit with another spelling, or with other units of its kind. `hz` is what a count of
/// cycles per second is called.
constexpr UnitWord unit_words[] = {
    {"ns", "ns", 0, false},        {"nsecond", "ns", 0, false},   {"nsec", "ns", 0, false},
    {"us", "ns", 3, false},        {"usecond", "ns", 3, false},   {"usec", "ns", 3, false},
    {"\xc2\xb5s", "ns", 3, false}, {"ms", "ns", 6, false},        {"msecond", "ns", 6, false},
    {"msec", "ns", 6, false},      {"s", "ns", 9, false},         {"second", "ns", 9, false},
    {"sec", "ns", 9, false},       {"byte", "byte", 0, true},     {"B", "byte", 0, true},
    {"hz", "hz", 0, true},         {"Hz", "hz", 0, true},         {"inst", "inst", 0, true},
    {"cycle", "cycle", 0, true},   {"sector", "sector", 0, true}, {"request", "request", 0, true},
    {"warp", "warp", 0, true},     {"thread", "thread", 0, true}, {"block", "block", 0, true},
    {"%", "%", 0, false},
};

constexpr int second = 9;  // 10^9 ns

const UnitWord* unit_word(std::string_view word) {
  const auto* const found = std::find_if(std::begin(unit_words), std::end(unit_words),
                                         [&](const UnitWord& one) { return one.word == word; });
  return found == std::end(unit_words) ? nullptr : found;
}

int prefix_exponent(char c) {
  constexpr std::array<std::pair<char, int>, 6> prefixes{
      {{'K', 3}, {'k', 3}, {'M', 6}, {'G', 9}, {'T', 12}, {'P', 15}}};
  for (const auto& [prefix, exponent] : prefixes) {
    if (prefix == c) return exponent;
  }
  return 0;
}

NcuUnit simple_unit(std::string_view word) {
  if (const UnitWord* const known = unit_word(word)) {
    return {std::string(known->base), known->exponent};
  }
  const int prefix = word.empty() ? 0 : prefix_exponent(word.front());
  const UnitWord* const known = prefix != 0 ? unit_word(word.substr(1)) : nullptr;
  if (known != nullptr && known->takes_prefix) {
    return {std::string(known->base), known->exponent + prefix};
  }
  return {std::string(word), 0};
}

bool is_missing(std::string_view text) {
  constexpr std::array words{""sv, "n/a"sv, "N/A"sv, "nan"sv, "-nan"sv, "NaN"sv, "inf"sv, "-inf"sv};
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// `1,234,567`: groups of three behind one to three digits, which do not begin with 0.
bool has_thousands(std::string_view whole) {
  const size_t first = whole.find(',');
  if (first == 0 || first > 3 || whole.front() == '0') return false;
  whole.remove_prefix(first);
  while (!whole.empty()) {
    const std::string_view digits = whole.substr(1, 3);
    if (whole.front() != ',' || digits.size() != 3) return false;
    if (!std::all_of(digits.begin(), digits.end(), is_digit)) return false;
    whole.remove_prefix(4);
  }
  return true;
}

/// Without commas. Nothing: no number, or one with a comma as decimal sign.
std::optional<std::string> plain_number(std::string_view text, size_t& decimals) {
  const size_t point = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, point);
  const std::string_view rest = text.substr(point);
  if (rest.find_first_of(",.", 1) != rest.npos) return std::nullopt;
  std::string out;
  if (whole.starts_with('-') || whole.starts_with('+')) {
    if (whole.front() == '-') out += '-';
    whole.remove_prefix(1);
  }
  if (whole.find(',') != whole.npos && !has_thousands(whole)) return std::nullopt;
  std::remove_copy(whole.begin(), whole.end(), std::back_inserter(out), ',');
  out += rest;
  decimals = rest.empty() ? 0 : rest.size() - 1;
  return out;
}

}  // namespace

NcuUnit ncu_unit(std::string_view unit) {
  unit = trimmed(unit);
  const size_t slash = unit.find('/');
  if (slash == unit.npos || slash == 0) return simple_unit(unit);
  NcuUnit over = simple_unit(unit.substr(0, slash));
  const NcuUnit under = simple_unit(unit.substr(slash + 1));
  if (under.base != "ns") return {over.base + "/" + under.base, over.exponent - under.exponent};
  // Of a rate the base is the second.
  const int exponent = over.exponent + second - under.exponent;
  return {over.base == "cycle" ? "hz" : over.base + "/s", exponent};
}

std::optional<int> ncu_time_unit(std::string_view unit) {
  const NcuUnit known = ncu_unit(unit);
  if (known.base.empty()) return 0;
  return known.base == "ns" ? std::optional(known.exponent) : std::nullopt;
}

NcuNumber read_ncu_number(std::string_view text, int exponent) {
  text = trimmed(text);
  if (is_missing(text)) return {};
  text = text.substr(0, text.find(" ("));
  const size_t first = text.find_first_not_of("+-");
  const bool numeric = text.find_first_not_of("0123456789,.+-") == text.npos && first <= 1 &&
                       (is_digit(text[first]) || text[first] == '.') &&
                       text.find_first_of("+-", first) == text.npos;
  if (!numeric) return {.is = NcuNumberIs::text};
  size_t decimals = 0;
  auto digits = plain_number(text, decimals);
  if (!digits) return {.is = NcuNumberIs::decimal_comma};
  *digits += 'e' + std::to_string(exponent);
  NcuNumber out{.is = NcuNumberIs::number};
  const char* const all = digits->data() + digits->size();
  const auto [end, error] = std::from_chars(digits->data(), all, out.value);
  if (error != std::errc{} || end != all) return {.is = NcuNumberIs::text};
  // Whole numbers of the base unit are exact.
  if (decimals == 0 && exponent <= 0) return out;
  const double last_digit = std::pow(10.0, exponent - static_cast<int>(decimals));
  out.rounding = static_cast<float>(last_digit / 2);
  return out;
}

LaunchShape read_launch_shape(std::string_view text) {
  LaunchShape out{};
  text = trimmed(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return out;
  text = text.substr(1, text.size() - 2);
  for (uint32_t& size : out) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto number = integer_from<uint32_t>(trimmed(text.substr(0, comma)));
    if (!number) return {};
    size = *number;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return text.empty() ? out : LaunchShape{};
}

}  // namespace kr::trace

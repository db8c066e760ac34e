#include "trace/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/integer.hpp"

namespace kr::trace {
namespace {

[[noreturn]] void no_steps(std::string_view text) {
  throw Error("", fmt::format("`{}` is not a range of steps", text),
              "write --steps 5..20, 5.., ..20 or 7");
}

int64_t step_number(std::string_view number, std::string_view text) {
  const auto value = integer_from(number);
  if (!value || *value < 0) no_steps(text);
  return *value;
}

int64_t time_in(std::string_view text, std::string_view option) {
  struct Unit {
    std::string_view name;
    int exponent;
  };
  // `s` ends the others, too.
  constexpr std::array<Unit, 4> units{Unit{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    std::string_view number = text.substr(0, text.size() - unit.name.size());
    while (number.ends_with(' ')) number.remove_suffix(1);
    int64_t ns = 0;
    if (number.empty() || read_decimal(number, unit.exponent, ns) != DecimalFault::none) break;
    return ns;
  }
  throw Error("", fmt::format("`{}` is not a time for {}", text, option),
              "write a number and a unit, ns, us, ms or s: 1.2s");
}

}  // namespace

void Window::set_steps(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == text.npos) {
    const int64_t only = step_number(text, text);
    steps = {only, only};
    return;
  }
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (first.empty() && last.empty()) no_steps(text);
  const std::pair<int64_t, int64_t> range{
      first.empty() ? 0 : step_number(first, text),
      last.empty() ? std::numeric_limits<int64_t>::max() : step_number(last, text)};
  if (range.first > range.second) {
    throw Error("", fmt::format("`{}` contains no step: its end is before its begin", text),
                "write the first step first, as in --steps 5..20");
  }
  steps = range;
}

void Window::set_from(std::string_view text) {
  from_ns = time_in(text, "--from");
  check_times();
}

void Window::set_to(std::string_view text) {
  to_ns = time_in(text, "--to");
  check_times();
}

std::vector<std::string> Window::options() const {
  std::vector<std::string> words;
  const auto add = [&](const char* name, std::string value) {
    words.insert(words.end(), {name, std::move(value)});
  };
  if (steps) {
    const bool open = steps->second == std::numeric_limits<int64_t>::max();
    add("--steps", fmt::format("{}..{}", steps->first, open ? "" : std::to_string(steps->second)));
  }
  if (!phase.empty()) add("--phase", phase);
  if (from_ns) add("--from", fmt::format("{}ns", *from_ns));
  if (to_ns) add("--to", fmt::format("{}ns", *to_ns));
  if (!range.empty()) add("--range", range);
  if (skip_warmup) words.emplace_back("--skip-warmup");
  if (steady) words.emplace_back("--steady");
  return words;
}

Window Window::parse(std::string_view text) {
  struct Part {
    std::string_view name;
    void (Window::*set)(std::string_view);
  };
  constexpr std::array<Part, 5> parts{Part{"steps ", &Window::set_steps},
                                      {"phase ", &Window::set_phase},
                                      {"from ", &Window::set_from},
                                      {"to ", &Window::set_to},
                                      {"range ", &Window::set_range}};
  Window window;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const auto known = std::find_if(parts.begin(), parts.end(), [&](const Part& one) {
      return part.starts_with(one.name) && part.size() > one.name.size();
    });
    if (known != parts.end()) {
      (window.*known->set)(part.substr(known->name.size()));
    } else if (part == "skip-warmup") {
      window.skip_warmup = true;
    } else if (part == "steady") {
      window.steady = true;
    } else {
      throw Error("", fmt::format("`{}` is not a part of a window", part),
                  "write steps 5..20, phase decode, from 1.2s, to 1.4s, range TEXT, skip-warmup or "
                  "steady, with `;` between them");
    }
  }
  return window;
}

void Window::check_times() const {
  if (from_ns.value_or(0) < to_ns.value_or(std::numeric_limits<int64_t>::max())) return;
  throw Error("", "the window is empty: --from is not before --to",
              "both count from the start of the run, its first operation");
}

}  // namespace kr::trace

#include "base/natural_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kr::test::natural_order_test {
namespace {

/// Slow and obvious: each number in twenty digits, so that texts can be compared as such.
std::pair<std::string, std::string> padded(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    out += std::string(20 - (end - at), '0') + text.substr(at, end - at);
    at = end;
  }
  return {out, text};
}

}  // namespace

TEST_CASE("names are in the order of their numbers") {
  std::vector<std::string> names{"run10.krun", "run9.krun", "run1.krun", "run",
                                 "run09.krun", "2026-01-9", "2026-01-10"};
  std::sort(names.begin(), names.end(), natural_less);
  CHECK(names == std::vector<std::string>{"2026-01-9", "2026-01-10", "run", "run1.krun",
                                          "run09.krun", "run9.krun", "run10.krun"});
  CHECK_FALSE(natural_less("a", "a"));
  // Longer than any integer.
  CHECK(natural_less("a99999999999999999999", "a100000000000000000000"));
}

TEST_CASE("natural order is that of texts whose numbers have equally many digits") {
  std::mt19937_64 random(3);
  constexpr std::string_view letters = "01a9-\xc3";
  const auto text = [&] {
    std::string out;
    for (uint64_t i = random() % 7; i > 0; --i) out += letters[random() % letters.size()];
    return out;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = text(), b = text();
    CAPTURE(a);
    CAPTURE(b);
    CHECK(natural_less(a, b) == (padded(a) < padded(b)));
  }
}

}  // namespace kr::test::natural_order_test

#include "trace/window.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "base/error.hpp"

namespace kr::test::window_test {
namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();

using Steps = std::pair<int64_t, int64_t>;

Steps steps(std::string_view text) {
  trace::Window window;
  window.set_steps(text);
  return *window.steps;
}

std::string error_of(void (trace::Window::*set)(std::string_view), std::string_view text,
                     trace::Window window = {}) {
  try {
    (window.*set)(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("steps of a window are inclusive, and an end may be open") {
  CHECK(steps("5..20") == Steps{5, 20});
  CHECK(steps("5..") == Steps{5, most});
  CHECK(steps("..20") == Steps{0, 20});
  CHECK(steps("7") == Steps{7, 7});
  CHECK(steps("7..7") == Steps{7, 7});
  const std::string usual = "; write --steps 5..20, 5.., ..20 or 7";
  for (const std::string text : {"", "..", "x", "5-20", "1..2..3", "-1", "5..-3", " 5", "5 ..6"}) {
    CHECK(error_of(&trace::Window::set_steps, text) ==
          "`" + text + "` is not a range of steps" + usual);
  }
  CHECK(error_of(&trace::Window::set_steps, "9..8") ==
        "`9..8` contains no step: its end is before its begin; write the first step first, as in "
        "--steps 5..20");
}

TEST_CASE("times of a window are exact, and need a unit") {
  trace::Window window;
  const auto from = [&](std::string_view text) {
    window.set_from(text);
    return *window.from_ns;
  };
  CHECK(from("1.2s") == 1'200'000'000);
  CHECK(from("1.2 s") == 1'200'000'000);
  CHECK(from("350ms") == 350'000'000);
  CHECK(from("0.001us") == 1);
  CHECK(from("17ns") == 17);
  CHECK(from("0s") == 0);
  for (const std::string text : {"", "1", "s", "1m", "x ms", "-1s", "1,5s", "99999999999s"}) {
    CHECK(error_of(&trace::Window::set_to, text) ==
          "`" + text +
              "` is not a time for --to; write a number and a unit, ns, us, ms or s: 1.2s");
  }
}

TEST_CASE("a window of times has its begin before its end") {
  trace::Window window;
  window.from_ns = 5;
  const std::string empty =
      "the window is empty: --from is not before --to; both count from the start of the run, its "
      "first operation";
  CHECK(error_of(&trace::Window::set_to, "6ns", window).empty());
  CHECK(error_of(&trace::Window::set_to, "5ns", window) == empty);
  CHECK(error_of(&trace::Window::set_to, "0ns") == empty);
  window = {};
  window.to_ns = 5;
  CHECK(error_of(&trace::Window::set_from, "5ns", window) == empty);
}

TEST_CASE("a window as one text") {
  const trace::Window window = trace::Window::parse(
      "steps 5..20; phase decode;from 1ms ; to 2ms;range a, b; skip-warmup;steady;");
  CHECK(*window.steps == Steps{5, 20});
  CHECK(window.phase == "decode");
  CHECK(*window.from_ns == 1'000'000);
  CHECK(*window.to_ns == 2'000'000);
  CHECK(window.range == "a, b");
  CHECK(window.skip_warmup);
  CHECK(window.steady);
  CHECK(trace::Window::parse("").empty());
  for (const std::string text : {"step 5", "phase", "warm", "steps 5 phase decode", ";steady"}) {
    CHECK_THROWS_AS(trace::Window::parse(text), Error);
  }
}

TEST_CASE("times need nothing of the host, all else does") {
  trace::Window window;
  CHECK(window.empty());
  window.set_from("1s");
  CHECK_FALSE(window.empty());
  CHECK_FALSE(window.needs_host());
  window.steady = true;
  CHECK(window.needs_host());
}

}  // namespace kr::test::window_test

TEST_CASE("windows: the options that make one") {
  const auto words = [](std::string_view text) {
    std::string all;
    for (const std::string& word : kr::trace::Window::parse(text).options()) all += word + " ";
    return all;
  };
  CHECK(words("steps 5..20; phase decode; skip-warmup") ==
        "--steps 5..20 --phase decode --skip-warmup ");
  CHECK(words("steps 5..; from 1.5s; to 2s; range a b; steady") ==
        "--steps 5.. --from 1500000000ns --to 2000000000ns --range a b --steady ");
  CHECK(words("").empty());
}

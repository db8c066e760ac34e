#include "job/efficiency.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace {

using kr::job::DevicePart;
using kr::job::Shifts;

DevicePart part(size_t run, int64_t first, int64_t last) {
  return {.run = run,
          .device = 0,
          .first_ns = first,
          .last_ns = last,
          .useful_ns = {last - first, 0},
          .active_ns = last - first};
}

}  // namespace

TEST_CASE("elapsed time is that of one clock, where there is one") {
  const std::vector<DevicePart> parts{part(0, 0, 100), part(1, 10, 90)};
  const auto elapsed = [&](Shifts shifts) {
    shifts = kr::job::agreeing_shifts(std::move(shifts), parts);
    return kr::job::elapsed_of(parts, shifts);
  };
  CHECK(elapsed({1000, 1030}).ns == 120);
  CHECK(elapsed({1000, 1030}).one_clock);
  // Of one of them it is not known.
  CHECK(elapsed({1000, std::nullopt}).ns == 100);
  CHECK_FALSE(elapsed({1000, std::nullopt}).one_clock);
  // They never ran at the same time: these are not ranks on one clock.
  CHECK(elapsed({0, 5000}).ns == 100);
  CHECK_FALSE(elapsed({0, 5000}).one_clock);
  // No time overflows.
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(elapsed({most, most}).ns == 100);
  CHECK_FALSE(elapsed({most, -most}).one_clock);
}

TEST_CASE("devices of one run need no clock") {
  std::vector<DevicePart> parts{part(0, 0, 100), part(0, 30, 170)};
  parts[1].device = 1;
  CHECK(kr::job::elapsed_of(parts, {std::nullopt}).ns == 170);
  CHECK(kr::job::elapsed_of(parts, {std::nullopt}).one_clock);
}

TEST_CASE("a job without useful work has no load balance, and nothing has no efficiency") {
  const std::vector<std::vector<DevicePart>> one{{part(0, 0, 100)}};
  const Shifts shifts{0};
  const kr::job::Efficiency idle = kr::job::efficiency_of(one, shifts);
  CHECK(idle.parallel(kr::job::Nccl::communication)->value() == 0);
  CHECK_FALSE(idle.load_balance(kr::job::Nccl::communication).has_value());
  CHECK(idle.parallel(kr::job::Nccl::useful)->value() == 1);
  const kr::job::Efficiency nothing = kr::job::efficiency_of({}, shifts);
  CHECK(nothing.devices == 0);
  CHECK_FALSE(nothing.parallel(kr::job::Nccl::useful).has_value());
}

TEST_CASE("devices that work for centuries are an error") {
  constexpr int64_t half = std::numeric_limits<int64_t>::max() / 2;
  const std::vector<std::vector<DevicePart>> parts{
      {part(0, 0, half)}, {part(0, 0, half)}, {part(0, 0, half)}};
  CHECK_THROWS(kr::job::efficiency_of(parts, Shifts{0}));
}

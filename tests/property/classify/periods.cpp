// Inserted repetitions are found at any place.
#include "classify/periods.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "support/rounds.hpp"

namespace {

using Names = std::vector<uint32_t>;

/// Names that occur nowhere else.
void add_strangers(Names& names, size_t count, uint32_t& next) {
  for (; count > 0; --count) names.push_back(next++);
}

/// A period that does not itself repeat: some names twice, as layers have, the first only once.
Names random_period(std::mt19937& random, size_t size, uint32_t& next) {
  Names period;
  add_strangers(period, 1, next);
  const uint32_t first = next;
  next += static_cast<uint32_t>(size);
  while (period.size() < size) period.push_back(first + static_cast<uint32_t>(random() % size));
  return period;
}

void add_repeats(Names& names, const Names& period, size_t repeats) {
  for (; repeats > 0; --repeats) names.insert(names.end(), period.begin(), period.end());
}

}  // namespace

TEST_CASE("inserted layers are found, before, between and after other kernels") {
  std::mt19937 random(4);
  // A stretch counts without its last repeat: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(3000, 1); ++round) {
    CAPTURE(round);
    uint32_t next = 0;
    Names names;
    std::vector<kr::classify::Repetition> planted;
    for (size_t runs = 1 + random() % 3; runs > 0; --runs) {
      add_strangers(names, 1 + random() % 20, next);
      const size_t size = 12 + random() % 30, repeats = 3 + random() % 20;
      planted.push_back({names.size(), size, repeats, 0});
      add_repeats(names, random_period(random, size, next), repeats);
    }
    add_strangers(names, random() % 20, next);
    CHECK(kr::classify::find_repetitions(names) == planted);
  }
}

TEST_CASE("layers inside steps are found inside one step") {
  std::mt19937 random(5);
  // Layers in a step have the level of the step: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(300, 1); ++round) {
    CAPTURE(round);
    uint32_t next = 0;
    const size_t size = 12 + random() % 10, repeats = 8 + random() % 8, head = 1 + random() % 9;
    Names step;
    add_strangers(step, head, next);
    add_repeats(step, random_period(random, size, next), repeats);
    add_strangers(step, 1 + random() % 9, next);
    // More steps than layers in a step, so that all of them together cover most.
    Names names;
    add_repeats(names, step, 4);
    const std::vector<kr::classify::Repetition> expected{{0, step.size(), 4, 0},
                                                         {head, size, repeats, 1}};
    CHECK(kr::classify::find_repetitions(names) == expected);
  }
}

TEST_CASE("too few or too short repeats are not found") {
  uint32_t next = 0;
  Names names;
  add_strangers(names, 500, next);
  CHECK(kr::classify::find_repetitions(names).empty());
  std::mt19937 random(6);
  const Names period = random_period(random, 40, next);
  add_repeats(names, period, 2);
  CHECK(kr::classify::find_repetitions(names).empty());
  names.insert(names.end(), 100, next);
  // One kernel over and over is a loop of a single operation: its shortest period that counts.
  const auto found = kr::classify::find_repetitions(names);
  REQUIRE(found.size() == 1);
  CHECK(found[0].period == kr::classify::min_period);
  CHECK(kr::classify::find_repetitions({}).empty());
}

// The names of tables made of real names: whatever the width, distinct names look different.
#include "text/names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/demangle.hpp"
#include "base/utf8.hpp"
#include "support/kernel_names.hpp"
#include "support/rounds.hpp"
#include "text/text_grid.hpp"

namespace {

using Texts = std::vector<std::string>;

size_t distinct(const Texts& texts) {
  return std::set<std::string>(texts.begin(), texts.end()).size();
}

void check_table(const std::vector<std::string>& names) {
  const Texts texts =
      kr::text::short_names(std::vector<std::string_view>(names.begin(), names.end()));
  REQUIRE(texts.size() == names.size());
  CHECK(distinct(texts) == names.size());
  for (const size_t width : {8UL, 12UL, 20UL, 24UL, 40UL, 61UL, 80UL, 120UL, 200UL}) {
    CAPTURE(width);
    const Texts cut = kr::text::cut_names(texts, width);
    REQUIRE(cut.size() == names.size());
    CHECK(distinct(cut) == names.size());
    const auto parts = kr::text::name_parts(texts, width);
    for (size_t i = 0; i < cut.size(); ++i) {
      CHECK(kr::is_utf8(cut[i]));
      CHECK(kr::text::columns_of(cut[i]) <= width);
      if (kr::text::columns_of(texts[i]) <= width) {
        CHECK(cut[i] == texts[i]);
        CHECK(parts[i].empty());
      }
      CHECK(std::is_sorted(parts[i].begin(), parts[i].end()));
      CHECK((parts[i].empty() || (parts[i].front() > 0 && parts[i].back() < texts[i].size())));
    }
  }
}

}  // namespace

TEST_CASE("distinct names of a table look different at any width") {
  const std::vector<std::string> all = kr::test::kernel_names();
  REQUIRE(all.size() > 1000);
  check_table(all);
  std::mt19937 random(1);
  // A number that is taken is given again: found in round 10.
  for (uint64_t round = 0; round < kr::test::rounds(200, 10); ++round) {
    CAPTURE(round);
    // Neighbours in the order of names are similar.
    const size_t size = 1 + random() % 40;
    const size_t begin = random() % all.size();
    const size_t step = 1 + random() % 3;
    std::vector<std::string> names;
    for (size_t i = begin; i < all.size() && names.size() < size; i += step) {
      names.push_back(all[i]);
    }
    check_table(names);
  }
}

TEST_CASE("names that differ in a few characters look different at any width") {
  const std::vector<std::string> all = kr::test::kernel_names();
  std::mt19937 random(2);
  // A number that is taken is given again: found in round 8.
  for (uint64_t round = 0; round < kr::test::rounds(200, 8); ++round) {
    CAPTURE(round);
    std::set<std::string> names;
    const std::string& one = all[random() % all.size()];
    while (names.size() < 20) {
      std::string name = one;
      for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
        constexpr std::string_view others = "09aZ_<>(), :é\xff";
        name.insert(random() % (name.size() + 1), 1, others[random() % others.size()]);
      }
      names.insert(name);
    }
    check_table({names.begin(), names.end()});
  }
}

TEST_CASE("a short form has only characters of the name, in their order") {
  for (const std::string& name : kr::test::kernel_names()) {
    const std::string text = kr::text::short_name(name);
    const std::string whole = kr::demangled(name).value_or(name);
    CHECK(!text.empty());
    CHECK(text.size() <= whole.size());
    size_t at = 0;
    for (const char c : text) {
      at = whole.find(c, at);
      REQUIRE(at != std::string::npos);
      ++at;
    }
    // Words do not begin or end with what was around something left out.
    CHECK(text.find(",,") == std::string::npos);
    CHECK(text.find("<,") == std::string::npos);
    CHECK(text.find("::::") == std::string::npos);
  }
}

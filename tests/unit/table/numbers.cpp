#include "table/numbers.hpp"

#include <doctest/doctest.h>

TEST_CASE("seconds are exact") {
  CHECK(kr::table::seconds(0) == "0.000000000");
  CHECK(kr::table::seconds(123'456) == "0.000123456");
  CHECK(kr::table::seconds(12'000'000'001) == "12.000000001");
  CHECK(kr::table::seconds(-1) == "-0.000000001");
  CHECK(kr::table::seconds(INT64_MAX) == "9223372036.854775807");
  CHECK(kr::table::seconds(INT64_MIN) == "-9223372036.854775808");
}

TEST_CASE("times for people have four digits and the unit that fits") {
  CHECK(kr::table::human_time(0) == "0 ns");
  CHECK(kr::table::human_time(999) == "999 ns");
  CHECK(kr::table::human_time(1000) == "1.000 µs");
  CHECK(kr::table::human_time(1234) == "1.234 µs");
  CHECK(kr::table::human_time(12'345) == "12.35 µs");  // half away from zero
  CHECK(kr::table::human_time(12'344) == "12.34 µs");
  CHECK(kr::table::human_time(999'949) == "999.9 µs");
  CHECK(kr::table::human_time(999'950) == "1.000 ms");  // never 1000.0 µs
  CHECK(kr::table::human_time(1'234'567'890) == "1.235 s");
  CHECK(kr::table::human_time(987'654'321'000) == "987.7 s");
  CHECK(kr::table::human_time(1'234'567'000'000) == "1235 s");
  CHECK(kr::table::human_time(-1'500'000) == "-1.500 ms");
  CHECK(kr::table::human_time(INT64_MAX) == "9223372037 s");
}

TEST_CASE("columns have one unit") {
  CHECK(std::string(kr::table::unit_for(0).name) == "ns");
  CHECK(std::string(kr::table::unit_for(9'999'999).name) == "µs");
  CHECK(std::string(kr::table::unit_for(10'000'000).name) == "ms");
  CHECK(kr::table::in_unit(1'234'567, kr::table::unit_for(10'000'000)) == "1.235");
  CHECK(kr::table::in_unit(499, kr::table::unit_for(10'000'000)) == "0.000");
  CHECK(kr::table::in_unit(500, kr::table::unit_for(10'000'000)) == "0.001");
  CHECK(kr::table::in_unit(-1500, kr::table::unit_for(10'000)) == "-1.500");
  CHECK(kr::table::in_unit(7, kr::table::unit_for(7)) == "7");
}

TEST_CASE("shares are rounded exactly") {
  CHECK(kr::table::percent(1, 3, 1) == "33.3");
  CHECK(kr::table::percent(2, 3, 2) == "66.67");
  CHECK(kr::table::percent(1, 2000, 1) == "0.1");  // 0.05 up
  CHECK(kr::table::percent(INT64_MAX, INT64_MAX, 2) == "100.00");
  CHECK(kr::table::percent(INT64_MAX - 1, INT64_MAX, 2) == "100.00");
  CHECK(kr::table::percent(5, 0, 1).empty());
}

TEST_CASE("digits are grouped") {
  CHECK(kr::table::grouped(0) == "0");
  CHECK(kr::table::grouped(999) == "999");
  CHECK(kr::table::grouped(1000) == "1,000");
  CHECK(kr::table::grouped(-1234567) == "-1,234,567");
  CHECK(kr::table::grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
}

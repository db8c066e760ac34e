#include "text/numbers.hpp"

#include <doctest/doctest.h>

#include "text/text_grid.hpp"

TEST_CASE("seconds are exact") {
  CHECK(kr::text::seconds(0) == "0.000000000");
  CHECK(kr::text::seconds(123'456) == "0.000123456");
  CHECK(kr::text::seconds(12'000'000'001) == "12.000000001");
  CHECK(kr::text::seconds(-1) == "-0.000000001");
  CHECK(kr::text::seconds(INT64_MAX) == "9223372036.854775807");
  CHECK(kr::text::seconds(INT64_MIN) == "-9223372036.854775808");
}

TEST_CASE("times for people have three digits and the unit that fits") {
  CHECK(kr::text::human_time(0) == "0 ns");
  CHECK(kr::text::human_time(999) == "999 ns");
  CHECK(kr::text::human_time(1000) == "1.00 µs");
  CHECK(kr::text::human_time(1235) == "1.24 µs");  // half away from zero
  CHECK(kr::text::human_time(12'344) == "12.3 µs");
  CHECK(kr::text::human_time(999'499) == "999 µs");
  CHECK(kr::text::human_time(999'500) == "1.00 ms");  // never 1,000 µs
  CHECK(kr::text::human_time(1'234'567'890) == "1.23 s");
  CHECK(kr::text::human_time(987'654'321'000) == "988 s");
  CHECK(kr::text::human_time(1'234'567'000'000) == "1,235 s");
  CHECK(kr::text::human_time(-1'500'000) == "-1.50 ms");
  CHECK(kr::text::human_time(INT64_MAX) == "9,223,372,037 s");
}

namespace {

/// Of a column with these times.
kr::text::TimeUnit unit_of(std::initializer_list<int64_t> times) {
  kr::text::ColumnUnit unit;
  for (const int64_t ns : times) unit.add(ns);
  return unit.unit();
}

}  // namespace

TEST_CASE("columns have one unit, in which their median has three digits") {
  CHECK(std::string(unit_of({}).name) == "ms");
  CHECK(std::string(unit_of({0, 0, 7}).name) == "ns");
  CHECK(std::string(unit_of({999'999}).name) == "µs");
  CHECK(std::string(unit_of({1'000'000}).name) == "ms");
  CHECK(std::string(unit_of({5, 2'000, -3'000'000}).name) == "µs");
  CHECK(std::string(unit_of({5, 3'000'000}).name) == "ms");  // the upper median
  CHECK(std::string(unit_of({5, 3'000'000, 4'000'000'000}).name) == "ms");
  CHECK(std::string(unit_of({INT64_MIN}).name) == "s");
  const kr::text::TimeUnit ms = unit_of({10'000'000});
  CHECK(kr::text::in_unit(1'234'567, ms) == "1.23");
  CHECK(kr::text::in_unit(-1500, unit_of({10'000})) == "-1.50");
  CHECK(kr::text::in_unit(7, unit_of({7})) == "7");
}

TEST_CASE("three digits: whole ones are never rounded away, and only 0 looks like 0") {
  const kr::text::TimeUnit us = unit_of({10'000}), ms = kr::text::milliseconds;
  CHECK(kr::text::in_unit(12'345'678'901, ms) == "12,346");
  CHECK(kr::text::in_unit(12'300, ms) == "0.0123");
  CHECK(kr::text::in_unit(1'230, ms) == "0.00123");
  CHECK(kr::text::in_unit(994, ms) == "0.000994");
  CHECK(kr::text::in_unit(-1, ms) == "-0.000001");
  CHECK(kr::text::in_unit(0, ms) == "0");
  CHECK(kr::text::in_unit(99'960'000, ms) == "100");
  CHECK(kr::text::in_unit(9'996'000, ms) == "10.0");
  CHECK(kr::text::in_unit(99'600, ms) == "0.0996");
  CHECK(kr::text::in_unit(7, us) == "0.007");  // no more digits than the value has
  CHECK(kr::text::in_unit(1'234'567'891, unit_of({1})) == "1,234,567,891");
  CHECK(kr::text::short_number(0) == "0");
  CHECK(kr::text::short_number(1.25) == "1.25");
  CHECK(kr::text::short_number(-12.345) == "-12.3");
  CHECK(kr::text::short_number(12.25) == "12.3");  // half up, as in pages
  CHECK(kr::text::short_number(1234.5) == "1,235");
  CHECK(kr::text::short_number(1e22) == "10,000,000,000,000,000,000,000");
  CHECK(kr::text::short_number(1234567.8) == "1,234,568");
  CHECK(kr::text::short_number(0.0000001) == "0.000000100");
  CHECK(kr::text::in_si(989.4e12, "FLOP/s") == "989 TFLOP/s");
  CHECK(kr::text::in_si(3.35e12, "B/s") == "3.35 TB/s");
  CHECK(kr::text::in_si(999.96e9, "") == "1.00 T");
  CHECK(kr::text::in_si(-1234, "B") == "-1.23 kB");
  CHECK(kr::text::in_si(12.5, "FLOP/s") == "12.5 FLOP/s");
  CHECK(kr::text::in_si(0, "") == "0");
  CHECK(kr::text::in_si(1e22, "") == "10,000 E");
}

TEST_CASE("shares are rounded exactly") {
  CHECK(kr::text::percent(1, 3, 1) == "33.3");
  CHECK(kr::text::percent(2, 3, 2) == "66.67");
  CHECK(kr::text::percent(1, 2000, 1) == "0.1");  // 0.05 up
  CHECK(kr::text::percent(INT64_MAX, INT64_MAX, 2) == "100.00");
  CHECK(kr::text::percent(INT64_MAX - 1, INT64_MAX, 2) == "100.00");
  CHECK(kr::text::percent(5, 0, 1).empty());
}

TEST_CASE("only nothing looks like 0 %, and only all like 100 %") {
  CHECK(kr::text::share(1, 3) == "33.3");
  CHECK(kr::text::share(0, 3) == "0.0");
  CHECK(kr::text::share(3, 3) == "100.0");
  CHECK(kr::text::share(4, 10'000) == "0.04");
  CHECK(kr::text::share(1, 10'000'000) == "0.00001");
  CHECK(kr::text::share(9'998, 10'000) == "99.98");
  CHECK(kr::text::share(INT64_MAX - 1, INT64_MAX) == ">99.999");
  CHECK(kr::text::share(1, 0).empty());
  CHECK(kr::text::short_percent(0.04) == "0.04");
  CHECK(kr::text::short_percent(-0.04) == "-0.04");
  CHECK(kr::text::short_percent(0) == "0.0");
  CHECK(kr::text::short_percent(100.04) == "100.0");
  CHECK(kr::text::short_percent(1234.5) == "1,234.5");
}

TEST_CASE("digits are grouped") {
  CHECK(kr::text::grouped(0) == "0");
  CHECK(kr::text::grouped(999) == "999");
  CHECK(kr::text::grouped(1000) == "1,000");
  CHECK(kr::text::grouped(-1234567) == "-1,234,567");
  CHECK(kr::text::grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
}

TEST_CASE("numbers are aligned at the decimal point, headings at the right") {
  using Align = kr::text::TextGrid::Align;
  kr::text::TextGrid grid;
  grid.column("name", Align::text);
  grid.column("a heading.", Align::number);
  grid.column("%", Align::number);
  grid.row({{"one", {}}, {"12,346", {}}, {"5.1", {}}});
  grid.row({{"two", {}}, {"1.23", {}}, {"<0.001", {}}});
  grid.row({{"three", {}}, {"", {}}, {"0", {}}});
  CHECK(grid.text(0, false) ==
        "name   a heading.       %\n"
        "one     12,346      5.1\n"
        "two          1.23  <0.001\n"
        "three               0\n");
}

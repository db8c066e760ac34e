#include "export/chrome_trace.hpp"

#include <doctest/doctest.h>

#include "export/chrome_events.hpp"

TEST_CASE("the nearest of Chrome's colours") {
  CHECK(kr::exports::chrome_color("#b40000") == "terrible");
  CHECK(kr::exports::chrome_color("#b80404") == "terrible");
  CHECK(kr::exports::chrome_color("#7c7e7d") == "generic_work");
  CHECK(kr::exports::chrome_color("#0000ff") == "vsync_highlight_color");
}

TEST_CASE("lanes: the first that is free, and no more than overlap at once") {
  kr::exports::Lanes lanes;
  CHECK(lanes.take(0, 10) == 0);
  CHECK(lanes.take(5, 6) == 1);
  CHECK(lanes.take(6, 20) == 1);
  CHECK(lanes.take(7, 8) == 2);
  CHECK(lanes.take(10, 11) == 0);
  CHECK(lanes.take(30, 30) == 0);
  CHECK(lanes.take(30, 30) == 0);
}

TEST_CASE("numbers are those of the trace where they can be had, and never twice") {
  kr::exports::ChromeNumbers numbers;
  CHECK(numbers.take(7) == 7);
  CHECK(numbers.take(7) == 1000000);
  CHECK(numbers.take(1000001) == 1000001);
  CHECK(numbers.take(std::nullopt) == 1000002);
  CHECK(numbers.take(-1) == 1000003);
  CHECK(numbers.take(int64_t{1} << 40) == 1000004);
}

TEST_CASE("times are differences, with three decimals") {
  std::string text;
  const kr::ByteSink sink = [&](std::string_view piece) { text += piece; };
  kr::exports::ChromeEvents events(INT64_MIN, sink);
  events.begin("{\"a\":1");
  events.interval({1, 2}, INT64_MIN, INT64_MAX);
  events.end();
  events.begin("{\"b\":1");
  events.interval({1, 3}, INT64_MIN + 1'000'001, INT64_MIN + 1'000'010);
  events.end();
  events.finish("");
  CHECK(text ==
        "\n{\"a\":1,\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":18446744073709551.615},"
        "\n{\"b\":1,\"pid\":1,\"tid\":3,\"ts\":1000.001,\"dur\":0.009}");
}

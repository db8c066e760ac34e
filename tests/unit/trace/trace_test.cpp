#include "trace/trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "base/error.hpp"
#include "support.hpp"
#include "trace/format.hpp"
#include "trace/sort_in_place.hpp"

namespace kr::test::trace_test {

TEST_CASE("a name is stored once a kind, and stays where it is") {
  trace::NameTable names;
  const trace::NameId a = names.add("a", OperationKind::kernel);
  const std::string_view text = names.get(a).text;
  for (int i = 0; i < 100000; ++i) names.add("n" + std::to_string(i), OperationKind::kernel);
  CHECK(names.size() == 100001);
  CHECK(names.add("a", OperationKind::kernel) == a);
  CHECK(names.add("a", OperationKind::memcpy) != a);
  CHECK(names.get(a).text.data() == text.data());
  CHECK(names.get(names.add(std::string("\0x", 2), OperationKind::kernel)).text ==
        std::string_view("\0x", 2));
  CHECK(names.get(names.add("", OperationKind::kernel)).text.empty());
  const std::string longest(200000, 'y');
  CHECK(names.get(names.add(longest, OperationKind::kernel)).text == longest);
}

TEST_CASE("operations come by start, the longer first, then by name") {
  trace::TraceBuilder builder("x", "f");
  const trace::TrackId track = builder.track({.device = 1, .stream = 7, .device_name = "G"});
  CHECK(builder.track({.device = 1, .stream = 7, .device_name = "G"}) == track);
  const trace::NameId b = builder.name("b", OperationKind::kernel);
  const trace::NameId a = builder.name("a", OperationKind::kernel);
  builder.add({5, 1, b, track});
  builder.add({5, 1, a, track});
  builder.add({5, 9, b, track});
  builder.add({1, 2, b, track});
  const trace::Trace trace = std::move(builder).finish();
  CHECK(dump(trace) ==
        "1 2 kernel G (1) 7 b\n5 9 kernel G (1) 7 b\n5 1 kernel G (1) 7 a\n5 1 kernel G (1) 7 b\n");
  CHECK(trace.first_start_ns == 1);
  CHECK(trace.last_end_ns == 14);
}

TEST_CASE("times whose sums do not fit are refused") {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  const auto finish = [](const std::vector<std::pair<int64_t, int64_t>>& times) {
    trace::TraceBuilder builder("x", "f");
    const trace::NameId name = builder.name("a", OperationKind::kernel);
    const trace::TrackId track = builder.track({});
    for (const auto& [start, duration] : times) builder.add({start, duration, name, track});
    std::move(builder).finish();
  };
  constexpr int64_t hour = int64_t{3600} * 1'000'000'000;
  const std::vector<std::pair<int64_t, int64_t>> day(1, {0, 24 * hour});
  finish(day);
  // Some 292 years, one day each.
  std::vector<std::pair<int64_t, int64_t>> days(most / (24 * hour), day[0]);
  finish(days);
  days.push_back(day[0]);
  CHECK_THROWS_AS(finish(days), Error);
}

TEST_CASE("tracks are found by their hash, whatever device and stream they are of") {
  // One hash for all would take a quarter of a minute.
  constexpr int32_t tracks = 60'000;
  trace::TraceBuilder builder("x", "f");
  const std::clock_t begin = std::clock();
  const auto add = [&](int32_t device, int64_t stream) {
    builder.track({.device = device, .stream = stream, .device_name = ""});
  };
  for (int32_t i = 0; i < tracks; ++i) add(0, i);
  for (int32_t i = 1; i < tracks; ++i) add(i, 0);
  for (int32_t i = 0; i < tracks; ++i) add(0, i);
  CHECK(builder.tracks().size() == 2 * tracks - 1);
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 3);
}

TEST_CASE("dropped of one kind add up, the first place counts") {
  trace::TraceBuilder builder("x", "f");
  builder.add_dropped("a", 9, 2);
  builder.add_dropped("b", 1);
  builder.add_dropped("a", 4);
  const trace::Trace trace = std::move(builder).finish();
  REQUIRE(trace.dropped.size() == 2);
  CHECK(trace.dropped[0].count == 3);
  CHECK(trace.dropped[0].first_offset == 4);
}

TEST_CASE("sorted runs, few and many, long and short, are sorted") {
  std::mt19937_64 random(11);
  for (const size_t runs : {1, 2, 3, 7, 31, 40, 500}) {
    for (const size_t size : {1, 2, 10, 1000, 70000}) {
      std::vector<std::pair<uint64_t, uint64_t>> items;
      // Once several times the size of the buffer of sort_in_place.
      const size_t most = runs == 40 ? 1'500'000 : 300'000;
      for (size_t run = 0; run < runs && items.size() < most; ++run) {
        const size_t begin = items.size();
        const size_t count = 1 + random() % (run % 2 == 0 ? size * 4 : size);
        for (size_t i = 0; i < count; ++i) items.emplace_back(random() % 100000, random());
        std::sort(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end());
      }
      auto expected = items;
      std::sort(expected.begin(), expected.end());
      trace::sort_in_place(items.data(), items.data() + items.size(), std::less<>());
      const bool same = items == expected;
      CHECK(same);
    }
  }
}

TEST_CASE("a run is called after its file") {
  CHECK(trace::trace_stem("runs/llama.csv.gz") == "llama");
  CHECK(trace::trace_stem("llama_vllm_trace_0.nsys-rep") == "llama_vllm_trace_0");
  CHECK(trace::trace_stem("/a/b.c.SQLITE") == "b.c");
  CHECK(trace::trace_stem("b.sqlite.zst") == "b");
  CHECK(trace::trace_stem("b.qdrep") == "b");
  CHECK(trace::trace_stem("trace.json.gz") == "trace");
  CHECK(trace::trace_stem("-") == "stdin");
  CHECK(trace::trace_stem(".csv") == ".csv");
  CHECK(trace::trace_stem("plain") == "plain");
  CHECK(trace::trace_stem("folder/") == "folder");
}

TEST_CASE("formats have a name, a summary and endings") {
  for (const trace::TraceFormat* format : trace::formats()) {
    CHECK(!format->name.empty());
    CHECK(!format->summary.empty());
    CHECK(!format->extensions.empty());
  }
}

}  // namespace kr::test::trace_test

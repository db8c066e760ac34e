#include "export/perfetto_trace.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "export/lanes.hpp"
#include "export/perfetto_packets.hpp"
#include "support/perfetto_slices.hpp"

namespace {

using kr::exports::PerfettoPackets;
using kr::test::PerfettoSlices;

}  // namespace

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

TEST_CASE("nested lanes: what crosses leaves the first") {
  kr::exports::NestedLanes lanes;
  std::vector<int64_t> ends;
  const auto ended = [&](int64_t time) { ends.push_back(time); };
  CHECK(lanes.take(0, 10, ended) == 0);
  CHECK(lanes.take(2, 5, ended) == 0);
  CHECK(lanes.take(4, 6, ended) == 1);   // in the second, and past its end
  CHECK(lanes.take(5, 12, ended) == 2);  // in the first likewise
  CHECK(lanes.take(6, 10, ended) == 0);
  CHECK(ends == std::vector<int64_t>{5});
  CHECK(lanes.take(10, 10, ended) == 0);
  lanes.finish(ended);
  CHECK(ends == std::vector<int64_t>{5, 10, 10, 10});
}

TEST_CASE("packets: texts once, times from the event before, tracks beyond those with clocks") {
  std::string bytes;
  const kr::ByteSink sink = [&](std::string_view piece) { bytes += piece; };
  constexpr int64_t base_ns = 1'700'000'000'000'000'000;
  PerfettoPackets packets(base_ns, 5, 77, {{"kr.version", "x"}, {.key = "n", .number = -3}}, sink);
  std::vector<uint64_t> tracks;
  for (int i = 0; i < 70; ++i) {
    tracks.push_back(packets.track({.name = "t", .rank = static_cast<size_t>(i)}));
  }
  std::string head;
  packets.category(head, "c");
  packets.name(head, "n");
  for (uint64_t i = 0; i < tracks.size(); ++i) {
    if (i % 2 == 0) packets.section(tracks[i]);
    packets.begin(tracks[i], 100 * i, head);
    packets.begin(tracks[i], 100 * i, head);
    packets.end(tracks[i], 100 * i);
    packets.end(tracks[i], 100 * i + 7);
    packets.begin(tracks[i], 100 * i + 7, head);
    packets.end(tracks[i], 100 * i + 9);
  }
  packets.finish();
  const PerfettoSlices read(bytes);
  REQUIRE(read.slices.size() == 3 * tracks.size());
  for (size_t i = 0; i < tracks.size(); ++i) {
    const int64_t start_ns = base_ns + 100 * static_cast<int64_t>(i);
    CHECK(read.slices[3 * i].end_ns == start_ns);  // in the order of their ends
    CHECK(read.slices[3 * i + 1].start_ns == start_ns);
    CHECK(read.slices[3 * i + 1].end_ns == start_ns + 7);
    CHECK(read.slices[3 * i + 2].end_ns == start_ns + 9);
    CHECK(read.slices[3 * i].track == tracks[i]);
    CHECK(read.slices[3 * i].category == "c");
  }
  CHECK(read.interned == 2);
}

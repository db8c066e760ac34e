#include "export/paraver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "export/paraver_in_flight.hpp"
#include "export/paraver_labels.hpp"
#include "export/paraver_rows.hpp"
#include "export/paraver_sorter.hpp"
#include "export/paraver_text.hpp"
#include "support/rounds.hpp"

namespace {

using kr::exports::ParaverLabels;
using kr::exports::ParaverOrder;
using kr::exports::ParaverRecord;
using kr::exports::ParaverRows;
using kr::exports::ParaverSorter;
using kr::exports::ParaverText;

}  // namespace

TEST_CASE("records are in order, each group on its clock, whatever fits in memory") {
  std::mt19937 random(7);
  constexpr size_t groups = 3;
  const std::vector<int64_t> shifts{0, -40, 1000};
  std::vector<std::vector<ParaverRecord>> given(groups);
  std::vector<ParaverRecord> sorted;
  for (size_t group = 0; group < groups; ++group) {
    given[group].resize(group == 1 ? 0 : 2500);
    for (ParaverRecord& record : given[group]) {
      record.time_ns = static_cast<int64_t>(random() % 1300);
      record.row = static_cast<uint32_t>(random() % 4);
      record.order = static_cast<ParaverRecord::Order>(random() % 4);
      record.value = static_cast<uint32_t>(random() % 100000);
      record.number = 7;
      ParaverRecord shifted = record;
      shifted.time_ns += shifts[group];
      if (record.order == ParaverRecord::Order::communication) shifted.number += shifts[group];
      sorted.push_back(shifted);
    }
  }
  std::sort(sorted.begin(), sorted.end(), ParaverOrder());
  // None of it, a part that ends with a whole block, an odd part, one group, all of it.
  for (const size_t records : {size_t{1}, size_t{1250}, size_t{777}, size_t{2500}, size_t{9999}}) {
    CAPTURE(records);
    ParaverSorter sorter("t.prv", records * sizeof(ParaverRecord));
    for (const std::vector<ParaverRecord>& group : given) {
      sorter.begin_group();
      for (const ParaverRecord& record : group) sorter.add(record);
    }
    std::vector<ParaverRecord> got;
    sorter.each(shifts, [&](const ParaverRecord& record) { got.push_back(record); });
    REQUIRE(got.size() == sorted.size());
    const bool equal = std::equal(got.begin(), got.end(), sorted.begin(),
                                  [](const ParaverRecord& a, const ParaverRecord& b) {
                                    return !ParaverOrder()(a, b) && !ParaverOrder()(b, a);
                                  });
    CHECK(equal);
  }
}

TEST_CASE("kernels in flight are told where a count changes, once for each time") {
  using Change = std::tuple<int64_t, uint32_t, int64_t>;
  std::mt19937 random(20261125);
  // A count that stays the same is told: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(500, 1); ++round) {
    CAPTURE(round);
    constexpr int64_t length = 60;
    std::map<uint32_t, std::vector<int64_t>> running;  // by phase, then ns
    for (uint32_t phase = 0; phase < 3; ++phase) running[phase].resize(length);
    std::vector<Change> got, slow;
    const auto tell = [&](int64_t time, uint32_t phase, int64_t count) {
      got.emplace_back(time, phase, count);
    };
    kr::exports::KernelsInFlight counts;
    int64_t start = 0;
    for (auto left = random() % 12; left > 0; --left) {
      start += random() % 4;
      const auto end = start + static_cast<int64_t>(random() % 9);
      const auto phase = static_cast<uint32_t>(random() % 3);
      counts.add(start, end, phase, tell);
      for (int64_t t = start; t < end; ++t) {
        ++running[0][static_cast<size_t>(t)];
        if (phase != 0) ++running[phase][static_cast<size_t>(t)];
      }
    }
    counts.finish(tell);
    for (size_t t = 0; t < length; ++t) {
      for (const auto& [phase, count] : running) {
        const int64_t before = t > 0 ? count[t - 1] : 0;
        if (count[t] != before) slow.emplace_back(static_cast<int64_t>(t), phase, count[t]);
      }
    }
    CHECK(got == slow);
  }
}

TEST_CASE("rows: tasks by rank, threads of the host before streams before metrics") {
  using Section = ParaverRows::Section;
  ParaverRows rows;
  rows.begin_task(std::nullopt);
  const uint32_t last = rows.add(Section::stream, 0, 7);
  rows.begin_task(3);
  const uint32_t metrics = rows.add(Section::metrics, 0);
  const uint32_t second = rows.add(Section::stream, 0, 7, 1);
  const uint32_t first = rows.add(Section::stream, 0, 7);
  const uint32_t flight = rows.add(Section::in_flight, 0);
  const uint32_t inner = rows.add(Section::host, 0, 0, 1);
  const uint32_t host = rows.add(Section::host, 0);
  rows.begin_task(1);
  rows.number("t.prv");
  CHECK(rows.header() == "0:1:3(1:1,6:1,1:1)");
  CHECK(rows.place(host) == "2:1");
  CHECK(rows.place(inner) == "2:2");
  CHECK(rows.place(first) == "2:3");
  CHECK(rows.place(second) == "2:4");
  CHECK(rows.place(flight) == "2:5");
  CHECK(rows.place(metrics) == "2:6");
  CHECK(rows.place(last) == "3:1");
  const std::string text = rows.text();
  CHECK(text.find("LEVEL THREAD SIZE 8\nTHREAD 1.1.1\nTHREAD 1.2.1\nTHREAD 1.2.1 (2)\nCUDA-D0.S7\n"
                  "CUDA-D0.S7 (2)\nKernels in flight D0\nMetrics GPU0\nCUDA-D0.S7\n") != text.npos);
}

TEST_CASE("more rows than Paraver numbers are refused") {
  ParaverRows rows;
  rows.begin_task(0);
  for (int64_t i = 0; i < 65536; ++i) rows.add(ParaverRows::Section::stream, 0, i);
  CHECK_THROWS_WITH(rows.number("t.prv"),
                    doctest::Contains("t.prv: would have 65536 rows; Paraver can number 65535"));
}

TEST_CASE("labels: one line each, numbers in the order of labels") {
  CHECK(kr::exports::paraver_label("a\tb\n") == "a\\x09b\\x0a");
  CHECK(kr::exports::paraver_label("") == "(no name)");
  CHECK(kr::exports::paraver_label(" ") == "\\x20");
  CHECK(kr::exports::paraver_label(" a ") == "\\x20a\\x20");
  CHECK(kr::exports::paraver_label("\xff") == "\\xff");
  ParaverLabels labels;
  const uint32_t late = labels.kernels.add("z");
  const uint32_t early = labels.kernels.add("a");
  const uint32_t given = labels.add_labels({{"kind", "compute"}, {"zone", "b"}, {"area", "a"}});
  labels.number();
  CHECK(labels.kernels[late] == 2);
  CHECK(labels.kernels[early] == 1);
  CHECK(labels.kernels[0] == 0);
  // The numbers of kinds are the same in all traces; further dimensions by name.
  CHECK(labels.begin(given) == ":96000003:2:96000010:1:96000011:1");
  CHECK(labels.end(given) == ":96000003:0:96000010:0:96000011:0");
}

TEST_CASE("lines: what has no length begins and ends; metrics of one time are one line") {
  using Kind = ParaverRecord::Kind;
  using Order = ParaverRecord::Order;
  ParaverLabels labels;
  labels.kernels.add("k");
  const uint32_t power = labels.add_metric("power");
  const uint32_t active = labels.add_metric("active");
  labels.number();
  ParaverRows rows;
  rows.begin_task(std::nullopt);
  rows.add(ParaverRows::Section::stream, 0, 7);
  rows.add(ParaverRows::Section::metrics, 0);
  rows.number("t.prv");
  std::string out;
  const kr::ByteSink sink = [&](std::string_view bytes) { out += bytes; };
  ParaverText text(labels, rows, 1000, sink);
  text.header(50, int64_t{951782400} * 1'000'000'000);  // a leap day
  ParaverRecord record;
  record.time_ns = 1000;
  record.order = Order::whole;
  record.value = 1;
  record.number = 5;
  text.add(record);
  ParaverRecord sample;
  sample.time_ns = 1010;
  sample.row = 1;
  sample.kind = Kind::metric;
  for (const uint32_t metric : {power, active}) {
    sample.value = metric;
    sample.number = 90;
    text.add(sample);
  }
  sample.time_ns = 1020;
  text.add(sample);
  record.time_ns = 1030;
  record.order = Order::communication;
  record.kind = Kind::copy_launch;
  record.row = 1;
  record.value = 0;
  record.number = 1040;
  record.bytes = 64;
  text.add(record);
  text.finish();
  CHECK(out.substr(out.find("2:0")) ==
        "2:0:1:1:1:0:63000006:1:9200:5\n2:0:1:1:1:0:63000006:0:9200:0\n"
        "2:0:1:1:2:10:9401:90:9400:90\n2:0:1:1:2:20:9400:90\n"
        "3:0:1:1:2:30:30:0:1:1:1:40:40:64:55002\n");
  CHECK(out.starts_with("#Paraver (29/02/2000 at 00:00):50_ns:0:1:1(2:1)\n# kr "));
}

#include "analyze/streams.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/shared.hpp"
#include "support/collected_rows.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace {

struct StreamOperation {
  int32_t device;
  int64_t stream, start, duration;
};

std::string stream_lines(const std::vector<StreamOperation>& operations) {
  static const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { a: otherwise } }");
  kr::trace::TraceBuilder builder("t.csv", "nsys-gpu-trace-csv");
  for (const StreamOperation& one : operations) {
    builder.add({one.start, one.duration, builder.name("k", kr::OperationKind::kernel),
                 builder.track({one.device, one.stream, ""})});
  }
  builder.track({9, 9, ""});  // without operations
  kr::tables::Source source;
  source.rules = &rules;
  kr::tables::Run run;
  const auto trace = kr::test::label(rules, std::move(builder).finish());
  run.summary = kr::analyze::summarize(rules, trace->trace, trace->labelled, std::nullopt);
  run.summary.id = "r";
  run.facts = kr::test::facts_of<kr::analyze::StreamUses>(rules, *trace, run.summary);
  source.runs.push_back(std::move(run));
  return kr::test::CollectedRows(kr::tables::make(*kr::tables::find("streams"), source)).lines({});
}

/// The same nanosecond by nanosecond.
std::string obvious_stream_lines(const std::vector<StreamOperation>& operations) {
  std::map<std::pair<int32_t, int64_t>, std::vector<StreamOperation>> streams;
  for (const StreamOperation& one : operations) streams[{one.device, one.stream}].push_back(one);
  std::string out;
  for (const auto& [place, own] : streams) {
    int64_t first = INT64_MAX, last = 0, total = 0, busy = 0, gap = 0, longest = 0;
    for (const StreamOperation& one : own) {
      first = std::min(first, one.start);
      last = std::max(last, one.start + one.duration);
      total += one.duration;
    }
    for (int64_t ns = first; ns < last; ++ns) {
      const auto covers = [&](const StreamOperation& one) {
        return one.start <= ns && ns < one.start + one.duration;
      };
      // An operation without a duration ends a gap.
      const auto begins = [&](const StreamOperation& one) { return one.start == ns; };
      if (std::any_of(own.begin(), own.end(), begins)) gap = 0;
      if (std::any_of(own.begin(), own.end(), covers)) {
        ++busy;
        gap = 0;
      } else {
        longest = std::max(longest, ++gap);
      }
    }
    out += fmt::format("r|{}|{}|{}|{}|{}|{}|{}|{}\n", place.first, place.second, own.size(), total,
                       last - first, busy, last - first - busy, longest);
  }
  return out;
}

}  // namespace

TEST_CASE("streams: busy, idle and the longest gap") {
  CHECK(stream_lines({{0, 7, 100, 50}, {0, 7, 120, 10}, {0, 7, 200, 100}, {0, 7, 500, 1}}) ==
        "r|0|7|4|161|401|151|250|200\n");
  CHECK(stream_lines({{0, 7, 0, 5}, {0, 8, 3, 5}, {1, 7, 3, 0}}) ==
        "r|0|7|1|5|5|5|0|0\nr|0|8|1|5|5|5|0|0\nr|1|7|1|0|0|0|0|0\n");
}

TEST_CASE("streams: as counted nanosecond by nanosecond") {
  std::mt19937 random(5);
  // The longest gap is the last: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(200, 1); ++round) {
    CAPTURE(round);
    std::vector<StreamOperation> operations;
    for (size_t i = 1 + random() % 12; i != 0; --i) {
      operations.push_back({static_cast<int32_t>(random() % 2), static_cast<int64_t>(random() % 2),
                            static_cast<int64_t>(random() % 60),
                            static_cast<int64_t>(random() % 9)});
    }
    CHECK(stream_lines(operations) == obvious_stream_lines(operations));
  }
}

// Records with wrong times, planted at random in a run that has none: all are found, and nothing
// else is moved by them.
#include "trace/time_faults.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/pieces.hpp"
#include "support/rounds.hpp"

namespace kr::test::random_time_faults_test {
namespace {

using trace::TimeFault;

struct Record {
  int64_t start_ns, duration_ns;
  int stream;
  std::string name;
};

/// Streams in order, with gaps and a little overlap, as with programmatic dependent launch.
std::vector<Record> sound_run(Random& random) {
  std::vector<Record> records;
  const int64_t begin_ns = static_cast<int64_t>(1 + below(random, 1'000'000)) * 1'000'000;
  for (int stream = 0; stream < 3; ++stream) {
    int64_t at_ns = begin_ns + static_cast<int64_t>(below(random, 50'000));
    for (size_t i = 20 + below(random, 80); i != 0; --i) {
      const auto duration_ns = static_cast<int64_t>(1'000 + below(random, 90'000));
      records.push_back({at_ns, duration_ns, stream, "k" + std::to_string(below(random, 5))});
      at_ns += duration_ns - 500 + static_cast<int64_t>(below(random, 9'000));
    }
  }
  return records;
}

/// A record that cannot be right, near the one given.
Record wrong(Random& random, const Record& near) {
  constexpr int64_t day_ns = int64_t{86'400} * 1'000'000'000;
  constexpr std::array faults{TimeFault::missing, TimeFault::negative, TimeFault::too_large,
                              TimeFault::backwards};
  const TimeFault fault = faults[below(random, faults.size())];
  Record out = near;
  switch (below(random, 6)) {
    case 0:
      out.start_ns = trace::no_start(fault);
      out.duration_ns = 0;
      break;
    case 1:
      out.duration_ns = trace::no_duration(fault);
      break;
    case 2:
      out.start_ns = out.duration_ns = 0;
      break;
    case 3:
      out.duration_ns = day_ns + 1 + static_cast<int64_t>(below(random, 1'000'000));
      break;
    case 4:
      out.start_ns += 90 * day_ns;
      break;
    default:
      // Of the first half of its stream.
      out.duration_ns = int64_t{900} * 1'000'000'000;
      break;
  }
  return out;
}

trace::Trace finished(const std::vector<Record>& records) {
  trace::TraceBuilder builder("t", "f");
  for (const Record& one : records) {
    builder.add({one.start_ns, one.duration_ns, builder.name(one.name, OperationKind::kernel),
                 builder.track({.device = 0, .stream = one.stream, .device_name = ""})});
  }
  return std::move(builder).finish();
}

std::vector<std::string> timed(const trace::Trace& trace) {
  std::vector<std::string> out;
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    if (std::binary_search(trace.untimed.begin(), trace.untimed.end(), i)) continue;
    const trace::Operation& one = trace.operations[i];
    out.push_back(std::to_string(one.start_ns) + " " + std::to_string(one.duration_ns) + " " +
                  std::to_string(trace.track(one.track).stream) + " " +
                  std::string(trace.names.get(one.name).text));
  }
  return out;
}

}  // namespace

TEST_CASE("wrong records are left out of time, and nothing else changes") {
  Random random(13);
  // A wrong record keeps its place behind the last one: found in round 1.
  for (uint64_t round = 0; round < rounds(300, 1); ++round) {
    CAPTURE(round);
    std::vector<Record> records = sound_run(random);
    const trace::Trace sound = finished(records);
    CHECK(sound.untimed.empty());
    const size_t count = 1 + below(random, 4);
    const std::vector<Record> good = records;
    for (size_t i = 0; i < count; ++i) {
      const size_t stream_begin = static_cast<size_t>(
          std::find_if(good.begin(), good.end(),
                       [&](const Record& one) { return one.stream == static_cast<int>(i % 3); }) -
          good.begin());
      records.push_back(wrong(random, good[stream_begin + below(random, 10)]));
    }
    std::shuffle(records.begin(), records.end(), random);
    const trace::Trace trace = finished(records);
    CHECK(trace.operations.size() == good.size() + count);
    REQUIRE(trace.untimed.size() == count);
    REQUIRE(timed(trace) == timed(sound));
    CHECK(trace.first_start_ns == sound.first_start_ns);
    CHECK(trace.last_end_ns == sound.last_end_ns);
    for (const uint32_t at : trace.untimed) CHECK(trace.operations[at].duration_ns == 0);
  }
}

}  // namespace kr::test::random_time_faults_test

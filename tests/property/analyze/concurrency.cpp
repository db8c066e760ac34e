// What runs at once, against a count for every nanosecond of a short time line.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "analyze/steps.hpp"
#include "analyze/streams.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

constexpr int64_t length = 230;

struct Streams {
  // By nanosecond.
  std::vector<int64_t> computing = std::vector<int64_t>(length);
  std::vector<int64_t> communicating = std::vector<int64_t>(length);
};

}  // namespace

TEST_CASE("operations at once and overlap of streams are those of each nanosecond") {
  const kr::match::CompiledRules rules = kr::test::compile(
      "engine e { kind { compute: \"k\" communication: \"c\" memory: \"m\" } "
      "substage { misc: otherwise } }");
  std::mt19937 random(20261124);
  // The width of bins is rounded down: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(3000, 1); ++round) {
    CAPTURE(round);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    kr::trace::TraceBuilder builder("t", "t");
    std::vector<int64_t> running(length);
    std::map<int64_t, Streams> streams;
    std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> operations;  // by stream
    int64_t first = length;
    int64_t last = 0;
    const int64_t longest = 1 + below(length - 1);
    for (int64_t count = 1 + below(14); count > 0; --count) {
      const int64_t start = below(longest);
      const int64_t end = start + below(longest - start);
      const int64_t stream = below(4);
      const char* const name = std::array{"k", "c", "m"}[static_cast<size_t>(below(3))];
      builder.add({start, end - start, builder.name(name, kr::OperationKind::kernel),
                   builder.track({3, stream, "GPU"})});
      operations[stream].emplace_back(start, end);
      first = std::min(first, start);
      last = std::max(last, end);
      for (int64_t t = start; t < end; ++t) {
        const auto at = static_cast<size_t>(t);
        ++running[at];
        if (*name == 'k') ++streams[stream].computing[at];
        if (*name == 'c') ++streams[stream].communicating[at];
      }
    }
    const auto run = kr::test::label(rules, std::move(builder).finish());
    const auto got = kr::analyze::measure_concurrency(
        run->trace, run->labelled, kr::analyze::kinds_by_row(rules.program(), run->labelled));
    REQUIRE(got.size() == 1);
    CHECK(got[0].device == 3);

    std::vector<int64_t> in_flight;
    for (int64_t t = first; t < last; ++t) {
      const auto now = static_cast<size_t>(running[static_cast<size_t>(t)]);
      if (in_flight.size() <= now) in_flight.resize(now + 1);
      ++in_flight[now];
    }
    CHECK(got[0].in_flight_ns == in_flight);

    int64_t next = first;
    CHECK(got[0].bins.size() <= kr::analyze::Concurrency::max_bins);
    for (const auto& bin : got[0].bins) {
      CHECK(bin.begin_ns == next);
      next = bin.end_ns;
      int64_t sum = 0;
      int64_t most = 0;
      for (int64_t t = bin.begin_ns; t < bin.end_ns; ++t) {
        sum += running[static_cast<size_t>(t)];
        most = std::max(most, running[static_cast<size_t>(t)]);
      }
      CHECK(bin.operation_ns == sum);
      CHECK(bin.most == most);
    }
    CHECK(next == std::max(first, last));

    size_t place = 0;
    for (const auto& [stream, communicates] : streams) {
      const auto time = [&, &one = communicates](const auto& computes) {
        int64_t ns = 0;
        for (size_t t = 0; t < length; ++t) ns += one.communicating[t] > 0 && computes(t) ? 1 : 0;
        return ns;
      };
      const int64_t all = time([](size_t) { return true; });
      if (all == 0) continue;
      const auto check = [&, number = stream](std::optional<int64_t> other, int64_t ns) {
        if (other && ns == 0) return;
        REQUIRE(place < got[0].overlaps.size());
        const auto& overlap = got[0].overlaps[place++];
        CHECK(overlap.communication_stream == number);
        CHECK(overlap.compute_stream == other);
        CHECK(overlap.communication_ns == all);
        CHECK(overlap.overlap_ns == ns);
      };
      check(std::nullopt, time([&](size_t t) {
              return std::any_of(streams.begin(), streams.end(),
                                 [&](const auto& of) { return of.second.computing[t] > 0; });
            }));
      for (const auto& computes : streams) {
        const Streams& of = computes.second;
        check(computes.first, time([&](size_t t) { return of.computing[t] > 0; }));
      }
    }
    CHECK(place == got[0].overlaps.size());

    const auto totals = kr::analyze::total_streams(kr::analyze::measure_streams(
        run->trace, run->labelled, kr::analyze::kinds_by_row(rules.program(), run->labelled)));
    REQUIRE(totals.size() == 1);
    kr::analyze::StreamTotals slow;
    slow.devices = 1;
    slow.streams = static_cast<int64_t>(operations.size());
    for (const auto& [stream, all] : operations) {
      int64_t begin = length;
      int64_t end = 0;
      std::vector<bool> busy(length);
      for (const auto& [from, to] : all) {
        begin = std::min(begin, from);
        end = std::max(end, to);
        slow.total_ns += to - from;
        ++slow.operations;
        for (int64_t t = from; t < to; ++t) busy[static_cast<size_t>(t)] = true;
      }
      const int64_t busy_ns = std::count(busy.begin(), busy.end(), true);
      slow.stream_busy_ns += busy_ns;
      slow.stream_idle_ns += end - begin - busy_ns;
    }
    for (size_t t = 0; t < length; ++t) {
      slow.busy_ns += running[t] > 0 ? 1 : 0;
      slow.max_at_once = std::max(slow.max_at_once, running[t]);
      const bool computes = std::any_of(streams.begin(), streams.end(),
                                        [&](const auto& of) { return of.second.computing[t] > 0; });
      for (const auto& of : streams) {
        if (of.second.communicating[t] == 0) continue;
        ++slow.communication_ns;
        slow.overlap_ns += computes ? 1 : 0;
      }
    }
    CHECK(totals[0].first == 3);
    CHECK(totals[0].second == slow);
    kr::analyze::StreamTotals twice = slow;
    twice.add(slow);
    CHECK(twice.busy_ns == 2 * slow.busy_ns);
    CHECK(twice.streams == 2 * slow.streams);
    CHECK(twice.max_at_once == slow.max_at_once);
  }
}

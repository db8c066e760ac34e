// What is true of every replay, of calls and operations that overlap in any way. Whether it is
// right is compared with simulated runs (simulated.cpp).
#include "replay/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "replay/together.hpp"
#include "support/rounds.hpp"

namespace {

using kr::replay::Changed;
using kr::replay::Decisions;
using kr::replay::Model;
using kr::replay::PathPart;
using kr::replay::Piece;
using kr::trace::HostRange;
using kr::trace::Operation;
using kr::trace::Trace;

constexpr std::array functions{"cudaLaunchKernel",    "cudaLaunchKernel",      "cudaMemcpyAsync",
                               "cudaStreamWaitEvent", "cudaStreamSynchronize", "cudaMalloc",
                               "cudaGraphLaunch"};

Trace random_run(std::mt19937& random) {
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  kr::trace::TraceBuilder builder("", "");
  kr::trace::HostTrace& host = builder.host();
  const int64_t threads = 1 + below(3);
  std::vector<int64_t> time(static_cast<size_t>(threads), 0);
  const int64_t calls = 4 + below(24);
  std::vector<int64_t> starts;
  int64_t thread = 0;
  for (int64_t c = 0; c < calls; ++c) {
    if (below(3) == 0) thread = below(threads);
    int64_t& now = time[static_cast<size_t>(thread)];
    now += below(6) == 0 ? below(40) : below(4);
    if (below(2) == 0) now = std::max(now, *std::max_element(time.begin(), time.end()));
    const int64_t duration = below(4) == 0 ? below(30) : below(3);
    const char* const name = functions[static_cast<size_t>(below(functions.size()))];
    host.launches.push_back({c, now, duration, builder.call({name, false}),
                             builder.thread({thread == 2 ? "2" : "1", std::to_string(thread)})});
    starts.push_back(now);
    if (below(3) > 0) now += duration;
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> ends;
  for (int64_t i = 1 + below(24); i > 0; --i) {
    kr::trace::Track track;
    track.device = below(5) == 0 ? 1 : 0;
    track.stream = below(3);
    const int64_t c = below(calls);
    int64_t& end = ends[{track.device, track.stream}];
    int64_t start = starts[static_cast<size_t>(c)] + below(5);
    if (below(4) > 0) start = std::max(start, end + below(2));
    if (below(12) == 0) start = below(100);  // before its launch, perhaps
    if (below(40) == 0) start += 2 * kr::replay::longest_delay_ns;
    const int64_t duration = below(12);
    end = start + duration;
    builder.add(
        {start, duration, builder.name("a", kr::OperationKind::kernel), builder.track(track)});
    const int64_t correlation = below(8) == 0 ? 1000 : c;
    builder.add_correlations(&correlation, 1);
  }
  return std::move(builder).finish();
}

using Times = std::vector<std::pair<int64_t, int64_t>>;
Times replay(const Model& model, const Changed& changed) {
  Times times;
  model.replay(changed, [&](uint32_t operation, int64_t start_ns, int64_t end_ns) {
    CHECK(operation == times.size());
    times.emplace_back(start_ns, end_ns);
  });
  return times;
}

}  // namespace

TEST_CASE("an unchanged replay is what was measured; nothing of one stream overlaps more by less") {
  std::mt19937 random(191);
  // Long delays are cut in every replay: found in round 6.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 6); ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    const Model model(trace);
    const Times measured = replay(model, {});
    Changed less;
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      const Operation& one = trace.operations[i];
      REQUIRE(measured[i] == std::pair(one.start_ns, one.end_ns()));
      less.duration_ns.push_back(one.duration_ns - (random() % 3 == 0 ? one.duration_ns / 2 : 0));
    }
    less.host = random() % 2 == 0 ? 1 : 0.5;
    less.explained_only = random() % 2 == 0;
    for (const auto& [begin, end] : replay(model, less)) CHECK(begin <= end);
  }
}

TEST_CASE("runs that wait for each other in any way, unchanged, are as measured") {
  using kr::replay::CollectivePart;
  std::mt19937 random(194);
  size_t without_all = 0;
  // An operation that follows a running collective begins with its measured end: found in round 18.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 18); ++round) {
    CAPTURE(round);
    std::vector<Trace> traces;
    std::vector<Model> models;
    std::vector<Changed> unchanged, changed;
    std::vector<std::vector<CollectivePart>> parts(2 + random() % 2);
    for (size_t run = 0; run < parts.size(); ++run) traces.push_back(random_run(random));
    std::vector<const Trace*> all;
    for (const Trace& trace : traces) all.push_back(&trace);
    // Which operations are parts of one collective is any, as if they were not matched rightly.
    for (size_t run = 0; run < parts.size(); ++run) {
      const auto shift_ns = static_cast<int64_t>(random() % 40);
      for (uint32_t i = 0; i < traces[run].operations.size(); ++i) {
        if (random() % 3 != 0) continue;
        const auto collective = static_cast<uint32_t>(random() % 2 == 0 ? i : parts[run].size());
        const bool has = std::any_of(parts[run].begin(), parts[run].end(),
                                     [&](const auto& one) { return one.collective == collective; });
        if (!has) parts[run].push_back({i, collective, shift_ns});
      }
    }
    const auto times = kr::replay::part_times(all, parts);
    for (size_t run = 0; run < parts.size(); ++run) {
      models.emplace_back(traces[run]);
      Changed& one = unchanged.emplace_back();
      for (const Operation& operation : traces[run].operations) {
        one.duration_ns.push_back(operation.duration_ns);
      }
      for (size_t i = 0; i < parts[run].size(); ++i) {
        one.duration_ns[parts[run][i].operation] = times[run][i].transfer_ns();
      }
      Changed& less = changed.emplace_back(one);
      for (int64_t& ns : less.duration_ns) ns = random() % 2 == 0 ? ns / 2 : ns;
      less.host = random() % 2 == 0 ? 1 : 0.5;
      if (random() % 3 == 0) {
        for (size_t i = 0; i < less.duration_ns.size(); ++i) {
          less.overlapped.push_back(random() % 3 == 0);
        }
      }
    }
    for (const std::vector<Changed>* const with : {&unchanged, &changed}) {
      std::vector<kr::replay::RunInJob> runs;
      std::vector<std::map<uint32_t, std::pair<int64_t, int64_t>>> visited(parts.size());
      for (size_t run = 0; run < parts.size(); ++run) {
        runs.push_back({&models[run], &(*with)[run], parts[run]});
      }
      without_all += kr::replay::replay_together(
          runs, [&](size_t run, uint32_t operation, int64_t begin, int64_t end) {
            CHECK(begin <= end);
            CHECK(visited[run].emplace(operation, std::pair(begin, end)).second);
          });
      for (size_t run = 0; run < parts.size(); ++run) {
        REQUIRE(visited[run].size() == traces[run].operations.size());
        for (const auto& [operation, time] : visited[run]) {
          const Operation& one = traces[run].operations[operation];
          if (with == &unchanged) REQUIRE(time == std::pair(one.start_ns, one.end_ns()));
        }
      }
    }
  }
  CHECK(without_all > 0);
}

TEST_CASE("the parts of a critical path add up to the span, and lie one before the other") {
  std::mt19937 random(192);
  std::set<PathPart> met;
  // The rest of the span at the end is not reported: found in round 3.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 3); ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    const Model model(trace);
    int64_t until = trace.last_end_ns;
    Decisions(model).critical_path([&](const Piece& piece) {
      CHECK(piece.operation < trace.operations.size());
      CHECK(piece.to_ns == until);
      CHECK(piece.from_ns < piece.to_ns);
      until = piece.from_ns;
      met.insert(piece.part);
    });
    CHECK(until == trace.first_start_ns);
  }
  CHECK(met.size() == kr::replay::path_parts);
}

TEST_CASE("what decided a start is told without gaps, down to what is asked or another operation") {
  std::mt19937 random(193);
  // Pieces before the time that is asked are told, too: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(300, 1); ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    const Model model(trace);
    const Decisions decisions(model);
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      CAPTURE(i);
      const int64_t from = trace.operations[i].start_ns - static_cast<int64_t>(random() % 60);
      int64_t until = trace.operations[i].start_ns;
      const Decisions::Before before = decisions.back_from(i, from, [&](const Piece& piece) {
        CHECK(piece.to_ns == until);
        CHECK(piece.from_ns < piece.to_ns);
        CHECK(piece.from_ns >= from);
        const bool of_host = piece.part == PathPart::host;
        CHECK((!of_host || piece.thread != HostRange::none));
        until = piece.from_ns;
      });
      CHECK(before.until_ns == until);
      CHECK((before.operation != HostRange::none || until == from || from > until));
    }
  }
}

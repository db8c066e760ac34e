// Sends with their receives, against messages that are known because the test sends them.
#include "job/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "job/job.hpp"
#include "support/rounds.hpp"

namespace {

using kr::job::CollectiveInstance;
using kr::job::CollectiveKind;
using kr::job::Member;

struct ExpectedPair {
  int64_t sends = 0, receives = 0, bytes = 0, send_ns = 0, receive_ns = 0;
  int64_t send_waiting_ns = 0, receive_waiting_ns = 0;
};

/// Ranks of one clock. Groups of each member: send, receive.
std::vector<std::vector<Member>> ranks_without_operations(size_t ranks) {
  std::vector<std::vector<Member>> runs(ranks, std::vector<Member>(1));
  for (auto& run : runs) {
    for (const auto kind : {CollectiveKind::send, CollectiveKind::receive}) {
      run[0].groups.push_back({"0", "", "", kind, "", static_cast<int64_t>(ranks)});
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("sends are matched with their receives, and lost ones are counted") {
  std::mt19937_64 random(20261125);
  const auto below = [&](int64_t limit) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(limit));
  };
  uint64_t matched = 0, unmatched = 0;
  // The wait of a send is bounded by the length of the receive: found in round 1.
  const uint64_t rounds = kr::test::rounds(300, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const int64_t ranks = 2 + below(3);
    auto runs = ranks_without_operations(static_cast<size_t>(ranks));
    std::map<std::pair<int64_t, int64_t>, ExpectedPair> expected;
    int64_t now = 0;
    for (int64_t count = below(40); count > 0; --count) {
      const int64_t from = below(ranks);
      const int64_t to = (from + 1 + below(ranks - 1)) % ranks;
      const int64_t bytes = below(1000);
      const int64_t send = now + below(100), send_end = send + 50 + below(100);
      const int64_t receive = now + below(100), receive_end = receive + 50 + below(100);
      now += 1000;
      ExpectedPair& pair = expected[{from, to}];
      const auto add = [&](int64_t rank, int64_t start, int64_t end, uint32_t group, int64_t peer) {
        runs[static_cast<size_t>(rank)][0].collectives.push_back(
            {start, end, 0, bytes, CollectiveInstance::unknown, group, static_cast<int32_t>(peer)});
      };
      add(from, send, send_end, 0, to);
      ++pair.sends;
      if (round % 3 == 0 && below(30) == 0) continue;  // the trace ends before the receive
      add(to, receive, receive_end, 1, from);
      ++pair.receives;
      pair.bytes += bytes;
      pair.send_ns += send_end - send;
      pair.receive_ns += receive_end - receive;
      pair.receive_waiting_ns +=
          std::min(receive_end - receive, std::max<int64_t>(0, send - receive));
      pair.send_waiting_ns += std::min(send_end - send, std::max<int64_t>(0, receive - send));
    }
    std::vector<kr::job::JobRun> of;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      of.push_back({runs[static_cast<size_t>(rank)], {.utc_ns = int64_t{0}}, rank});
    }
    const auto got = kr::job::analyze_job(of).peers;
    REQUIRE(got.size() == expected.size());
    for (const kr::job::PeerTimes& one : got) {
      REQUIRE(one.from);
      REQUIRE(one.to);
      const ExpectedPair& pair = expected.at({*one.from, *one.to});
      CHECK(one.sends == pair.sends);
      CHECK(one.receives == pair.receives);
      if (pair.sends != pair.receives) {
        CHECK(one.matched == 0);
        CHECK(!one.why_not.empty());
        CHECK(!one.bytes);
        ++unmatched;
        continue;
      }
      matched += static_cast<uint64_t>(one.matched);
      CHECK(one.why_not.empty());
      CHECK(one.matched == pair.sends);
      CHECK(one.one_clock);
      CHECK(one.bytes == pair.bytes);
      CHECK(one.send_ns == pair.send_ns);
      CHECK(one.receive_ns == pair.receive_ns);
      CHECK(one.send_waiting_ns == pair.send_waiting_ns);
      CHECK(one.receive_waiting_ns == pair.receive_waiting_ns);
    }
  }
  CHECK(matched > 3 * rounds);
  CHECK(unmatched > rounds / 30);
}

TEST_CASE("in a group of two, numbers decide, and the ranks of the group tell who it is") {
  std::vector<std::vector<Member>> runs(2, std::vector<Member>(1));
  for (auto& run : runs) {
    for (const auto kind : {CollectiveKind::send, CollectiveKind::receive}) {
      run[0].groups.push_back({"pp", "[4, 6]", "", kind, "", 2});
    }
  }
  for (const int64_t number : {1, 2, 3}) {
    runs[0][0].collectives.push_back({10 * number, 10 * number + 5, 0, 8, number, 0});
  }
  for (const int64_t number : {2, 3}) {
    runs[1][0].collectives.push_back({10 * number - 4, 10 * number + 5, 0, 8, number, 1});
  }
  const kr::trace::Clock clock{.utc_ns = int64_t{0}};
  const std::vector<kr::job::JobRun> known{{runs[0], clock, 4}, {runs[1], clock, 6}};
  const auto got = kr::job::analyze_job(known).peers;
  REQUIRE(got.size() == 1);
  CHECK(got[0].from == 4);
  CHECK(got[0].to == 6);
  CHECK(got[0].sends == 3);
  CHECK(got[0].matched == 2);
  CHECK(got[0].receive_waiting_ns == 8);
  CHECK(!got[0].why_not.empty());
  // Without the ranks of the runs, nothing tells.
  const std::vector<kr::job::JobRun> unknown{{runs[0], clock}, {runs[1], clock}};
  for (const kr::job::PeerTimes& one : kr::job::analyze_job(unknown).peers) {
    CHECK(one.matched == 0);
    CHECK(!one.why_not.empty());
  }
}

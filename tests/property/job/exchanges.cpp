// Dispatches with their combines, against a slow search for pairs and a count for every nanosecond.
#include "job/exchanges.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "job/extract.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

constexpr int64_t exchange_length = 300;

struct SlowOperation {
  int64_t start, end;
  char name;  // Dispatch, Combine, Prepare, Unknown; all-Reduce; Kernel; Memory
  int32_t device;

  bool communicates() const { return std::string("DCPUR").find(name) != std::string::npos; }
};

/// What a nanosecond of a device is: 2 compute, 1 communication, 0 memory; -1 nothing.
int at_ns(const std::vector<SlowOperation>& all, int32_t device, int64_t t) {
  int what = -1;
  for (const SlowOperation& one : all) {
    if (one.device != device || t < one.start || t >= one.end) continue;
    what = std::max(what, one.name == 'K' ? 2 : one.communicates() ? 1 : 0);
  }
  return what;
}

/// The name that covers a nanosecond first; 0: none.
char first_at(const std::vector<SlowOperation>& all, int32_t device, int64_t t) {
  for (const SlowOperation& one : all) {  // by start
    if (one.device == device && t >= one.start && t < one.end) return one.name;
  }
  return 0;
}

/// The places of the combines of all dispatches: the k-th combine that has a dispatch before it
/// which is still without one belongs to the first of these. -1: none.
std::map<size_t, int64_t> slow_pairs(const std::vector<SlowOperation>& all, int32_t device) {
  std::map<size_t, int64_t> combine_of;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].device != device) continue;
    if (all[i].name == 'D') combine_of[i] = -1;
    if (all[i].name != 'C') continue;
    for (auto& [dispatch, combine] : combine_of) {
      if (combine < 0) {
        combine = static_cast<int64_t>(i);
        break;
      }
    }
  }
  return combine_of;
}

}  // namespace

TEST_CASE("exchanges of experts are the pairs of a slow search, and their time that of each ns") {
  const kr::match::CompiledRules rules = kr::test::compile(
      "engine e { kind { communication: /^[DCPUR]/ memory: ^\"M\" compute: otherwise } "
      "exchange { dispatch: ^\"D\" combine: ^\"C\" preparation: ^\"P\" unknown: ^\"U\" "
      "none: otherwise } substage { kernel: ^\"K\" other: otherwise } }");
  std::mt19937 random(20261126);
  uint64_t pairs = 0, lone = 0;
  // Parts of operations begin at their start, covered or not: found in round 3.
  const uint64_t rounds = kr::test::rounds(1500, 3);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    // Starts differ, so that their order is that of the launches.
    std::vector<SlowOperation> all;
    for (int64_t start = below(10); start < exchange_length - 1; start += 1 + below(25)) {
      const int64_t duration = below(std::min<int64_t>(40, exchange_length - start));
      all.push_back(
          {start, start + duration, "DDCCPURKKM"[below(10)], static_cast<int32_t>(below(2))});
    }
    kr::trace::TraceBuilder builder("t", "t");
    for (const SlowOperation& one : all) {
      builder.add({one.start, one.end - one.start,
                   builder.name(std::string(1, one.name), kr::OperationKind::kernel),
                   builder.track({one.device, below(3), "GPU"})});
    }
    const auto run = kr::test::label(rules, std::move(builder).finish());
    const kr::analyze::RunSummary summary =
        kr::analyze::summarize(rules, run->trace, run->labelled, std::nullopt);
    const auto members = kr::job::members_of(rules, *run, &summary.devices);
    int64_t dispatches = 0, combines = 0;
    for (const kr::job::Member& member : members) {
      const std::map<size_t, int64_t> slow = slow_pairs(all, member.device);
      const auto count_of = [&](char name) {
        return std::count_if(all.begin(), all.end(), [&](const SlowOperation& one) {
          return one.device == member.device && one.name == name;
        });
      };
      CHECK(member.exchanges.has_value() == (count_of('D') + count_of('C') > 0));
      if (!member.exchanges) continue;
      const kr::job::MemberExchanges& got = *member.exchanges;
      std::map<char, int64_t> by_name;  // slow: time between, of all exchanges
      int64_t between_ns = 0, idle_ns = 0, dispatch = 0;
      for (const auto& one : got.exchanges) {
        dispatches += one.dispatch ? 1 : 0;
        combines += one.combine ? 1 : 0;
        if (!one.dispatch) {
          ++lone;
          continue;
        }
        // In order of launch, as the slow ones.
        auto at = slow.begin();
        std::advance(at, dispatch++);
        const SlowOperation& from = all[at->first];
        const auto& instance = member.collectives[*one.dispatch];
        REQUIRE(instance.start_ns == from.start);
        REQUIRE(instance.end_ns == from.end);
        REQUIRE(one.combine.has_value() == (at->second >= 0));
        if (!one.combine) {
          ++lone;
          CHECK(one.between_ns == 0);
          continue;
        }
        ++pairs;
        const SlowOperation& to = all[static_cast<size_t>(at->second)];
        REQUIRE(member.collectives[*one.combine].start_ns == to.start);
        std::array<int64_t, 4> parts{};  // idle, memory, communication, compute
        for (int64_t t = from.end; t < to.start; ++t) {
          ++parts[static_cast<size_t>(at_ns(all, member.device, t) + 1)];
          if (const char name = first_at(all, member.device, t); name != 0) ++by_name[name];
        }
        CHECK(one.between_ns == std::max<int64_t>(0, to.start - from.end));
        CHECK(one.idle_ns == parts[0]);
        CHECK(one.memory_ns == parts[1]);
        CHECK(one.communication_ns == parts[2]);
        CHECK(one.compute_ns == parts[3]);
        between_ns += one.between_ns;
        idle_ns += one.idle_ns;
      }
      REQUIRE(got.phases.size() == 1);
      CHECK(got.phases[0].name.empty());
      CHECK(got.phases[0].preparation.instances == count_of('P'));
      CHECK(got.phases[0].unknown.instances == count_of('U'));
      std::map<std::string, int64_t> busy, substages;
      for (const auto& label : got.labels) {
        busy[label.dimension] += label.busy_ns;
        if (label.dimension == "substage") substages[label.label] = label.busy_ns;
      }
      for (const auto& [dimension, ns] : busy) CHECK(ns == between_ns - idle_ns);
      CHECK(substages["kernel"] == by_name['K']);
    }
    CHECK(dispatches == std::count_if(all.begin(), all.end(),
                                      [](const SlowOperation& one) { return one.name == 'D'; }));
    CHECK(combines == std::count_if(all.begin(), all.end(),
                                    [](const SlowOperation& one) { return one.name == 'C'; }));
  }
  CHECK(pairs > rounds / 2);
  CHECK(lone > rounds / 2);
}

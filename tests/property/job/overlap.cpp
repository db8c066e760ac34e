// Collectives below compute, against a count for every nanosecond of a short time line.
#include "job/overlap.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/covered_time.hpp"
#include "analyze/steps.hpp"
#include "job/extract.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

constexpr int64_t length = 230;

using TimeLine = std::vector<bool>;  // by nanosecond

void cover(TimeLine& line, int64_t start, int64_t end) {
  line.resize(length);
  for (int64_t t = start; t < end; ++t) line[static_cast<size_t>(t)] = true;
}

struct SlowOverlap {
  int64_t instances = 0;
  TimeLine line = TimeLine(length);
};

void check_overlap(const kr::job::OverlapTimes& got, const SlowOverlap& slow,
                   const TimeLine& compute) {
  int64_t busy = 0, exposed = 0;
  for (size_t t = 0; t < static_cast<size_t>(length); ++t) {
    busy += slow.line[t] ? 1 : 0;
    exposed += slow.line[t] && !compute[t] ? 1 : 0;
  }
  CHECK(got.instances == slow.instances);
  CHECK(got.busy_ns == busy);
  CHECK(got.exposed_ns == exposed);
  CHECK(got.overlapped_ns() == busy - exposed);
}

}  // namespace

TEST_CASE("covered time of any interval is that of each nanosecond") {
  std::mt19937 random(20261125);
  // An interval inside another ends both: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(500, 1); ++round) {
    CAPTURE(round);
    kr::analyze::CoveredTime covered;
    TimeLine line(length);
    for (int64_t start = 0; start < length - 20; start += static_cast<int64_t>(random() % 20)) {
      const int64_t end = start + static_cast<int64_t>(random() % 20);
      covered.add(start, end);
      cover(line, start, end);
      if (random() % 20 == 0) break;
    }
    for (int64_t begin = 0; begin < length; begin += 7) {
      int64_t sum = 0;
      for (int64_t end = begin; end < length; ++end) {
        REQUIRE(covered.within(begin, end) == sum);
        sum += line[static_cast<size_t>(end)] ? 1 : 0;
      }
    }
    CHECK(covered.within(50, 20) == 0);
  }
}

TEST_CASE("exposed and overlapped time of collectives are those of each nanosecond") {
  const kr::match::CompiledRules rules = kr::test::compile(
      "engine e { kind { communication: \"nccl\" memory: \"m\" compute: otherwise } "
      "substage { reduce: \"AllReduce\" misc: otherwise } }");
  constexpr std::array names{"k", "m", "ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather"};
  std::mt19937 random(20261124);
  uint64_t rows = 0;
  // The overlap of an operation counts from its start: found in round 8.
  const uint64_t rounds = kr::test::rounds(2000, 8);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    kr::trace::TraceBuilder builder("t", "t");
    std::map<int32_t, TimeLine> compute;
    std::map<std::pair<int32_t, std::string>, SlowOverlap> whole, labels;
    const int64_t longest = 1 + below(length - 1);
    for (int64_t count = 1 + below(20); count > 0; --count) {
      const int64_t start = below(longest);
      const int64_t end = start + below(longest - start);
      const auto device = static_cast<int32_t>(below(2));
      const std::string name = names[static_cast<size_t>(below(4))];
      builder.add({start, end - start, builder.name(name, kr::OperationKind::kernel),
                   builder.track({device, below(3), "GPU"})});
      compute[device].resize(length);
      if (name == "k") cover(compute[device], start, end);
      if (!name.starts_with("nccl")) continue;
      const bool reduces = name == names[2];
      for (SlowOverlap* slow : {&whole[{device, reduces ? "allreduce" : "allgather"}],
                                &labels[{device, reduces ? "reduce" : "misc"}]}) {
        ++slow->instances;
        cover(slow->line, start, end);
      }
    }
    const auto run = kr::test::label(rules, std::move(builder).finish());
    const kr::analyze::RunSummary summary =
        kr::analyze::summarize(rules, run->trace, run->labelled, std::nullopt);
    // Throws if the sums of all are not those of the devices.
    const auto members = kr::job::members_of(rules, *run, &summary.devices);
    size_t found = 0, found_labels = 0;
    for (const kr::job::Member& member : members) {
      REQUIRE(member.overlap);
      const kr::job::CollectiveOverlap& got = *member.overlap;
      for (const auto& row : got.whole) {
        const std::string kind = kr::job::to_string(got.groups[row.group].kind);
        check_overlap(row.times, whole[{member.device, kind}], compute[member.device]);
        ++found;
      }
      for (const auto& row : got.labels) {
        if (row.dimension != "substage") continue;
        check_overlap(row.times, labels[{member.device, row.label}], compute[member.device]);
        ++found_labels;
      }
      for (const auto& row : got.layers) CHECK(!row.number);
      CHECK(got.phases.empty());
      CHECK(got.steps.empty());
    }
    CHECK(found == whole.size());
    CHECK(found_labels == labels.size());
    rows += found;
  }
  CHECK(rows > rounds);
}

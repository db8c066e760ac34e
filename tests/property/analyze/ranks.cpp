// Comparisons of ranks are compared with a slow and simple computation.
#include "analyze/ranks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/rounds.hpp"

namespace {

using kr::analyze::RankStep;

struct Job {
  std::vector<kr::analyze::RunSummary> summaries;
  std::vector<kr::analyze::StepSums> steps;

  kr::analyze::Ranks compared() const {
    std::vector<kr::analyze::RankInput> inputs;
    for (size_t i = 0; i < summaries.size(); ++i) {
      inputs.push_back({&summaries[i], &steps[i]});
    }
    return kr::analyze::compare_ranks(inputs);
  }
};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int64_t below(int64_t limit) { return static_cast<int64_t>(random_()) % limit; }

  kr::analyze::Breakdown time() {
    kr::analyze::Breakdown time;
    time.operations = 1 + below(5);
    time.compute_ns = below(50);
    time.exposed_communication_ns = below(30);
    time.communication_ns = time.exposed_communication_ns + below(20);
    time.exposed_memory_ns = below(10);
    time.memory_ns = time.exposed_memory_ns + below(5);
    time.idle_ns = below(40);
    time.busy_ns = time.compute_ns + time.exposed_communication_ns + time.exposed_memory_ns;
    time.span_ns = time.busy_ns + time.idle_ns;
    return time;
  }

  Job job() {
    Job job;
    const int64_t runs = 1 + below(4);
    for (int64_t i = 0; i < runs; ++i) {
      kr::analyze::RunSummary& summary = job.summaries.emplace_back();
      summary.source = "trace" + std::to_string(i) + ".json";
      summary.distributed.rank = 10 - i;
      for (int32_t device = 0; device < below(3); ++device) {
        summary.devices.push_back({time(), device, 0, "GPU"});
      }
      kr::analyze::StepSums& sums = job.steps.emplace_back();
      for (int64_t k = below(7); k > 0; --k) {
        kr::analyze::StepPart step;
        step.phase = below(2) == 0 ? "prefill" : "decode";
        if (below(2) == 0) step.step = below(3);
        step.instances = below(4);
        step.time = time();
        sums.steps.add(step);
      }
    }
    return job;
  }

 private:
  std::mt19937 random_;
};

/// How many steps like that one come before it in its run.
int64_t occurrence(const kr::analyze::StepParts& steps, size_t at) {
  int64_t before = 0;
  for (size_t i = 0; i < at; ++i) {
    before += steps[i].phase == steps[at].phase && steps[i].step == steps[at].step ? 1 : 0;
  }
  return before;
}

/// Every step of every run: the matching steps of other runs must be in `got`.
void check_steps(const Job& job, const kr::analyze::Ranks& got) {
  size_t expected = 0;
  std::vector<int64_t> slowest(job.summaries.size(), 0);
  for (size_t run = 0; run < job.steps.size(); ++run) {
    const auto& steps = job.steps[run].steps;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].instances == 0) continue;
      std::vector<std::pair<size_t, size_t>> same;
      for (size_t other = 0; other < job.steps.size(); ++other) {
        const auto& theirs = job.steps[other].steps;
        for (size_t k = 0; k < theirs.size(); ++k) {
          if (theirs[k].phase == steps[i].phase && theirs[k].step == steps[i].step &&
              occurrence(theirs, k) == occurrence(steps, i) && theirs[k].instances > 0) {
            same.emplace_back(other, k);
          }
        }
      }
      if (same.size() < 2 || same.front().first != run) continue;
      ++expected;
      const auto found = std::find_if(got.steps.begin(), got.steps.end(), [&](const RankStep& one) {
        return one.phase == steps[i].phase && one.step == steps[i].step &&
               one.occurrence == occurrence(steps, i);
      });
      REQUIRE(found != got.steps.end());
      REQUIRE(found->parts.size() == same.size());
      double sum = 0;
      int64_t max_own = 0, max_exposed = 0;
      for (size_t part = 0; part < same.size(); ++part) {
        const kr::analyze::Breakdown time =
            job.steps[same[part].first].steps[same[part].second].time;
        CHECK(found->parts[part].run == same[part].first);
        CHECK(found->parts[part].time == time);
        const int64_t own = time.compute_ns + time.exposed_memory_ns + time.idle_ns;
        sum += static_cast<double>(own);
        max_own = std::max(max_own, own);
        max_exposed = std::max(max_exposed, time.exposed_communication_ns);
      }
      CHECK(found->parts[found->slowest].own_ns() == max_own);
      CHECK(found->parts[found->waits_most].time.exposed_communication_ns == max_exposed);
      CHECK(found->mean_own_ns == doctest::Approx(sum / static_cast<double>(same.size())));
      ++slowest[found->parts[found->slowest].run];
    }
  }
  CHECK(got.steps.size() == expected);
  for (size_t run = 0; run < slowest.size(); ++run) {
    CHECK(got.runs[run].slowest_steps.value_or(0) == slowest[run]);
    CHECK(got.runs[run].slowest_steps.has_value() == !got.steps.empty());
  }
}

}  // namespace

TEST_CASE("steps and balance of ranks are those of a slow computation") {
  Random random(5);
  // Steps without operations are compared: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(3000, 1); ++round) {
    CAPTURE(round);
    const Job job = random.job();
    const kr::analyze::Ranks got = job.compared();
    CHECK(got.not_comparable_reason.empty());
    std::vector<kr::analyze::Breakdown> times;
    for (const kr::analyze::RunSummary& run : job.summaries) {
      for (const kr::analyze::DeviceSum& device : run.devices) times.push_back(device);
    }
    REQUIRE(got.devices.size() == times.size());
    CHECK(got.balance.empty() == (times.size() < 2));
    for (const kr::analyze::Balance& one : got.balance) {
      if (one.what != "idle_ns") continue;
      int64_t sum = 0;
      for (const kr::analyze::Breakdown& time : times) sum += time.idle_ns;
      const auto [min, max] =
          std::minmax_element(times.begin(), times.end(),
                              [](const auto& a, const auto& b) { return a.idle_ns < b.idle_ns; });
      CHECK(one.min_ns == min->idle_ns);
      CHECK(one.max_ns == max->idle_ns);
      CHECK(times[one.least].idle_ns == one.min_ns);
      CHECK(times[one.most].idle_ns == one.max_ns);
      CHECK(one.mean_ns ==
            doctest::Approx(static_cast<double>(sum) / static_cast<double>(times.size())));
    }
    if (job.summaries.size() < 2) {
      CHECK(got.steps.empty());
      continue;
    }
    check_steps(job, got);
  }
}

TEST_CASE("the order of runs changes no number of ranks") {
  Random random(6);
  // The last device is left out of the balance: found in round 4.
  for (uint64_t round = 0; round < kr::test::rounds(500, 4); ++round) {
    CAPTURE(round);
    Job job = random.job();
    const kr::analyze::Ranks one = job.compared();
    std::reverse(job.summaries.begin(), job.summaries.end());
    std::reverse(job.steps.begin(), job.steps.end());
    const kr::analyze::Ranks other = job.compared();
    CHECK(one.steps.size() == other.steps.size());
    REQUIRE(one.balance.size() == other.balance.size());
    for (size_t i = 0; i < one.balance.size(); ++i) {
      CHECK(one.balance[i].max_over_mean == doctest::Approx(other.balance[i].max_over_mean));
    }
    for (size_t run = 0; run < one.runs.size(); ++run) {
      const kr::analyze::RankOfRun& mirrored = other.runs[one.runs.size() - 1 - run];
      CHECK(one.runs[run].number == mirrored.number);
    }
  }
}

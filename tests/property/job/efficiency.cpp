// Efficiencies of random jobs: their sums are those of bitmaps, with a bit per nanosecond of a
// short time line, and all identities hold in whole numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "job/efficiency_scopes.hpp"
#include "support/rounds.hpp"

namespace {

using kr::analyze::Kind;
using kr::job::Efficiency;
using kr::job::Nccl;
using kr::job::Ratio;
using kr::job::Wide;

constexpr int64_t longest = 40;

struct Operation {
  int64_t start, end;
  Kind kind;
  int label;
  size_t step;
};
struct Device {
  int32_t number;
  std::vector<Operation> operations;  // by start, the longer first
};
struct Run {
  int64_t clock;  // that of the run shows this much less
  std::vector<Device> devices;
};

const char* const labels[] = {"gemm", "norm", "nccl"};

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

  std::vector<Run> job(size_t steps) {
    std::vector<Run> runs(static_cast<size_t>(1 + below(3)));
    for (Run& run : runs) {
      run.clock = below(2) == 0 ? 0 : below(1'000'000'000);
      for (int32_t number = 0; number <= below(2); ++number) {
        Device& device = run.devices.emplace_back(Device{number, {}});
        for (int64_t left = 1 + below(6); left > 0; --left) {
          const int64_t a = below(longest), b = below(longest);
          const Kind kind = static_cast<Kind>(below(3));
          device.operations.push_back({std::min(a, b), std::max(a, b) + 1, kind,
                                       kind == Kind::communication ? 2 : static_cast<int>(below(2)),
                                       static_cast<size_t>(below(static_cast<int64_t>(steps)))});
        }
        std::stable_sort(device.operations.begin(), device.operations.end(),
                         [](const Operation& one, const Operation& two) {
                           return one.start != two.start ? one.start < two.start
                                                         : one.end > two.end;
                         });
      }
    }
    return runs;
  }

 private:
  std::mt19937_64 random_;
};

bool is_useful(Kind kind, Nccl reading) {
  return kind == Kind::compute || (kind == Kind::communication && reading == Nccl::useful);
}

/// How many nanoseconds have one of these operations.
template <class Wanted>
int64_t bits(const Device& device, const Wanted& wanted) {
  int64_t count = 0;
  for (int64_t t = 0; t < longest + 1; ++t) {
    count += std::any_of(
        device.operations.begin(), device.operations.end(),
        [&](const Operation& one) { return wanted(one) && one.start <= t && t < one.end; });
  }
  return count;
}

/// U, A and E, added over steps, slowly.
struct Slow {
  std::map<std::pair<size_t, int32_t>, std::array<int64_t, 3>> devices;  // both readings, active
  int64_t elapsed = 0;

  Slow(const std::vector<Run>& runs, const std::vector<size_t>& steps, bool whole) {
    for (const size_t step : steps) {
      const auto here = [&](const Operation& one) { return whole || one.step == step; };
      int64_t first = INT64_MAX, last = INT64_MIN;
      for (size_t run = 0; run < runs.size(); ++run) {
        for (const Device& device : runs[run].devices) {
          if (bits(device, here) == 0) continue;
          auto& sums = devices[{run, device.number}];
          for (const Nccl reading : kr::job::nccl_readings) {
            sums[static_cast<size_t>(reading)] += bits(device, [&](const Operation& one) {
              return here(one) && is_useful(one.kind, reading);
            });
          }
          sums[2] += bits(device, here);
          for (const Operation& one : device.operations) {
            if (!here(one)) continue;
            first = std::min(first, one.start);
            last = std::max(last, one.end);
          }
        }
      }
      if (last > first) elapsed += last - first;
    }
  }

  int64_t total(Nccl reading) const {
    int64_t sum = 0;
    for (const auto& [device, sums] : devices) sum += sums[static_cast<size_t>(reading)];
    return sum;
  }
  int64_t most(size_t which) const {
    int64_t most = 0;
    for (const auto& [device, sums] : devices) most = std::max(most, sums[which]);
    return most;
  }
};

bool same(const std::optional<Ratio>& a, Wide part, Wide whole) {
  if (!a) return whole == 0;
  return whole != 0 && a->part * whole == part * a->whole;
}

void check(const Efficiency& got, const Slow& slow) {
  REQUIRE(got.devices == static_cast<int64_t>(slow.devices.size()));
  CHECK(got.elapsed_ns == slow.elapsed);
  CHECK(got.one_clock);
  CHECK(got.max_active_ns == slow.most(2));
  for (const Nccl reading : kr::job::nccl_readings) {
    const int64_t useful = slow.total(reading);
    const int64_t most = slow.most(static_cast<size_t>(reading));
    CHECK(got.useful_ns[reading] == useful);
    CHECK(got.max_useful_ns[reading] == most);
    CHECK(same(got.parallel(reading), useful, Wide{got.devices} * slow.elapsed));
    CHECK(same(got.load_balance(reading), useful, Wide{got.devices} * most));
    CHECK(same(got.communication(reading), most, slow.most(2)));
    CHECK(same(got.orchestration(), slow.most(2), slow.elapsed));
    // PE = LB * CE * OE
    const auto balance = got.load_balance(reading);
    if (!balance) continue;
    const Ratio communication = *got.communication(reading);
    const Ratio orchestration = *got.orchestration();
    CHECK(same(got.parallel(reading), balance->part * communication.part * orchestration.part,
               balance->whole * communication.whole * orchestration.whole));
  }
}

void check_scaling(const Efficiency& before, const Efficiency& after) {
  for (const Nccl reading : kr::job::nccl_readings) {
    for (const kr::job::Scaling scaling : {kr::job::Scaling::strong, kr::job::Scaling::weak}) {
      const auto got = kr::job::scalability_of(before, after, reading, scaling);
      const bool weak = scaling == kr::job::Scaling::weak;
      if (after.useful_ns[reading] == 0) {
        CHECK_FALSE(got.global.has_value());
        continue;
      }
      const Ratio efficiency = *after.parallel(reading);
      // GE = PE * CS
      CHECK(same(got.global, efficiency.part * got.computation->part,
                 efficiency.whole * got.computation->whole));
      // GE / PE0 = E0 N0 / (E N), weak: E0 / E
      const Ratio reference = *before.parallel(reading);
      const Wide devices0 = weak ? 1 : before.devices;
      const Wide devices = weak ? 1 : after.devices;
      CHECK(got.global->part * reference.whole * after.elapsed_ns * devices ==
            got.global->whole * reference.part * before.elapsed_ns * devices0);
      CHECK(same(got.speedup, Wide{before.elapsed_ns} * (weak ? after.devices : 1),
                 Wide{after.elapsed_ns} * (weak ? before.devices : 1)));
    }
  }
}

/// As kr sums runs: by sweeps.
struct Summed {
  std::vector<kr::analyze::RunSummary> summaries;
  std::vector<kr::analyze::StepSums> steps;

  Summed(const std::vector<Run>& runs, size_t step_count) {
    for (const Run& run : runs) {
      kr::analyze::RunSummary& summary = summaries.emplace_back();
      summary.clock.utc_ns = run.clock;
      summary.dimensions.push_back({"substage", {}});
      kr::analyze::StepSums& of = steps.emplace_back();
      for (size_t step = 0; step < step_count; ++step) {
        kr::analyze::StepPart part;
        part.phase = "decode";
        std::vector<kr::analyze::StepDevice> devices;
        for (const Device& device : run.devices) {
          kr::analyze::DeviceSweep sweep;
          for (const Operation& one : device.operations) {
            if (one.step == step) sweep.add(one.kind, one.start - run.clock, one.end - run.clock);
          }
          sweep.finish();
          if (sweep.breakdown().operations == 0) continue;
          devices.push_back({sweep.breakdown(), device.number, sweep.first_start_ns()});
        }
        of.steps.add(part, devices);
      }
      for (const Device& device : run.devices) {
        kr::analyze::DeviceSweep sweep;
        for (const Operation& one : device.operations) {
          sweep.add(one.kind, one.start - run.clock, one.end - run.clock);
        }
        sweep.finish();
        summary.devices.push_back(
            {sweep.breakdown(), device.number, sweep.first_start_ns(), "GPU"});
      }
    }
  }

  kr::job::JobEfficiency efficiency() const {
    std::vector<kr::job::RunOfJob> ranks;
    for (size_t i = 0; i < summaries.size(); ++i) ranks.push_back({&summaries[i], &steps[i]});
    return kr::job::JobEfficiency(std::move(ranks));
  }
};

/// Whether all runs work at some time, so that their clocks are believed.
bool meet(const std::vector<Run>& runs) {
  int64_t last_start = INT64_MIN, first_end = INT64_MAX;
  for (const Run& run : runs) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const Device& device : run.devices) {
      for (const Operation& one : device.operations) {
        first = std::min(first, one.start);
        last = std::max(last, one.end);
      }
    }
    last_start = std::max(last_start, first);
    first_end = std::min(first_end, last);
  }
  return last_start <= first_end;
}

}  // namespace

TEST_CASE("sums of jobs are those of bitmaps, and identities hold exactly") {
  Random random(20241104);
  Efficiency before;
  size_t compared = 0;
  // Shifts of clocks are left out: found in round 1.
  const uint64_t rounds = kr::test::rounds(1500, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    constexpr size_t steps = 3;
    const std::vector<Run> runs = random.job(steps);
    if (!meet(runs)) continue;
    ++compared;
    const Summed summed(runs, steps);
    const kr::job::JobEfficiency job = summed.efficiency();
    check(job.whole(), Slow(runs, {0}, true));
    const auto phases = job.phases();
    REQUIRE(phases.size() == 1);
    const Slow by_step(runs, {0, 1, 2}, false);
    check(phases[0].efficiency, by_step);
    int64_t elapsed = 0;
    for (const kr::job::StepEfficiency& step : job.steps()) {
      check(step.efficiency, Slow(runs, {static_cast<size_t>(step.occurrence)}, false));
      elapsed += step.efficiency.elapsed_ns;
    }
    CHECK(elapsed == by_step.elapsed);
    if (before.devices > 0) check_scaling(before, job.whole());
    before = job.whole();
  }
  CHECK(compared > rounds / 15);
}

TEST_CASE("parts of labels add up to the parallel efficiency") {
  Random random(7);
  // The time of a label is that of its last device: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(300, 2); ++round) {
    CAPTURE(round);
    const std::vector<Run> runs = random.job(1);
    Summed summed(runs, 1);
    for (size_t run = 0; run < runs.size(); ++run) {
      for (const Device& device : runs[run].devices) {
        kr::analyze::UnionSweep kernels, compute;
        for (int label = 0; label < 3; ++label) {
          summed.summaries[run].kernel_times.push_back({0, labels[label], device.number, 0, 0});
        }
        auto* times = &summed.summaries[run].kernel_times.back() - 2;
        for (const Operation& one : device.operations) {
          if (one.kind == Kind::memory) continue;
          times[one.label].kernels_ns += kernels.add(one.start, one.end);
          if (one.kind == Kind::compute)
            times[one.label].compute_ns += compute.add(one.start, one.end);
        }
      }
    }
    const kr::job::JobEfficiency job = summed.efficiency();
    for (const Nccl reading : kr::job::nccl_readings) {
      int64_t sum = 0;
      Wide parts = 0;
      for (const kr::job::LabelEfficiency& label : job.labels()) {
        sum += label[reading].useful_ns;
        const Ratio part = *label[reading].part(job.whole());
        CHECK(part.whole == Wide{job.whole().devices} * job.whole().elapsed_ns);
        parts += part.part;
      }
      CHECK(sum == job.whole().useful_ns[reading]);
      CHECK(parts == job.whole().parallel(reading)->part);
    }
  }
}

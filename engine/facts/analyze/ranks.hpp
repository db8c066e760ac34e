// Compares the runs of one distributed job: the rank of each run, the balance of work over ranks
// and devices, and the rank that the others wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/as_job.hpp"
#include "analyze/steps.hpp"
#include "analyze/summary.hpp"

namespace kr::analyze {

struct RankNumber {
  enum class From : uint8_t {
    trace,  // the trace contains it
    name,   // the path contains it: `rank3.json`, `worker_3/trace.json`
    order,  // neither does: the smallest unused number, in the order of the runs
  };
  int64_t rank = 0;
  From from = From::order;

  friend bool operator==(const RankNumber&, const RankNumber&) = default;
};

/// A run. Steps are compared only if those of all runs are known one by one.
struct RankInput {
  const RunSummary* summary = nullptr;
  const StepSums* steps = nullptr;
};

/// By run. Where numbers are missing or repeat, as those of replicas do, but the places of all runs
/// (DP, EP, PP, TP) are known and differ, ranks are numbered in their order.
std::vector<RankNumber> rank_numbers(const std::vector<RankInput>& runs);
const char* to_string(RankNumber::From from) noexcept;

/// One device of one run.
struct RankDevice {
  size_t run = 0;
  int32_t device = 0;
  Breakdown time;
};

/// The balance of one measure over all devices of all ranks.
struct Balance {
  std::string what;  // `compute_ns`
  int64_t min_ns = 0;
  double mean_ns = 0;
  int64_t max_ns = 0;
  double max_over_mean = 0;  // 1 if all are equal; 0 if all are 0
  size_t least = 0;          // the device; the first of several
  size_t most = 0;
};

/// A step on several ranks: the same phase, number and occurrence.
struct RankStep {
  struct Part {
    size_t run = 0;
    size_t step = 0;  // its place among the run's steps
    Breakdown time;
    /// The rank's own time: all except exposed communication.
    int64_t own_ns() const noexcept { return time.span_ns - time.exposed_communication_ns; }
  };
  std::string phase;
  std::optional<int64_t> step;
  int64_t occurrence = 0;   // from 0, among steps of that phase and number
  std::vector<Part> parts;  // by run; those that launched operations
  size_t slowest = 0;       // the part with the most own time
  size_t waits_most = 0;    // the part with the most exposed communication
  double mean_own_ns = 0;   // of the parts
  double slowest_over_mean = 0;
};

struct RankOfRun {
  RankNumber number;
  /// Of the steps on several ranks; nullopt if steps are not compared.
  std::optional<int64_t> slowest_steps;
};

struct Ranks {
  std::vector<RankOfRun> runs;
  /// Why the runs are not compared as ranks: they seem to be of different jobs. Empty: they are
  /// compared; otherwise the following members are empty.
  std::string not_comparable_reason;
  /// With AsJob::yes: what AsJob::automatic would say. Empty: the same.
  std::string forced_although;
  std::vector<RankDevice> devices;  // by run, then device
  std::vector<Balance> balance;     // of two or more devices
  std::vector<RankStep> steps;      // of two or more runs, in the order of the first run
};

/// Several runs are one job if
/// - no two have the same rank, their numbers of processes (world sizes) are equal and not less
/// than
///   the number of runs, and no two that contain their clock are an hour or more apart;
/// - and each says which rank it is (in the trace or in its name), or is a process of a merged
///   trace, or they are of different files that all contain their clock, and there is a time when
///   all of them ran.
///
/// With AsJob::yes, runs whose rank another has are numbered like those without one.
Ranks compare_ranks(const std::vector<RankInput>& runs, AsJob as_job = AsJob::automatic);
/// Whether a report shows how even the work is: several devices, of a single run or of ranks.
bool shown_together(const Ranks& ranks) noexcept;

/// A label's busy time over all runs.
struct LabelBalance {
  std::string label;
  int64_t sum_ns = 0;
  double mean_ns = 0;  // of all runs, including those without the label
  int64_t max_ns = 0;
  double max_over_mean = 0;
  size_t most = 0;  // the run with the most time; the first of several
};
/// The labels of a dimension, by descending sum, then by label. Sums saturate at the largest 64-bit
/// number.
std::vector<LabelBalance> balance_labels(const std::vector<const RunSummary*>& runs,
                                         std::string_view dimension);

}  // namespace kr::analyze

// Runs of one distributed job side by side: which rank each is, how evenly work is spread over them
// and their devices, which rank the others wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/statistics.hpp"

namespace kr::analyze {

struct RankNumber {
  enum class From : uint8_t {
    trace,  // it says so
    name,   // its path does: `rank3.json`, `worker_3/trace.json`
    order,  // nothing does: the smallest number that is left, in the order given
  };
  int64_t rank = 0;
  From from = From::order;

  friend bool operator==(const RankNumber&, const RankNumber&) = default;
};

/// By run.
std::vector<RankNumber> rank_numbers(const std::vector<const RunSummary*>& runs);
/// The number behind the last `rank` or `worker` in a path, with nothing, `-`, `_`, `.` or `=`
/// between; none where there is none.
std::optional<int64_t> rank_in_path(std::string_view path);
const char* to_string(RankNumber::From from) noexcept;

/// One device of one run.
struct RankDevice {
  size_t run = 0;
  int32_t device = 0;
  Breakdown time;
};

/// One number over all devices of all ranks.
struct Balance {
  std::string what;  // `compute_ns`
  int64_t min_ns = 0;
  double mean_ns = 0;
  int64_t max_ns = 0;
  double max_over_mean = 0;  // 1 where all are alike; 0 where all are 0
  size_t least = 0;          // which of the devices; of several the first
  size_t most = 0;
};

/// A step as the ranks met it: the same phase and number, and the same one among those.
struct RankStep {
  struct Part {
    size_t run = 0;
    size_t step = 0;  // its place among the run's steps
    Breakdown time;
    /// Time that the rank needs itself: all but exposed communication.
    int64_t own_ns() const noexcept { return time.span_ns - time.exposed_communication_ns; }
  };
  std::string phase;
  std::optional<int64_t> step;
  int64_t occurrence = 0;   // from 0, among steps of that phase and number
  std::vector<Part> parts;  // by run; those that launched something
  size_t slowest = 0;       // of the parts: the one with most time of its own
  size_t waits_most = 0;    // the one with most exposed communication
  double mean_own_ns = 0;   // of the parts
  double slowest_over_mean = 0;
};

/// Kernels of one name that communicate. The k-th on one rank is taken to be the k-th on every
/// other: the one that takes least did not wait, the others wait for it to come.
struct Collective {
  std::string name;
  int64_t instances = 0;               // on each rank
  std::vector<int64_t> total_ns;       // by run
  std::vector<int64_t> waiting_ns;     // by run: beyond the shortest of the same on any rank
  int64_t waited_ns() const noexcept;  // by all
};

struct RankOfRun {
  RankNumber number;
  /// In collectives that all ranks have equally many of; none where there is no such collective.
  std::optional<int64_t> waiting_ns;
  /// Of those that several ranks have; none where steps are not compared.
  std::optional<int64_t> slowest_steps;
};

struct Ranks {
  std::vector<RankOfRun> runs;
  std::optional<int64_t> world_size;  // that the traces tell
  std::string backend;
  /// Why the runs are not compared as ranks: they are of different jobs, as far as that can be
  /// seen. Empty: they are. What follows is empty where they are not.
  std::string not_comparable_reason;
  std::vector<RankDevice> devices;      // by run, then device
  std::vector<Balance> balance;         // of two and more devices
  std::vector<RankStep> steps;          // that two and more runs have, in the order of the first
  std::vector<Collective> collectives;  // of two and more runs; waited for longest first
  std::vector<std::string> uneven;      // communicating names that ranks have in different numbers
};

/// A run; without its statistics neither steps nor collectives are compared.
struct RankInput {
  const RunSummary* summary = nullptr;
  const RunStatistics* statistics = nullptr;
};
Ranks compare_ranks(const std::vector<RankInput>& runs);
/// Of runs by their sums alone.
Ranks compare_ranks(const std::vector<const RunSummary*>& runs);
/// Whether these runs are ranks of one job as far as traces or their names tell, not only by the
/// order they are given in.
bool ranks_identified(const Ranks& ranks) noexcept;
/// Whether a report shows them as one job: there are several devices, of one run or of such ranks.
bool shown_together(const Ranks& ranks) noexcept;

/// A label's elapsed time over all runs.
struct LabelBalance {
  std::string label;
  int64_t sum_ns = 0;
  double mean_ns = 0;  // of the runs, those without it among them
  int64_t max_ns = 0;
  double max_over_mean = 0;
  size_t most = 0;  // the run with most of it; of several the first
};
/// Of a dimension; sum falling, then by label. Labels whose sum does not fit in 64 bits are told
/// with the largest that does.
std::vector<LabelBalance> balance_labels(const std::vector<const RunSummary*>& runs,
                                         std::string_view dimension);

}  // namespace kr::analyze

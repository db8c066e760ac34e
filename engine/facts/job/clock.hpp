// One clock for the runs of a job. Each trace may tell its own host's clock (trace::Clock); what is
// left of differences is found from collectives.
//
// A collective that needs data of all ends on no member before the last has begun. With D added to
// the clock of a run, and s, e the start and end of the k-th collective on the run (r) and on the
// reference (0):
//
//     low = max over k (s0 - er)  <=  D  <=  high = min over k (e0 - sr)
//
// A broadcast or scatter needs data of its root alone, and a reduce or gather brings data to its
// root alone. Where the root is known, they bound one side: s0 - er from below if the data go from
// the reference to the run, e0 - sr from above if they go the other way.
//
// The estimate is the median of (e0 - er), moved between these bounds: members of an allreduce,
// allgather, reducescatter or barrier end together. If two runs have fewer than 8 of these, it is
// the median of all that need data of all, although members of an alltoall or sendrecv may end
// apart.
//
// Where two clocks are recorded and 0 is between the bounds, they may be the same: they may differ
// by less than a collective takes. The clock is moved all the same where ends differ by more than
// noise: there are 8 collectives or more, nine of ten differences have the sign of the estimate,
// and it is larger than 3 median deviations of them, and than 1 us, the resolution of many traces;
// if members may end apart, than 50 us. (On one clock, ends of allreduces differ by up to 5 us,
// with a median within one deviation. The median of sendrecvs between two GPUs was 10 and 22 us,
// with deviations of 8 and 3 us; 50 us is more than twice that.) A clock drifts where a line
// through the differences rises by more than 3 deviations from it over all collectives; the line is
// applied where no constant is between the bounds, or it rises by more than 6 deviations and more
// than the same 1 or 50 us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/saturated.hpp"
#include "job/member.hpp"
#include "job/options.hpp"
#include "trace/trace.hpp"

namespace kr::job {

/// A run, and what is to be known of it for its clock.
struct JobRun {
  std::span<const Member> members;
  trace::Clock clock;
  std::optional<int64_t> rank = {};        // in the job; nullopt: not known
  std::optional<int64_t> world_size = {};  // processes of the job; nullopt: not known
};

/// The clock of a run. Times and differences in ns.
struct RankClock {
  enum class From : uint8_t {
    own,          // nothing relates it to another run
    utc,          // the trace contains it
    collectives,  // moved, or known at all, by collectives
  };
  /// What collectives say. All is relative to `reference`: what to add to the run's clock (with
  /// `base_ns`) to have that of the reference (with its own). Of runs that have no collective with
  /// the reference it is the sum over the runs between them.
  struct Estimate {
    int64_t collectives = 0;  // of the run and the one before it on the way to the reference
    int64_t low_ns = 0;       // hard bounds; low > high: they drift, or were not matched rightly
    int64_t high_ns = 0;
    int64_t offset_ns = 0;
    /// Median deviation of the differences of ends; from the line if a drift is applied.
    int64_t deviation_ns = 0;
    /// How much the offset grows in a second of this run; nullopt: less than noise.
    std::optional<double> drift_ns_per_s;
  };

  /// Times of runs with the same number may be compared.
  size_t clock = 0;
  /// The run that the estimate is relative to. Itself: nothing is estimated.
  size_t reference = 0;
  From from = From::own;
  std::optional<Estimate> estimate;  // nullopt: without collectives, or of a reference
  int64_t base_ns = 0;               // what the trace contains: ns since 1970 of its time 0; or 0
  int64_t applied_ns = 0;            // added beside `base_ns`
  // Added, too, where the clock drifts beyond doubt: a line through 0 at `drift_zero_ns` of the
  // run's own time.
  double applied_drift = 0;
  int64_t drift_zero_ns = 0;

  int64_t shift_ns() const noexcept { return add_saturated(base_ns, applied_ns); }
  /// A time of the run on the clock `clock`.
  int64_t on_clock(int64_t time_ns) const noexcept;
};
const char* to_string(RankClock::From from) noexcept;

struct ClockTable {
  std::vector<RankClock> ranks;  // by run

  /// To be added to times of a run to have them on its `clock`, but for a drift.
  int64_t shift_ns(size_t run) const noexcept { return ranks[run].shift_ns(); }
  /// A time of a run on its `clock`.
  int64_t on_clock(size_t run, int64_t time_ns) const noexcept {
    return ranks[run].on_clock(time_ns);
  }
  /// Whether times of two runs may be compared.
  bool comparable(size_t run, size_t other) const noexcept {
    return ranks[run].clock == ranks[other].clock;
  }
  /// Whether times of all runs may be compared.
  bool is_one() const noexcept;
};

struct MatchedGroup;

/// `groups`: those of match_collectives, of the same runs.
ClockTable find_clocks(std::span<const JobRun> runs, std::span<const MatchedGroup> groups,
                       ClockPolicy policy = default_clock_policy);

}  // namespace kr::job

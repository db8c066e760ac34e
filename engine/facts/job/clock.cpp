#include "job/clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/in_parallel.hpp"
#include "job/line.hpp"
#include "job/match.hpp"

namespace kr::job {
namespace {

using Estimate = RankClock::Estimate;

/// Later than the year 2100 no trace was made.
constexpr int64_t last_utc_ns = int64_t{1} << 62;

// The noise of ends on one clock: see clock.hpp.
constexpr size_t fewest_ends = 8;
constexpr double end_deviations = 3;
constexpr double drift_deviations = 6;
constexpr int64_t resolution_ns = 1'000;
constexpr int64_t apart_ns = 50'000;

/// Whether a difference is more than noise of this median deviation.
bool exceeds(int64_t difference, double deviations, int64_t deviation, int64_t least) noexcept {
  const double size = std::abs(static_cast<double>(difference));
  return size > deviations * static_cast<double>(deviation) && size > static_cast<double>(least);
}

std::optional<int64_t> utc_of(const JobRun& run) {
  const auto& utc = run.clock.utc_ns;
  return utc && *utc > -last_utc_ns && *utc < last_utc_ns ? utc : std::nullopt;
}

/// What collectives say of two runs. Times count from the base of each.
struct Edge {
  Estimate estimate;
  Line line;             // of the difference, through the ends on the second run's own clock
  bool drifts = false;   // the line is applied, and the estimate is that at its middle
  bool differs = false;  // by more than noise
};

/// A collective on the devices of one run.
struct Times {
  int64_t start = std::numeric_limits<int64_t>::min();  // the last
  int64_t end = std::numeric_limits<int64_t>::max();    // the first
};

/// Where the data of a collective go, seen from two runs.
enum class Flow : uint8_t { both, to_other, to_reference };

struct Bounds {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  void add(const Times& reference, const Times& other, Flow flow) noexcept {
    if (flow != Flow::to_reference) {
      low = std::max(low, subtract_saturated(reference.start, other.end));
    }
    if (flow != Flow::to_other) {
      high = std::min(high, subtract_saturated(reference.end, other.start));
    }
  }
};

class Finder {
 public:
  Finder(std::span<const JobRun> runs, std::span<const MatchedGroup> groups, ClockPolicy policy)
      : runs_(runs),
        groups_(groups),
        policy_(policy),
        groups_of_(runs.size()),
        rooted_of_(runs.size()) {
    for (size_t i = 0; i < groups.size(); ++i) {
      const CollectiveKind kind = groups[i].group.kind;
      const bool rooted = has_source(kind) || has_target(kind);
      if (!groups[i].matched || (!needs_all(kind) && !rooted)) continue;
      for (const MatchedGroup::Part& part : groups[i].parts) {
        std::vector<size_t>& of = (rooted ? rooted_of_ : groups_of_)[part.run];
        if (of.empty() || of.back() != i) of.push_back(i);
      }
    }
    out_.ranks.resize(runs.size());
    for (size_t run = 0; run < runs.size(); ++run) {
      RankClock& rank = out_.ranks[run];
      rank.clock = rank.reference = run;
      rank.base_ns = policy == ClockPolicy::none ? 0 : utc_of(runs[run]).value_or(0);
    }
  }

  ClockTable find() && {
    if (policy_ == ClockPolicy::none) return std::move(out_);
    // Roots are runs with a clock, as far as there are some.
    std::vector<size_t> order;
    for (const bool with_utc : {true, false}) {
      for (size_t run = 0; run < runs_.size(); ++run) {
        if (has_utc(run) == with_utc) order.push_back(run);
      }
    }
    reached_.assign(runs_.size(), false);
    first_ = order.empty() ? 0 : order.front();
    for (const size_t run : order) {
      if (!reached_[run]) grow(run);
    }
    return std::move(out_);
  }

 private:
  bool has_utc(size_t run) const { return utc_of(runs_[run]).has_value(); }

  /// All clocks that traces tell are one.
  void use_utc(RankClock& rank) const {
    rank.clock = first_;
    rank.from = RankClock::From::utc;
  }

  /// All runs that have a collective with `root`, or with one that has.
  void grow(size_t root) {
    reached_[root] = true;
    if (has_utc(root)) use_utc(out_.ranks[root]);
    std::vector<size_t> level{root};
    while (!level.empty()) {
      std::vector<std::pair<size_t, size_t>> edges;
      for (const size_t from : level) {
        for (const size_t group : groups_of_[from]) {
          for (const MatchedGroup::Part& part : groups_[group].parts) {
            if (reached_[part.run]) continue;
            reached_[part.run] = true;
            edges.emplace_back(from, part.run);
          }
        }
      }
      in_parallel(edges.size(), [&](size_t i) { join(edges[i].first, edges[i].second, root); });
      level.clear();
      for (const auto& [from, to] : edges) level.push_back(to);
    }
  }

  void join(size_t from, size_t to, size_t root) {
    const RankClock& before = out_.ranks[from];
    RankClock& rank = out_.ranks[to];
    const Edge edge = measure(from, to);
    Estimate& sum = rank.estimate.emplace(edge.estimate);
    rank.reference = root;
    if (before.estimate) {
      const Estimate& first = *before.estimate;
      sum.low_ns = add_saturated(first.low_ns, sum.low_ns);
      sum.high_ns = add_saturated(first.high_ns, sum.high_ns);
      sum.offset_ns = add_saturated(first.offset_ns, sum.offset_ns);
      sum.deviation_ns = add_saturated(first.deviation_ns, sum.deviation_ns);
      if (first.drift_ns_per_s) {
        sum.drift_ns_per_s = *first.drift_ns_per_s + sum.drift_ns_per_s.value_or(0);
      }
    }
    if (policy_ == ClockPolicy::utc) {
      if (has_utc(to)) use_utc(rank);
      return;
    }
    rank.clock = before.clock;
    apply(edge, before, from, has_utc(from) && has_utc(to), rank);
  }

  /// The run is moved to the clock of `from`, and with that to what this is moved to.
  void apply(const Edge& edge, const RankClock& before, size_t from, bool recorded,
             RankClock& rank) {
    const Estimate& own = edge.estimate;
    const bool may_be_one = own.low_ns <= 0 && 0 <= own.high_ns;
    const bool contradicts = own.low_ns > own.high_ns && !edge.drifts;
    const bool moves = !recorded || (!contradicts && (!may_be_one || edge.differs));
    rank.from = moves || before.from == RankClock::From::collectives ? RankClock::From::collectives
                                                                     : RankClock::From::utc;
    rank.applied_ns = add_saturated(before.applied_ns, moves ? own.offset_ns : 0);
    rank.applied_drift = before.applied_drift;
    const int64_t shift = add_saturated(rank.base_ns, moves ? own.offset_ns : 0);
    rank.drift_zero_ns =
        subtract_saturated(add_saturated(before.drift_zero_ns, base_of(from)), shift);
    if (!moves || !edge.drifts) return;
    // The sum of two lines, one of them through 0 elsewhere.
    const Line inherited{.slope = before.applied_drift, .zero = rank.drift_zero_ns};
    rank.applied_ns = add_saturated(rank.applied_ns, inherited.rise(edge.line.zero));
    rank.applied_drift += edge.line.slope;
    rank.drift_zero_ns = edge.line.zero;
  }

  int64_t base_of(size_t run) const { return out_.ranks[run].base_ns; }

  /// The k-th on the devices of a run: of `parts`, on the clock of its trace.
  Times times(const std::vector<const MatchedGroup::Part*>& parts, size_t k) const {
    Times all;
    for (const MatchedGroup::Part* const part : parts) {
      const CollectiveInstance& one =
          runs_[part->run].members[part->member].collectives[part->instances[k]];
      all.start = std::max(all.start, one.start_ns);
      all.end = std::min(all.end, one.end_ns);
    }
    const int64_t base = base_of(parts.front()->run);
    return {add_saturated(all.start, base), add_saturated(all.end, base)};
  }

  /// Which way the data of the k-th go between two runs; nullopt: it is not known, or no way. A
  /// rank is that of a run with one device.
  std::optional<Flow> flow(const MatchedGroup& group, size_t from, size_t to, size_t k) const {
    std::optional<int32_t> root;
    for (const MatchedGroup::Part& part : group.parts) {
      const int32_t peer = runs_[part.run].members[part.member].collectives[part.instances[k]].peer;
      if (peer == CollectiveInstance::unknown || peer != root.value_or(peer)) return std::nullopt;
      root = peer;
    }
    const auto is_root = [&](size_t run) {
      return runs_[run].members.size() == 1 && runs_[run].rank == int64_t{*root};
    };
    const bool source = has_source(group.group.kind);
    if (is_root(from)) return source ? Flow::to_other : Flow::to_reference;
    if (is_root(to)) return source ? Flow::to_reference : Flow::to_other;
    return std::nullopt;
  }

  /// Calls `tell` with the times of each collective with a root that both runs have, and where its
  /// data go.
  template <class Tell>
  void each_rooted(size_t from, size_t to, const Tell& tell) const {
    for (const size_t i : rooted_of_[from]) {
      const MatchedGroup& group = groups_[i];
      const MatchedGroup::Part* of_from = nullptr;
      const MatchedGroup::Part* of_to = nullptr;
      for (const MatchedGroup::Part& part : group.parts) {
        if (part.run == from) of_from = &part;
        if (part.run == to) of_to = &part;
      }
      if (of_to == nullptr) continue;
      for (size_t k = 0; k < group.instances(); ++k) {
        if (const auto way = flow(group, from, to, k)) {
          tell(times({of_from}, k), times({of_to}, k), *way);
        }
      }
    }
  }

  /// Calls `tell` with the kind and the times of each collective that both runs have.
  template <class Tell>
  void each(size_t from, size_t to, const Tell& tell) const {
    std::vector<const MatchedGroup::Part*> of_from, of_to;
    for (const size_t i : groups_of_[from]) {
      const MatchedGroup& group = groups_[i];
      of_from.clear();
      of_to.clear();
      for (const MatchedGroup::Part& part : group.parts) {
        if (part.run == from) of_from.push_back(&part);
        if (part.run == to) of_to.push_back(&part);
      }
      if (of_to.empty()) continue;
      for (size_t k = 0; k < group.instances(); ++k) {
        tell(group.group.kind, times(of_from, k), times(of_to, k));
      }
    }
  }

  /// The differences of ends: of collectives that end together, if there are enough of them.
  struct Ends {
    std::vector<Point> points;  // over the end on the second run's own clock
    bool together = false;
    int64_t all = 0;  // collectives

    /// Differences up to this are noise, however even they are.
    int64_t min_ns() const noexcept { return together ? resolution_ns : apart_ns; }
  };

  Ends ends_of(size_t from, size_t to, Bounds& bounds) const {
    const int64_t base = base_of(to);
    Ends ends;
    std::vector<Point> together;
    each(from, to, [&](CollectiveKind kind, const Times& reference, const Times& other) {
      bounds.add(reference, other, Flow::both);
      const Point one{subtract_saturated(other.end, base),
                      subtract_saturated(reference.end, other.end)};
      ends.points.push_back(one);
      if (ends_together(kind)) together.push_back(one);
    });
    ends.all = static_cast<int64_t>(ends.points.size());
    ends.together = together.size() >= fewest_ends;
    if (ends.together) ends.points = std::move(together);
    return ends;
  }

  Edge measure(size_t from, size_t to) const {
    Bounds bounds;
    const Ends ends = ends_of(from, to, bounds);
    int64_t rooted = 0;
    each_rooted(from, to, [&](const Times& reference, const Times& other, Flow flow) {
      bounds.add(reference, other, flow);
      ++rooted;
    });
    Edge edge;
    edge.line = fit_line(ends.points);
    std::vector<int64_t> differences;
    differences.reserve(ends.points.size());
    for (const Point& one : ends.points) differences.push_back(one.y);
    const int64_t median = lower_median(differences);
    for (int64_t& one : differences) {
      one = subtract_saturated(std::max(one, median), std::min(one, median));
    }
    edge.estimate.collectives = ends.all + rooted;
    edge.estimate.deviation_ns = lower_median(differences);
    int64_t middle = median;
    if (edge.line.is_steep()) {
      edge.estimate.drift_ns_per_s = edge.line.slope * 1e9;
      edge.drifts = apply_line(from, to, edge.line, ends.min_ns(), bounds);
    }
    if (edge.drifts) {
      middle = edge.line.height;
      edge.estimate.deviation_ns = edge.line.deviation;
    }
    edge.differs = edge.drifts || differs(ends, median, edge.estimate.deviation_ns);
    edge.estimate.low_ns = bounds.low;
    edge.estimate.high_ns = bounds.high;
    edge.estimate.offset_ns =
        bounds.low <= bounds.high ? std::clamp(middle, bounds.low, bounds.high) : middle;
    return edge;
  }

  static bool differs(const Ends& ends, int64_t median, int64_t deviation) {
    const std::vector<Point>& all = ends.points;
    const auto same_sign = std::count_if(all.begin(), all.end(), [&](const Point& one) {
      return median < 0 ? one.y < 0 : one.y > 0;
    });
    return all.size() >= fewest_ends && 10 * same_sign >= 9 * std::ssize(all) &&
           exceeds(median, end_deviations, deviation, ends.min_ns());
  }

  /// Whether a drift is to be applied: `bounds` are then those along the line.
  bool apply_line(size_t from, size_t to, const Line& line, int64_t min_ns, Bounds& bounds) const {
    const int64_t rise = line.rise(add_saturated(line.zero, line.span));
    const bool rises = exceeds(rise, drift_deviations, line.deviation, min_ns);
    if (bounds.low <= bounds.high && !rises) return false;
    const Bounds along = bounds_along(from, to, line);
    if (along.low > along.high) return false;
    bounds = along;
    return true;
  }

  /// Of the offset at the zero of the line, after the clock is turned by its slope.
  Bounds bounds_along(size_t from, size_t to, const Line& line) const {
    const int64_t base = base_of(to);
    const auto turned = [&](int64_t time) {
      return add_saturated(time, line.rise(subtract_saturated(time, base)));
    };
    Bounds bounds;
    each(from, to, [&](CollectiveKind, const Times& reference, const Times& other) {
      bounds.add(reference, {turned(other.start), turned(other.end)}, Flow::both);
    });
    each_rooted(from, to, [&](const Times& reference, const Times& other, Flow flow) {
      bounds.add(reference, {turned(other.start), turned(other.end)}, flow);
    });
    return bounds;
  }

  std::span<const JobRun> runs_;
  std::span<const MatchedGroup> groups_;
  ClockPolicy policy_;
  std::vector<std::vector<size_t>> groups_of_;  // by run: those that tell of clocks
  std::vector<std::vector<size_t>> rooted_of_;  // the same: those that bound one side
  std::vector<bool> reached_;
  size_t first_ = 0;  // run with a clock, if there is one
  ClockTable out_;
};

}  // namespace

const char* to_string(ClockPolicy policy) noexcept {
  switch (policy) {
    case ClockPolicy::utc:
      return "utc";
    case ClockPolicy::collectives:
      return "collectives";
    case ClockPolicy::none:
      break;
  }
  return "none";
}

const char* to_string(RankClock::From from) noexcept {
  switch (from) {
    case RankClock::From::utc:
      return "utc";
    case RankClock::From::collectives:
      return "collectives";
    case RankClock::From::own:
      break;
  }
  return "own";
}

int64_t RankClock::on_clock(int64_t time_ns) const noexcept {
  const Line drift{.slope = applied_drift, .zero = drift_zero_ns};
  const int64_t turned = applied_drift == 0 ? time_ns : add_saturated(time_ns, drift.rise(time_ns));
  return add_saturated(turned, shift_ns());
}

bool ClockTable::is_one() const noexcept {
  return std::all_of(ranks.begin(), ranks.end(),
                     [&](const RankClock& one) { return one.clock == ranks.front().clock; });
}

ClockTable find_clocks(std::span<const JobRun> runs, std::span<const MatchedGroup> groups,
                       ClockPolicy policy) {
  return Finder(runs, groups, policy).find();
}

}  // namespace kr::job

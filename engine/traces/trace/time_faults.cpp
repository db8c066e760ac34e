#include "trace/time_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace kr::trace {
namespace {

constexpr int64_t a_day_ns = int64_t{24} * 3600 * 1'000'000'000;

// Of a trace whose operations start earlier, 0 is a time as any other.
constexpr int64_t late_start_ns = 1'000;
// What is shorter needs no proof: it moves nothing.
constexpr int64_t long_ns = 1'000'000;
// Operations of a stream that are open at the same time: more are not looked at.
constexpr size_t max_open = 8;
// Of operations that contain later ones: see time_faults.hpp.
constexpr uint32_t fewest_inside = 2;
constexpr int64_t times_all_others = 4;
constexpr uint32_t fewest_inside_of_name = 8;
/// What ends behind all others may be less than so many times as long as others of its name.
constexpr int64_t times_name_at_end = 10;
/// What has so much inside, one part of `parts`, may be less than so many times as long.
struct NameBound {
  int64_t parts;
  int64_t times;
};
constexpr std::array name_bounds{NameBound{2, 10}, NameBound{10, 100}};
// Of operations that are far from all others.
constexpr uint32_t times_fewer = 10;

constexpr std::array<std::string_view, time_fault_count> fault_texts{
    "without a start, an end or a duration",
    "with a negative start or duration",
    "with a time beyond 64 bits of nanoseconds",
    "with an end before the start",
    "with a start of zero, which others do not have",
    "far from all others (more than a day)",
    "longer than the stream allows",
};

/// `a` is at least `times` as long as `b`.
bool is_times(int64_t a, int64_t times, int64_t b) noexcept {
  return a / times >= b;
}

/// An operation that contains whole later operations of its stream.
struct Container {
  uint32_t place;
  uint32_t inside = 0;
  int64_t inside_ns = 0;
};

/// Operations in order, by stream: which ones contain others.
class StreamSweep {
 public:
  explicit StreamSweep(size_t tracks) : streams_(tracks) {}

  void add(uint32_t track, const Operation& operation, uint32_t place) {
    Stream& stream = streams_[track];
    if (operation.start_ns >= stream.end_ns) {
      stream.end_ns = operation.end_ns();
      stream.last = {operation.start_ns, stream.end_ns, place, none};
      if (!stream.open.empty()) stream.open.clear();
      return;
    }
    add_overlapping(stream, operation, place);
  }
  /// Those with enough inside, by place.
  std::vector<Container> containers() && {
    std::erase_if(found_, [](const Container& one) { return one.inside < fewest_inside; });
    std::sort(found_.begin(), found_.end(),
              [](const Container& a, const Container& b) { return a.place < b.place; });
    return std::move(found_);
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  struct Open {
    int64_t start_ns = 0;
    int64_t end_ns = 0;
    uint32_t place = 0;
    uint32_t found = none;  // in `found_`
  };
  struct Stream {
    int64_t end_ns = std::numeric_limits<int64_t>::min();  // of all of them
    Open last;               // the one that is open, unless there are several
    std::vector<Open> open;  // empty: no two have overlapped
  };

  void add_overlapping(Stream& stream, const Operation& operation, uint32_t place) {
    std::vector<Open>& open = stream.open;
    if (open.empty()) open.push_back(stream.last);
    std::erase_if(open, [&](const Open& one) { return one.end_ns <= operation.start_ns; });
    for (Open& one : open) {
      const bool whole = one.start_ns < operation.start_ns && operation.end_ns() <= one.end_ns;
      if (whole && operation.duration_ns > 0) contains(one, operation.duration_ns);
    }
    open.push_back({operation.start_ns, operation.end_ns(), place, none});
    if (open.size() > max_open) {
      open.erase(std::min_element(open.begin(), open.end(), [](const Open& a, const Open& b) {
        return a.end_ns < b.end_ns;
      }));
    }
    stream.end_ns = std::max(stream.end_ns, operation.end_ns());
  }

  void contains(Open& one, int64_t duration_ns) {
    if (one.found == none) {
      one.found = static_cast<uint32_t>(found_.size());
      found_.push_back({one.place});
    }
    Container& container = found_[one.found];
    ++container.inside;
    container.inside_ns += duration_ns;
  }

  std::vector<Stream> streams_;
  std::vector<Container> found_;
};

/// Operations with no gap of more than a day between them.
struct TimeGroup {
  uint32_t begin = 0;  // a place
  uint32_t operations = 0;
  bool zero = true;  // all starts are 0
};

class FaultSearch {
 public:
  FaultSearch(const SortedOperations& sorted, bool known_streams, bool from_zero)
      : sorted_(sorted),
        known_streams_(known_streams),
        from_zero_(from_zero),
        streams_(sorted.track_count) {}

  std::vector<FaultyOperation> run() {
    const GrowingArray<Operation>& operations = sorted_.operations;
    for (uint32_t i = 0; i < operations.size(); ++i) look_at(operations[i], i);
    if (groups_.size() > 1) find_far();
    if (zeros_ > 0 && !groups_.empty() && operations[last_timed_].start_ns > 0) find_zeros();
    if (known_streams_) find_too_long(std::move(streams_).containers());
    std::sort(found_.begin(), found_.end(),
              [](const auto& a, const auto& b) { return a.place < b.place; });
    return std::move(found_);
  }

 private:
  void look_at(const Operation& operation, uint32_t place) {
    if (const auto fault = fault_of_start(operation.start_ns)) {
      found_.push_back({place, *fault, false});
      return;
    }
    if (const auto fault = fault_of_duration(operation.duration_ns)) {
      found_.push_back({place, *fault, true});
      return;
    }
    if (operation.duration_ns > a_day_ns) {
      found_.push_back({place, TimeFault::too_long, true});
      return;
    }
    if (operation.start_ns > std::numeric_limits<int64_t>::max() - operation.duration_ns) {
      found_.push_back({place, TimeFault::too_large, true});
      return;
    }
    if (operation.start_ns == 0 && operation.duration_ns == 0) {
      ++zeros_;
    } else {
      begins_at_zero_ = begins_at_zero_ || operation.start_ns == 0;
      if (operation.start_ns > 0) first_other_ns_ = std::min(first_other_ns_, operation.start_ns);
    }
    streams_.add(sorted_.track(operation), operation, place);
    group(operation, place);
  }

  void group(const Operation& operation, uint32_t place) {
    // A difference of 64 bits that are signed might not fit.
    const auto gap_ns =
        static_cast<uint64_t>(operation.start_ns) - static_cast<uint64_t>(covered_to_ns_);
    const bool apart = operation.start_ns > covered_to_ns_ && gap_ns > uint64_t{a_day_ns};
    if (groups_.empty() || apart) groups_.push_back({place});
    TimeGroup& last = groups_.back();
    ++last.operations;
    last.zero = last.zero && operation.start_ns == 0;
    last_timed_ = place;
    covered_to_ns_ = std::max(covered_to_ns_, operation.end_ns());
  }

  void find_far() {
    const std::vector<uint32_t> known = found_places();
    const auto run =
        std::max_element(groups_.begin(), groups_.end(), [](const auto& a, const auto& b) {
          return a.zero != b.zero ? a.zero : a.operations < b.operations;
        });
    for (auto one = groups_.begin(); one != groups_.end(); ++one) {
      const bool few = one->operations <= run->operations / times_fewer;
      if (one == run || !(one->zero || few)) continue;
      const bool last = one + 1 == groups_.end();
      const uint32_t end = last ? static_cast<uint32_t>(sorted_.operations.size()) : one[1].begin;
      leave_out(one->begin, end, one->zero ? TimeFault::zero : TimeFault::far, known);
    }
  }

  void find_zeros() {
    if (from_zero_ || begins_at_zero_ || first_other_ns_ < late_start_ns) return;
    const std::vector<uint32_t> known = found_places();
    const GrowingArray<Operation>& operations = sorted_.operations;
    for (uint32_t i = 0; i < operations.size() && operations[i].start_ns <= 0; ++i) {
      if (operations[i].start_ns == 0 && operations[i].duration_ns == 0) {
        leave_out(i, i + 1, TimeFault::zero, known);
      }
    }
  }

  /// Places [begin, end) but for those that are known.
  void leave_out(uint32_t begin, uint32_t end, TimeFault fault,
                 const std::vector<uint32_t>& known) {
    for (uint32_t i = begin; i < end; ++i) {
      if (!std::binary_search(known.begin(), known.end(), i)) found_.push_back({i, fault, false});
    }
  }

  std::vector<uint32_t> found_places() const {
    std::vector<uint32_t> places;
    places.reserve(found_.size());
    for (const FaultyOperation& one : found_) places.push_back(one.place);
    std::sort(places.begin(), places.end());
    return places;
  }

  void find_too_long(const std::vector<Container>& containers) {
    if (containers.empty()) return;
    std::vector<uint32_t> known = found_places();
    const auto is_known = [&](uint32_t place) {
      return std::binary_search(known.begin(), known.end(), place);
    };
    const size_t before = known.size();
    for (const Container& one : containers) known.push_back(one.place);
    std::inplace_merge(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(before),
                       known.end());
    const Others others(sorted_, known);
    known = found_places();
    for (const Container& one : containers) {
      if (!is_known(one.place) && others.disprove(sorted_.operations[one.place], one)) {
        found_.push_back({one.place, TimeFault::too_long, true});
      }
    }
  }

  /// All operations but those at some places.
  class Others {
   public:
    Others(const SortedOperations& sorted, const std::vector<uint32_t>& but)
        : longest_ns_(sorted.name_count, 0) {
      size_t next = 0;
      bool any = false;
      int64_t first_ns = 0;
      for (uint32_t i = 0; i < sorted.operations.size(); ++i) {
        while (next < but.size() && but[next] < i) ++next;
        if (next < but.size() && but[next] == i) continue;
        const Operation& operation = sorted.operations[i];
        if (!std::exchange(any, true)) {
          first_ns = operation.start_ns;
          last_ns_ = operation.end_ns();
        }
        last_ns_ = std::max(last_ns_, operation.end_ns());
        int64_t& longest_ns = longest_ns_[operation.name.index];
        longest_ns = std::max(longest_ns, operation.duration_ns);
      }
      if (__builtin_sub_overflow(last_ns_, first_ns, &span_ns_)) {
        span_ns_ = std::numeric_limits<int64_t>::max();
      }
    }

    bool disprove(const Operation& operation, const Container& container) const {
      if (operation.duration_ns < long_ns) return false;
      if (is_times(operation.duration_ns, times_all_others, span_ns_)) return true;
      const int64_t usual_ns = longest_ns_[operation.name.index];
      if (usual_ns == 0) return false;
      const bool last = operation.end_ns() > last_ns_;
      if (last && is_times(operation.duration_ns, times_name_at_end, usual_ns)) return true;
      if (container.inside < fewest_inside_of_name) return false;
      return std::any_of(name_bounds.begin(), name_bounds.end(), [&](const NameBound& bound) {
        return container.inside_ns >= operation.duration_ns / bound.parts &&
               is_times(operation.duration_ns, bound.times, usual_ns);
      });
    }

   private:
    std::vector<int64_t> longest_ns_;  // by name
    int64_t span_ns_ = 0;
    int64_t last_ns_ = 0;
  };

  const SortedOperations& sorted_;
  bool known_streams_;
  bool from_zero_;
  StreamSweep streams_;
  std::vector<FaultyOperation> found_;
  std::vector<TimeGroup> groups_;
  int64_t covered_to_ns_ = std::numeric_limits<int64_t>::min();
  uint32_t last_timed_ = 0;
  uint64_t zeros_ = 0;
  bool begins_at_zero_ = false;
  int64_t first_other_ns_ = std::numeric_limits<int64_t>::max();
};

/// Where faulty operations go.
class Placement {
 public:
  Placement(const SortedOperations& sorted, const std::vector<FaultyOperation>& faulty,
            const LaunchTime& launch_time)
      : sorted_(sorted), faulty_(faulty), launch_time_(launch_time), streams_(sorted.track_count) {}

  void run() {
    for (const FaultyOperation& one : faulty_) {
      if (one.has_start) continue;
      const auto launched_ns = launch_time_(one.place);
      launched_.push_back(launched_ns);
      if (launched_ns) stream_of(one.place).wanted = true;
    }
    measure();
    for (Stream& stream : streams_) std::sort(stream.launched.begin(), stream.launched.end());
    size_t next = 0;
    for (const FaultyOperation& one : faulty_) {
      Operation& operation = sorted_.operations[one.place];
      const int64_t start_ns =
          one.has_start ? operation.start_ns : start_of(stream_of(one.place), launched_[next++]);
      operation.start_ns = std::clamp(start_ns, first_ns_, last_ns_);
      operation.duration_ns = 0;
    }
  }

 private:
  /// By launch.
  struct Neighbour {
    int64_t launched_ns;
    int64_t start_ns;
    int64_t end_ns;

    friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
  };
  struct Stream {
    bool wanted = false;
    std::optional<int64_t> first_ns;  // start of its first operation
    std::vector<Neighbour> launched;
  };

  Stream& stream_of(uint32_t place) { return streams_[sorted_.track(sorted_.operations[place])]; }

  /// What is right of the others.
  void measure() {
    bool any = false;
    size_t next = 0;
    for (uint32_t i = 0; i < sorted_.operations.size(); ++i) {
      while (next < faulty_.size() && faulty_[next].place < i) ++next;
      if (next < faulty_.size() && faulty_[next].place == i) continue;
      const Operation& operation = sorted_.operations[i];
      if (!std::exchange(any, true)) {
        first_ns_ = operation.start_ns;
        last_ns_ = operation.end_ns();
      }
      last_ns_ = std::max(last_ns_, operation.end_ns());
      Stream& stream = stream_of(i);
      if (!stream.first_ns) stream.first_ns = operation.start_ns;
      if (!stream.wanted) continue;
      if (const auto launched_ns = launch_time_(i)) {
        stream.launched.push_back({*launched_ns, operation.start_ns, operation.end_ns()});
      }
    }
    if (!any) measure_starts();
  }

  /// Of operations of which none has a right duration.
  void measure_starts() {
    bool any = false;
    for (const FaultyOperation& one : faulty_) {
      if (!one.has_start) continue;
      const int64_t start_ns = sorted_.operations[one.place].start_ns;
      if (!std::exchange(any, true)) first_ns_ = start_ns;
      last_ns_ = start_ns;
    }
  }

  int64_t start_of(const Stream& stream, std::optional<int64_t> launched_ns) const {
    if (!launched_ns) return stream.first_ns.value_or(first_ns_);
    const auto later = std::upper_bound(
        stream.launched.begin(), stream.launched.end(), *launched_ns,
        [](int64_t time_ns, const Neighbour& one) { return time_ns < one.launched_ns; });
    int64_t start_ns = *launched_ns;
    if (later != stream.launched.begin()) start_ns = std::max(start_ns, std::prev(later)->end_ns);
    if (later != stream.launched.end()) start_ns = std::min(start_ns, later->start_ns);
    return start_ns;
  }

  const SortedOperations& sorted_;
  const std::vector<FaultyOperation>& faulty_;
  const LaunchTime& launch_time_;
  std::vector<std::optional<int64_t>> launched_;  // of faulty ones without a start
  std::vector<Stream> streams_;
  int64_t first_ns_ = 0;  // of all operations that are right
  int64_t last_ns_ = 0;
};

}  // namespace

std::vector<FaultyOperation> find_time_faults(const SortedOperations& sorted, bool known_streams,
                                              bool from_zero) {
  return FaultSearch(sorted, known_streams, from_zero).run();
}

void leave_out_of_time(const SortedOperations& sorted, const std::vector<FaultyOperation>& faulty,
                       const LaunchTime& launch_time) {
  Placement(sorted, faulty, launch_time).run();
}

std::string describe_time_faults(const std::vector<FaultyOperation>& faulty) {
  std::array<uint64_t, time_fault_count> counts{};
  for (const FaultyOperation& one : faulty) ++counts[static_cast<size_t>(one.fault)];
  std::string out;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", counts[i], fault_texts[i]);
  }
  return out;
}

}  // namespace kr::trace

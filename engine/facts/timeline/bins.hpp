// Intervals summed in bins of one width, which doubles whenever the result becomes too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace kr::timeline {

/// The sum of a place in a bin: see `packed`.
struct PlaceSum {
  uint32_t place = 0;
  int64_t ns = 0;
};

/// Memory: 12 bytes per place, 16 per sum that `max_bytes` allows, and per interval that is longer
/// than a bin and has not ended.
class BinSums {
 public:
  struct Bin {
    int64_t number;
    size_t first;  // in `sums`
  };

  /// Times are from 0 to `span_ns`; `max_bytes` limits the packed size.
  BinSums(size_t places, int64_t span_ns, size_t max_bytes);

  /// All intervals added later begin at `time` or later. Times never fall.
  void advance(int64_t time) {
    if (time >> shift_ != now_) move_to(time);
  }
  /// An interval [from, to) that is not empty.
  void add(uint32_t place, int64_t from, int64_t to) {
    const int64_t end = (now_ + 1) << shift_;
    if (to <= end) return count(place, to - from);
    if (from < end) count(place, end - from);
    later_.push({from < end ? end : from, to, place});
  }
  /// Call it after the last interval. False: the result is too large even with bins of a 64th of
  /// the span.
  bool finish();

  int64_t width() const noexcept { return int64_t{1} << shift_; }
  const std::vector<Bin>& bins() const noexcept { return bins_; }
  const std::vector<PlaceSum>& sums() const noexcept { return sums_; }

 private:
  /// What is left of an interval for later bins.
  struct Later {
    int64_t from;
    int64_t to;
    uint32_t place;

    bool operator>(const Later& other) const noexcept { return from > other.from; }
  };
  struct End {
    int64_t to;
    uint32_t place;

    bool operator>(const End& other) const noexcept { return to > other.to; }
  };
  template <class T>
  using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

  void count(uint32_t place, int64_t ns) {
    if (ns_[place] == 0) counted_.push_back(place);
    ns_[place] += ns;
  }
  void move_to(int64_t time);
  void next_bin(int64_t number);
  void count_open();
  void close();
  void double_width();
  void reopen();
  size_t append_counted(int64_t number, size_t bin, size_t at);

  int shift_ = 0;
  int max_shift_ = 0;
  size_t max_bytes_;
  size_t bytes_ = 0;       // of all bins that are closed
  size_t last_bytes_ = 0;  // of the last of them
  bool failed_ = false;
  int64_t now_ = 0;                // the bin that is counted
  std::vector<int64_t> ns_;        // of it, by place
  std::vector<uint32_t> counted_;  // places with a time in it
  // Intervals that go on after the current bin: those that cover the begin of the next bin are
  // counted by place, so that a bin takes time for places, not for intervals.
  int64_t open_from_ = 0;             // begin of the next bin
  std::vector<uint32_t> open_count_;  // by place
  std::vector<uint32_t> open_places_;
  SmallestFirst<End> ends_;     // of these intervals
  SmallestFirst<Later> later_;  // intervals that begin there or later
  std::vector<Bin> bins_;
  std::vector<PlaceSum> sums_;
};

}  // namespace kr::timeline

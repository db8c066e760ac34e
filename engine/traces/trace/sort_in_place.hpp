// Sorting what is most often sorted already, or a few sorted runs behind each other (the tables of
// an SQLite export), with a bounded buffer: memory is what is sorted, and a constant.
//
// Runs are merged where they are few. A merge whose shorter side does not fit the buffer is cut in
// two about the middle of the longer side, what belongs to the lower half rotated there. Many runs
// are sorted as if there were none, on two threads.
#pragma once

#include <algorithm>
#include <vector>

#include "base/in_parallel.hpp"

namespace kr::trace {

template <class T, class Before>
class InPlaceSort {
 public:
  explicit InPlaceSort(Before before) : before_(before) {}

  void sort(T* begin, T* end) {
    if (!find_runs(begin, end)) {
      sort_all(begin, end);
      return;
    }
    while (runs_.size() > 2) merge_smallest();
  }

 private:
  static constexpr size_t max_runs = 32;
  static constexpr size_t buffer_size = (size_t{4} << 20) / sizeof(T);
  static constexpr std::ptrdiff_t worth_a_thread = 100000;

  // Where runs begin, and the end. False where there are too many.
  bool find_runs(T* begin, T* end) {
    runs_.assign(1, begin);
    for (T* at = begin; at != end && at + 1 != end; ++at) {
      if (!before_(at[1], at[0])) continue;
      if (runs_.size() == max_runs) return false;
      runs_.push_back(at + 1);
    }
    runs_.push_back(end);
    return true;
  }

  void merge_smallest() {
    size_t smallest = 1;
    for (size_t i = 2; i + 1 < runs_.size(); ++i) {
      if (runs_[i + 1] - runs_[i - 1] < runs_[smallest + 1] - runs_[smallest - 1]) smallest = i;
    }
    merge(runs_[smallest - 1], runs_[smallest], runs_[smallest + 1]);
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(smallest));
  }

  void merge(T* begin, T* middle, T* end) {
    // The halves that are left to do; the depth is that of halving.
    while (begin != middle && middle != end) {
      const auto lower = static_cast<size_t>(middle - begin);
      const auto upper = static_cast<size_t>(end - middle);
      if (upper <= buffer_size && upper <= lower) return merge_down(begin, middle, end);
      if (lower <= buffer_size) return merge_up(begin, middle, end);
      T* from = begin + lower / 2;
      T* to = middle + upper / 2;
      if (lower >= upper) {
        to = std::lower_bound(middle, end, *from, before_);
      } else {
        from = std::upper_bound(begin, middle, *to, before_);
      }
      T* const joint = std::rotate(from, middle, to);
      merge(begin, from, joint);
      begin = joint;
      middle = to;
    }
  }

  // The upper side waits in the buffer, and the largest goes to the end.
  void merge_down(T* begin, T* middle, T* end) {
    buffer_.assign(middle, end);
    const T* held = buffer_.data() + buffer_.size();
    while (held != buffer_.data()) {
      if (begin != middle && before_(held[-1], middle[-1])) {
        *--end = *--middle;
      } else {
        *--end = *--held;
      }
    }
  }

  void merge_up(T* begin, T* middle, T* end) {
    buffer_.assign(begin, middle);
    const T* held = buffer_.data();
    const T* const held_end = held + buffer_.size();
    while (held != held_end) {
      if (middle != end && before_(*middle, *held)) {
        *begin++ = *middle++;
      } else {
        *begin++ = *held++;
      }
    }
  }

  void sort_all(T* begin, T* end) {
    if (end - begin < worth_a_thread) {
      std::sort(begin, end, before_);
      return;
    }
    // What is below the middle, and the rest.
    T* const middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, before_);
    in_parallel(2, [&](size_t half) {
      half == 0 ? std::sort(begin, middle, before_) : std::sort(middle, end, before_);
    });
  }

  Before before_;
  std::vector<T*> runs_;
  std::vector<T> buffer_;
};

template <class T, class Before>
void sort_in_place(T* begin, T* end, Before before) {
  InPlaceSort<T, Before>(before).sort(begin, end);
}

}  // namespace kr::trace

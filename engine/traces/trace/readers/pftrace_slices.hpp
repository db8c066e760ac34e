// Which end belongs to which beginning. Writers of dumps put the beginnings of a group first, and
// then its ends in the same order, or each end behind its beginning; slices of one track may cross.
// Writers that write while the program runs nest them, in the order of time; kr nests them in the
// order of the file, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kr::trace {

/// A slice is a number of the caller's; one that nobody asks for is `none`.
class PftraceSlices {
 public:
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr int64_t no_time = INT64_MIN;

  struct Mark {
    int64_t time_ns;
    uint32_t track;
    uint32_t slice;  // none: of an end, or of a slice that nobody asks for
    uint64_t offset;
  };
  struct Left {
    Mark mark;
    bool begins;
  };

  /// One for each sequence of packets.
  struct Run {
    std::vector<Mark> begins, ends;
    /// kr wrote it: an end belongs to what began last. Only `begins` has what is not ended.
    bool nested = false;
  };

  /// Calls `whole(slice, end)` for what is known to be whole.
  template <class Whole>
  void begin(Run& run, const Mark& mark, const Whole& whole) {
    if (!run.nested && !run.ends.empty()) close(run, whole);
    run.begins.push_back(mark);
  }
  template <class Whole>
  void end(Run& run, const Mark& mark, const Whole& whole) {
    if (run.nested && !run.begins.empty() && run.begins.back().track == mark.track) {
      if (run.begins.back().slice != none) whole(run.begins.back().slice, mark);
      return run.begins.pop_back();
    }
    run.ends.push_back(mark);
    if (run.ends.size() >= run.begins.size()) close(run, whole);
  }
  template <class Whole>
  void close(Run& run, const Whole& whole) {
    if (in_order(run)) {
      for (size_t i = 0; i < run.begins.size(); ++i) {
        if (run.begins[i].slice != none) whole(run.begins[i].slice, run.ends[i]);
      }
    } else {
      leave(run);
    }
    run.begins.clear();
    run.ends.clear();
  }
  /// At the end: pairs what is left by a stack in the order of time. What has no partner is handed
  /// to `alone`.
  template <class Whole, class Alone>
  void finish(const Whole& whole, const Alone& alone);

 private:
  static bool in_order(const Run& run);
  void leave(const Run& run);
  void sort_left();

  std::vector<Left> left_;
};

template <class Whole, class Alone>
void PftraceSlices::finish(const Whole& whole, const Alone& alone) {
  sort_left();
  std::vector<Mark> open;
  for (size_t i = 0; i < left_.size(); ++i) {
    const Left& one = left_[i];
    if (i > 0 && left_[i - 1].mark.track != one.mark.track) {
      for (const Mark& mark : open) alone(mark, true);
      open.clear();
    }
    if (one.begins) {
      open.push_back(one.mark);
    } else if (open.empty()) {
      alone(one.mark, false);
    } else {
      if (open.back().slice != none) whole(open.back().slice, one.mark);
      open.pop_back();
    }
  }
  for (const Mark& mark : open) alone(mark, true);
  left_.clear();
}

}  // namespace kr::trace

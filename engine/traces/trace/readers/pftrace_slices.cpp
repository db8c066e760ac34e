#include "trace/readers/pftrace_slices.hpp"

#include <algorithm>

namespace kr::trace {

/// The i-th end belongs to the i-th beginning.
bool PftraceSlices::in_order(const Run& run) {
  if (run.begins.size() != run.ends.size()) return false;
  for (size_t i = 0; i < run.begins.size(); ++i) {
    if (run.begins[i].track != run.ends[i].track) return false;
  }
  if (run.begins.size() < 2 || run.begins.back().time_ns >= run.ends.front().time_ns) return true;
  // All are open at once, and all in the order of time: those of one track would cross, so they
  // nest.
  int64_t last = no_time;
  for (const auto* const marks : {&run.begins, &run.ends}) {
    for (const Mark& mark : *marks) {
      if (mark.time_ns < last) return true;
      last = mark.time_ns;
    }
  }
  std::vector<uint32_t> tracks;
  tracks.reserve(run.begins.size());
  for (const Mark& mark : run.begins) tracks.push_back(mark.track);
  std::ranges::sort(tracks);
  return std::ranges::adjacent_find(tracks) == tracks.end();
}

void PftraceSlices::leave(const Run& run) {
  for (const Mark& mark : run.begins) left_.push_back({mark, true});
  for (const Mark& mark : run.ends) left_.push_back({mark, false});
}

void PftraceSlices::sort_left() {
  std::ranges::stable_sort(left_, [](const Left& a, const Left& b) {
    if (a.mark.track != b.mark.track) return a.mark.track < b.mark.track;
    return a.mark.time_ns < b.mark.time_ns;
  });
}

}  // namespace kr::trace

// How many kernels of a device run at once, over time: in all, and of each phase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kr::exports {

/// Calls `report(time_ns, phase, count)` where a count changed, once for each time and phase, in
/// order of time. Phase 0: all kernels.
class KernelsInFlight {
 public:
  /// In order of start. What takes no time is never in flight. `phase` 0: none.
  template <class Report>
  void add(int64_t start_ns, int64_t end_ns, uint32_t phase, const Report& report) {
    if (start_ns == end_ns) return;
    end_until(start_ns, report);
    change(start_ns, phase, 1, report);
    ends_.push_back({end_ns, phase});
    std::push_heap(ends_.begin(), ends_.end(), later);
  }
  /// After the last.
  template <class Report>
  void finish(const Report& report) {
    if (!ends_.empty()) end_until(INT64_MAX, report);
    report_changes(report);
  }

 private:
  struct End {
    int64_t time_ns;
    uint32_t phase;
  };
  struct Count {
    int64_t now = 0;
    int64_t reported = 0;
  };
  static bool later(const End& a, const End& b) noexcept { return a.time_ns > b.time_ns; }

  template <class Report>
  void end_until(int64_t time_ns, const Report& report) {
    while (!ends_.empty() && ends_.front().time_ns <= time_ns) {
      const End end = ends_.front();
      std::pop_heap(ends_.begin(), ends_.end(), later);
      ends_.pop_back();
      change(end.time_ns, end.phase, -1, report);
    }
  }
  template <class Report>
  void change(int64_t time_ns, uint32_t phase, int64_t by, const Report& report) {
    if (time_ns_ != time_ns) report_changes(report);
    time_ns_ = time_ns;
    counts_[0].now += by;
    if (phase != 0) counts_[phase].now += by;
  }
  template <class Report>
  void report_changes(const Report& report) {
    for (auto& [phase, count] : counts_) {
      if (count.now == count.reported) continue;
      report(*time_ns_, phase, count.now);
      count.reported = count.now;
    }
  }

  std::vector<End> ends_;  // a heap, the first to end in front
  std::map<uint32_t, Count> counts_;
  std::optional<int64_t> time_ns_;  // of the changes not yet reported
};

}  // namespace kr::exports

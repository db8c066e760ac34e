// The calls of each thread that are not inside another call: at any time at most one of a thread
// runs, the one that began first. Calls of the runtime enclose those of the driver that they make;
// calls may also overlap in any other way, where a trace has no threads.
//
// Memory: 4 bytes a call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "trace/host_trace.hpp"

namespace kr::trace {

class OutermostCalls {
 public:
  /// Of the calls for which `wanted(launch)` is true. The HostTrace has to outlive it.
  template <class Wanted>
  OutermostCalls(const HostTrace& host, const Wanted& wanted)
      : host_(&host), begins_(host.threads.size() + 1) {
    // Counted one place further on, then placed.
    each(wanted, [&](uint32_t thread, uint32_t) { ++begins_[thread + 1]; });
    for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    order_.resize(begins_.back());
    hints_.assign(begins_.begin(), begins_.end() - 1);
    std::vector<uint32_t> next = hints_;
    each(wanted, [&](uint32_t thread, uint32_t call) { order_[next[thread]++] = call; });
  }

  /// The call of a thread that runs at a time; null: none does.
  const Launch* at(uint32_t thread, int64_t time) {
    const uint32_t place = first_ending_after(thread, time);
    if (place == begins_[thread + 1]) return nullptr;
    const Launch& call = host_->launches[order_[place]];
    return call.start_ns <= time ? &call : nullptr;
  }

  /// Splits [from, to): `running(launch, begin, end)` for the parts in which a call of the thread
  /// runs, and `none(begin, end)` for the rest, in order of time.
  template <class Running, class None>
  void split(uint32_t thread, int64_t from, int64_t to, const Running& running, const None& none) {
    if (from >= to) return;
    uint32_t place = first_ending_after(thread, from);
    for (; place < begins_[thread + 1]; ++place) {
      const Launch& call = host_->launches[order_[place]];
      if (call.start_ns >= to) break;
      if (call.start_ns > from) {
        none(from, call.start_ns);
        from = call.start_ns;
      }
      const int64_t end = std::min(call.end_ns(), to);
      running(call, from, end);
      from = end;
      if (from == to) return;
    }
    none(from, to);
  }

 private:
  template <class Wanted, class Visit>
  void each(const Wanted& wanted, const Visit& visit) const {
    std::vector<int64_t> covered(host_->threads.size(), std::numeric_limits<int64_t>::min());
    for (uint32_t i = 0; i < host_->launches.size(); ++i) {
      const Launch& call = host_->launches[i];
      int64_t& end = covered[call.thread];
      if (call.end_ns() <= std::max(end, call.start_ns) || !wanted(call)) continue;
      end = call.end_ns();
      visit(call.thread, i);
    }
  }

  int64_t end_at(uint32_t place) const { return host_->launches[order_[place]].end_ns(); }

  /// Ends rise by place. Successive questions are mostly about times close to each other, so the
  /// search begins at the last answer and doubles its steps.
  uint32_t first_ending_after(uint32_t thread, int64_t time) {
    const auto has_ended = [&](uint32_t place) {
      return host_->launches[order_[place]].end_ns() <= time;
    };
    uint32_t low = begins_[thread];       // all before it have ended
    uint32_t high = begins_[thread + 1];  // it and all behind it have not
    const uint32_t hint = hints_[thread];
    if (hint < high && has_ended(hint)) {
      low = hint + 1;
      for (uint32_t step = 1; low < high; step *= 2) {
        const uint32_t probe = high - low > step ? low + step : high - 1;
        if (!has_ended(probe)) {
          high = probe;
          break;
        }
        low = probe + 1;
      }
    } else {
      high = hint;
      for (uint32_t step = 1; low < high; step *= 2) {
        const uint32_t probe = high - low > step ? high - step : low;
        if (has_ended(probe)) {
          low = probe + 1;
          break;
        }
        high = probe;
      }
    }
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      has_ended(middle) ? low = middle + 1 : high = middle;
    }
    return hints_[thread] = low;
  }

  const HostTrace* host_;
  std::vector<uint32_t> order_;   // calls, by thread
  std::vector<uint32_t> begins_;  // in `order_` by thread, and the end
  std::vector<uint32_t> hints_;   // by thread
};

}  // namespace kr::trace

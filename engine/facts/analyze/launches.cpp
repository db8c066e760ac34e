#include "analyze/launches.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/saved_sums.hpp"
#include "trace/launched.hpp"

namespace kr::analyze {
namespace {

/// The queue of one stream (see StreamQueue), launch by launch.
class Queue {
 public:
  explicit Queue(const trace::Track& track) {
    out_.device = track.device;
    out_.stream = track.stream;
  }

  /// Adds an operation that `call` launches at `now_ns`. True if it is the first at this time: then
  /// `finish_time` must follow.
  bool add(size_t call, int64_t now_ns, int64_t start_ns) {
    const bool first = calls_ == 0;
    if (first || call != last_call_) ++calls_;
    last_call_ = call;
    if (out_.operations++ == 0) first_launch_ns_ = now_ns;
    // The clocks may differ a little: an operation does not begin before its launch.
    const int64_t begin_ns = std::max(start_ns, now_ns);
    last_start_ns_ = std::max(last_start_ns_, begin_ns);
    waited_ns_ += static_cast<long double>(begin_ns - now_ns);
    if (start_ns > now_ns) ++length_;
    return first;
  }
  /// A queued operation has begun.
  void begin() { --length_; }
  /// All operations of this time are added, and all that have begun are removed.
  void finish_time() {
    out_.launches += calls_;
    out_.max = std::max(out_.max, length_);
    sum_ += static_cast<long double>(calls_) * static_cast<long double>(length_);
    calls_ = 0;
  }
  StreamQueue result() {
    out_.mean = static_cast<double>(sum_ / static_cast<long double>(out_.launches));
    const int64_t time_ns = last_start_ns_ - first_launch_ns_;
    if (time_ns > 0) {
      out_.time_weighted_mean = static_cast<double>(waited_ns_ / static_cast<long double>(time_ns));
    }
    return out_;
  }
  int64_t launches() const noexcept { return out_.launches; }

 private:
  StreamQueue out_;
  int64_t length_ = 0;
  int64_t calls_ = 0;  // at this time
  size_t last_call_ = 0;
  int64_t first_launch_ns_ = 0;
  int64_t last_start_ns_ = std::numeric_limits<int64_t>::min();
  long double sum_ = 0;
  long double waited_ns_ = 0;
};

/// Visits the calls that launched operations, in order of start, with these operations.
class LaunchPass {
 public:
  explicit LaunchPass(const trace::Trace& trace)
      : trace_(trace),
        host_(*trace.host),
        launched_(host_),
        sums_(host_.calls.size()),
        delays_ns_(host_.calls.size(), 0),
        last_call_(host_.threads.size(), none) {
    for (const trace::Track& track : trace.tracks) {
      const auto at = queues_.try_emplace({track.device, track.stream}, track).first;
      queue_of_track_.push_back(&at->second);
    }
  }

  void run(LaunchStatistics& out) {
    for (size_t i = 0; i < launched_.size();) {
      const int64_t now_ns = host_.launches[launched_.launch(i)].start_ns;
      begin_until(now_ns);
      for (; i < launched_.size() && host_.launches[launched_.launch(i)].start_ns == now_ns; ++i) {
        call(i);
      }
      for (Queue* queue : added_) queue->finish_time();
      added_.clear();
    }
    report(out);
  }

 private:
  static constexpr size_t none = SIZE_MAX;

  Queue& queue_of(const trace::Operation& operation) {
    return *queue_of_track_[operation.track.index];
  }

  /// Removes the operations that have begun from their queues. One that began at its launch was
  /// never in a queue.
  void begin_until(int64_t now_ns) {
    for (; next_ < trace_.operations.size() && trace_.operations[next_].start_ns <= now_ns;
         ++next_) {
      const trace::Operation& operation = trace_.operations[next_];
      const trace::Launch* launch = host_.launch(next_);
      if (launch != nullptr && launch->start_ns < operation.start_ns) queue_of(operation).begin();
    }
  }

  void call(size_t i) {
    const trace::Launch& launch = host_.launches[launched_.launch(i)];
    size_t& last = last_call_[launch.thread];
    if (last != none) still_running(last, launch.start_ns);
    last = i;
    LaunchCalls& sum = sums_[launch.call];
    ++sum.instances;
    sum.total_ns += launch.duration_ns;
    for (const uint32_t place : launched_.operations(i)) {
      const trace::Operation& operation = trace_.operations[place];
      ++sum.operations;
      delays_ns_[launch.call] += static_cast<long double>(operation.start_ns - launch.start_ns);
      if (is_kernel(operation) && operation.duration_ns < launch.duration_ns) ++sum.short_kernels;
      Queue& queue = queue_of(operation);
      if (queue.add(i, launch.start_ns, operation.start_ns)) added_.push_back(&queue);
    }
  }

  /// Counts the kernels of a call that run when the next call of its thread begins.
  void still_running(size_t i, int64_t next_ns) {
    LaunchCalls& sum = sums_[host_.launches[launched_.launch(i)].call];
    for (const uint32_t place : launched_.operations(i)) {
      const trace::Operation& operation = trace_.operations[place];
      const bool runs = operation.start_ns <= next_ns && next_ns < operation.end_ns();
      sum.running_at_next_launch += runs && is_kernel(operation) ? 1 : 0;
    }
  }

  bool is_kernel(const trace::Operation& operation) const {
    return trace_.names.get(operation.name).kind == OperationKind::kernel;
  }

  void report(LaunchStatistics& out) {
    for (size_t i = 0; i < sums_.size(); ++i) {
      LaunchCalls& sum = sums_[i];
      if (sum.instances == 0) continue;
      sum.api = host_.calls[i].name;
      sum.delay_mean_ns =
          static_cast<double>(delays_ns_[i] / static_cast<long double>(sum.operations));
      out.linked += sum.operations;
      out.by_api.push_back(std::move(sum));
    }
    out.orphans = static_cast<int64_t>(trace_.operations.size()) - out.linked;
    std::stable_sort(
        out.by_api.begin(), out.by_api.end(),
        [](const LaunchCalls& a, const LaunchCalls& b) { return a.total_ns > b.total_ns; });
    if (!trace_.lost_streams.empty()) return;
    for (auto& [stream, queue] : queues_) {
      if (queue.launches() > 0) out.queues.push_back(queue.result());
    }
  }

  const trace::Trace& trace_;
  const trace::HostTrace& host_;
  trace::LaunchedOperations launched_;
  std::vector<LaunchCalls> sums_;       // by function
  std::vector<long double> delays_ns_;  // the same
  std::vector<size_t> last_call_;       // by thread: the last call that launched operations
  std::map<std::pair<int32_t, int64_t>, Queue> queues_;  // by device and stream
  std::vector<Queue*> queue_of_track_;
  std::vector<Queue*> added_;  // those with operations launched at this time
  size_t next_ = 0;            // the first operation that has not begun
};

}  // namespace

LaunchStatistics count_launches(const trace::Trace& trace) {
  LaunchStatistics out;
  LaunchPass(trace).run(out);
  return out;
}

facts::Computed<LaunchStatistics> LaunchStatistics::compute(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  if (!trace.host) return facts::Computed<LaunchStatistics>::absent(std::string(no_launches));
  return count_launches(trace);
}

void LaunchStatistics::saved(facts::Fields& io, const RunSummary& run) {
  io.amount("linked", linked);
  io.amount("orphans", orphans);
  io.check(linked + orphans == run.operations);
  int64_t left = linked;
  io.list("by_api", by_api, [&](facts::Fields& row, LaunchCalls& one) {
    row.text("api", one.api);
    row.amount("instances", one.instances);
    row.amount("operations", one.operations);
    row.amount("total_ns", one.total_ns);
    row.real("delay_mean_ns", one.delay_mean_ns);
    row.amount("short_kernels", one.short_kernels);
    row.amount("running_at_next_launch", one.running_at_next_launch);
    row.take_from(left, one.operations);
  });
  io.check(left == 0);
  left = linked;
  io.list("queues", queues, [&](facts::Fields& row, StreamQueue& one) {
    row.number("device", one.device);
    row.number("stream", one.stream);
    row.amount("launches", one.launches);
    row.amount("operations", one.operations);
    row.real("mean", one.mean);
    row.amount("max", one.max);
    row.real("time_weighted_mean", one.time_weighted_mean);
    row.take_from(left, one.operations);
  });
}

}  // namespace kr::analyze

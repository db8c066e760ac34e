#include "analyze/launches.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "trace/launched.hpp"

namespace kr::analyze {
namespace {

struct ApiSums {
  int64_t instances = 0;
  int64_t operations = 0;
  int64_t total_ns = 0;
  long double delay_ns = 0;
  int64_t short_kernels = 0;
  int64_t running = 0;
};

/// Operations of one stream that have been asked for and have not begun, at one launch after the
/// other.
class Queue {
 public:
  explicit Queue(const trace::Track& track) {
    out_.device = track.device;
    out_.stream = track.stream;
  }

  /// `call` asks at `now_ns` for an operation that begins then. Whether it is the first at that
  /// time: `settle` is due.
  bool ask(size_t call, int64_t now_ns, int64_t start_ns) {
    const bool first = calls_ == 0;
    if (first || call != last_call_) ++calls_;
    last_call_ = call;
    if (out_.operations++ == 0) first_asked_ns_ = now_ns;
    // Clocks that are not quite the same: nothing begins before it is asked for.
    const int64_t begun_ns = std::max(start_ns, now_ns);
    last_begun_ns_ = std::max(last_begun_ns_, begun_ns);
    waited_ns_ += static_cast<long double>(begun_ns - now_ns);
    if (start_ns > now_ns) ++length_;
    return first;
  }
  /// One that had been asked for has begun.
  void begin() { --length_; }
  /// All has been asked for that is at this time, and all is gone that has begun.
  void settle() {
    out_.launches += calls_;
    out_.max = std::max(out_.max, length_);
    sum_ += static_cast<long double>(calls_) * static_cast<long double>(length_);
    calls_ = 0;
  }
  StreamQueue result() {
    out_.mean = static_cast<double>(sum_ / static_cast<long double>(out_.launches));
    const int64_t time_ns = last_begun_ns_ - first_asked_ns_;
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
  int64_t first_asked_ns_ = 0;
  int64_t last_begun_ns_ = std::numeric_limits<int64_t>::min();
  long double sum_ = 0;
  long double waited_ns_ = 0;
};

/// Goes through the calls that launched anything, in order of start, with what they launched.
class LaunchPass {
 public:
  explicit LaunchPass(const trace::Trace& trace)
      : trace_(trace),
        host_(*trace.host),
        launched_(host_),
        sums_(host_.calls.size()),
        last_call_(host_.threads.size(), none) {
    std::map<std::pair<int32_t, int64_t>, size_t> numbers;  // streams, by device
    queue_of_track_.reserve(trace.tracks.size());
    for (const trace::Track& track : trace.tracks)
      numbers.try_emplace({track.device, track.stream}, 0);
    size_t next = 0;
    queues_.reserve(numbers.size());
    for (auto& [stream, number] : numbers) {
      number = next++;
      trace::Track track;
      track.device = stream.first;
      track.stream = stream.second;
      queues_.emplace_back(track);
    }
    for (const trace::Track& track : trace.tracks) {
      queue_of_track_.push_back(numbers.at({track.device, track.stream}));
    }
  }

  void run(LaunchStatistics& out) {
    for (size_t i = 0; i < launched_.size();) {
      const int64_t now_ns = host_.launches[launched_.launch(i)].start_ns;
      begin_until(now_ns);
      for (; i < launched_.size() && host_.launches[launched_.launch(i)].start_ns == now_ns; ++i) {
        call(i);
      }
      for (Queue* queue : asked_) queue->settle();
      asked_.clear();
    }
    tell(out);
  }

 private:
  static constexpr size_t none = SIZE_MAX;

  Queue& queue_of(const trace::Operation& operation) {
    return queues_[queue_of_track_[operation.track.index]];
  }

  /// What has begun by then leaves its queue, unless it began when it was asked for: it never was
  /// in one.
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
    ApiSums& sum = sums_[launch.call];
    ++sum.instances;
    sum.total_ns += launch.duration_ns;
    for (const uint32_t place : launched_.operations(i)) {
      const trace::Operation& operation = trace_.operations[place];
      ++sum.operations;
      sum.delay_ns += static_cast<long double>(operation.start_ns - launch.start_ns);
      if (is_kernel(operation) && operation.duration_ns < launch.duration_ns) ++sum.short_kernels;
      Queue& queue = queue_of(operation);
      if (queue.ask(i, launch.start_ns, operation.start_ns)) asked_.push_back(&queue);
    }
  }

  /// Of the call before on a thread: which of its kernels run when the next begins.
  void still_running(size_t i, int64_t next_ns) {
    int64_t& running = sums_[host_.launches[launched_.launch(i)].call].running;
    for (const uint32_t place : launched_.operations(i)) {
      const trace::Operation& operation = trace_.operations[place];
      const bool runs = operation.start_ns <= next_ns && next_ns < operation.end_ns();
      running += runs && is_kernel(operation) ? 1 : 0;
    }
  }

  bool is_kernel(const trace::Operation& operation) const {
    return trace_.names.get(operation.name).kind == OperationKind::kernel;
  }

  void tell(LaunchStatistics& out) {
    for (size_t i = 0; i < sums_.size(); ++i) {
      const ApiSums& sum = sums_[i];
      if (sum.instances == 0) continue;
      const double delay =
          static_cast<double>(sum.delay_ns / static_cast<long double>(sum.operations));
      out.linked += sum.operations;
      out.by_api.push_back({host_.calls[i].name, sum.instances, sum.operations, sum.total_ns, delay,
                            sum.short_kernels, sum.running});
    }
    out.orphans = static_cast<int64_t>(trace_.operations.size()) - out.linked;
    std::stable_sort(
        out.by_api.begin(), out.by_api.end(),
        [](const LaunchCalls& a, const LaunchCalls& b) { return a.total_ns > b.total_ns; });
    for (Queue& queue : queues_) {
      if (queue.launches() > 0) out.queues.push_back(queue.result());
    }
  }

  const trace::Trace& trace_;
  const trace::HostSide& host_;
  trace::LaunchedOperations launched_;
  std::vector<ApiSums> sums_;      // by function
  std::vector<size_t> last_call_;  // by thread: of those that launched anything
  std::vector<Queue> queues_;      // by device and stream
  std::vector<size_t> queue_of_track_;
  std::vector<Queue*> asked_;  // at this time
  size_t next_ = 0;            // operation that has not begun
};

/// Splits the idle time of each device: operations come in order of start.
void split_idle(const trace::Trace& trace, LaunchStatistics& out) {
  std::map<int32_t, int64_t> covered_to;  // by device
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const auto [at, first] =
        covered_to.try_emplace(trace.track(operation.track).device, operation.start_ns);
    const int64_t idle = operation.start_ns - at->second;
    if (idle > 0) {
      const trace::Launch* launch = trace.host->launch(i);
      const int64_t waited =
          launch == nullptr ? 0 : std::clamp<int64_t>(launch->start_ns - at->second, 0, idle);
      out.host_bound_ns += waited;
      out.other_ns += idle - waited;
    }
    at->second = std::max(at->second, operation.end_ns());
  }
}

}  // namespace

LaunchStatistics count_launches(const trace::Trace& trace) {
  LaunchStatistics out;
  LaunchPass(trace).run(out);
  split_idle(trace, out);
  return out;
}

}  // namespace kr::analyze

// Runs whose truth is known: every moment (a call begins or returns, an operation begins or ends)
// is the latest of `an earlier moment + a delay`, so what decided it is known, and a change is the
// same program run again with other delays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace kr::test {

class SimulatedRun {
 public:
  enum class Cause : uint8_t { host, synchronization, copy, launch, queued, operation };
  struct Change {
    double host = 1;
    double kernels = 1;   // of every third kernel of a program
    double transfer = 1;  // of collectives
  };

  SimulatedRun(uint64_t seed, Change change, size_t queue = 1024)
      : random_(seed), change_(change), queue_(queue) {}

  /// The host computes.
  void compute(int64_t ns) { thread_ = moment({{thread_, of_host(noise(ns, 0.05)), Cause::host}}); }
  /// A call that neither launches nor waits.
  void call(const char* name, int64_t ns) {
    const size_t begin = thread_;
    compute(ns);
    add_call(name, begin);
  }
  /// `inside`: what the host does in the call before it launches.
  void kernel(int64_t stream, int64_t ns, int64_t inside = 0) {
    const size_t begin = thread_;
    const size_t submitted = moment({{begin, of_host(inside), Cause::host}});
    std::vector<From> returns{{submitted, of_host(noise(2'500, 0.1)), Cause::host}};
    if (starts_.size() >= queue_) {
      returns.push_back({starts_[starts_.size() - queue_], 400, Cause::host});
    }
    thread_ = moment(returns);
    const int64_t duration = noise(ns, 0.02);
    operate("cudaLaunchKernel", begin, submitted, stream, kernels_++ % 3 == 0, duration,
            OperationKind::kernel);
  }
  /// One launch of kernels that follow each other.
  void graph(int64_t stream, const std::vector<int64_t>& durations) {
    const size_t begin = thread_;
    thread_ = moment({{begin, of_host(noise(11'000, 0.1)), Cause::host}});
    add_call("cudaGraphLaunch", begin);
    size_t before = moment(
        {{begin, noise(9'000, 0.05), Cause::launch}, {streams_[stream].end, gap(), Cause::queued}});
    for (const int64_t ns : durations) {
      const size_t end = moment({{before, noise(ns, 0.02), Cause::operation}});
      add_operation(before, end, stream, OperationKind::kernel, false);
      before = moment({{end, 900, Cause::queued}});
      streams_[stream].end = end;
    }
    starts_.push_back(streams_[stream].end);
  }
  /// Of members of a job: it ends on none before the last has begun. With a root: only the others
  /// wait, and for the root. Its name says so: `collective 3`, `root 3`, `leaf 3`.
  static void collective(const std::vector<SimulatedRun*>& members, int64_t stream, int64_t ns,
                         int64_t number, const SimulatedRun* root = nullptr) {
    std::vector<Launched> launched;
    int64_t last = INT64_MIN;
    for (SimulatedRun* const run : members) {
      const size_t begin = run->thread_;
      run->compute(run->noise(2'500, 0.1));
      launched.push_back({begin, run->begin_on(stream, begin)});
      if (root == nullptr || run == root) last = std::max(last, run->at(launched.back().start));
      run->add_call("cudaLaunchKernel", begin);
    }
    for (size_t i = 0; i < members.size(); ++i) {
      SimulatedRun& run = *members[i];
      const size_t start = launched[i].start;
      const int64_t transfer = std::llround(static_cast<double>(ns) * run.change_.transfer);
      const int64_t waiting = &run == root ? 0 : std::max<int64_t>(0, last - run.at(start));
      const size_t end = run.moment({{start, waiting + transfer, Cause::operation}});
      run.streams_[stream].end = end;
      run.add_operation(start, end, stream, OperationKind::kernel, false);
      run.operations_.back().collective = (root == nullptr ? "collective "
                                           : &run == root  ? "root "
                                                           : "leaf ") +
                                          std::to_string(number);
      run.starts_.push_back(start);
    }
  }
  /// Waits for all streams.
  void synchronize() {
    const size_t begin = thread_;
    std::vector<From> from{{begin, of_host(noise(1'500, 0.1)), Cause::host}};
    for (const auto& [id, stream] : streams_) {
      from.push_back({stream.end, noise(4'500, 0.1), Cause::synchronization});
    }
    thread_ = moment(from);
    add_call("cudaStreamSynchronize", begin);
  }
  /// Of pageable memory: staged in the call, which returns after it.
  void copy(int64_t stream, int64_t ns, int64_t staging) {
    const size_t begin = thread_;
    const size_t staged = moment({{begin, of_host(noise(staging, 0.05)), Cause::copy}});
    operate("cudaMemcpyAsync", begin, staged, stream, false, noise(ns, 0.02), OperationKind::memcpy,
            true);
    thread_ = moment({{begin, of_host(3'000), Cause::copy},
                      {streams_[stream].end, noise(4'500, 0.1), Cause::copy}});
    calls_.back().end = thread_;
  }
  /// What is launched to `stream` next waits for what was launched to `on`.
  void wait(int64_t stream, int64_t on) {
    const size_t end = streams_[on].end;
    call("cudaStreamWaitEvent", 900);
    streams_[stream].waits.push_back({end, 1'300, Cause::queued});
  }

  /// `clock_ns`: what the clock of its trace shows more.
  trace::Trace trace(int64_t clock_ns = 0) const {
    const auto at = [&](size_t moment) { return this->at(moment) + clock_ns; };
    trace::TraceBuilder builder("simulated", "");
    trace::HostTrace& host = builder.host();
    for (size_t i = 0; i < calls_.size(); ++i) {
      const Call& one = calls_[i];
      host.launches.push_back({static_cast<int64_t>(i), at(one.begin), at(one.end) - at(one.begin),
                               builder.call({one.name, false}), builder.thread({"1", "1"})});
    }
    for (const Operation& one : operations_) {
      trace::Track track;
      track.stream = one.stream;
      const bool copies = one.kind == OperationKind::memcpy;
      builder.add({at(one.start), at(one.end) - at(one.start),
                   builder.name(!one.collective.empty() ? one.collective
                                : one.changed           ? "changed"
                                : copies                ? "copy"
                                                        : "kernel",
                                one.kind),
                   builder.track(track)});
      const auto correlation = static_cast<int64_t>(one.call);
      builder.add_correlations(&correlation, 1);
    }
    return std::move(builder).finish();
  }
  int64_t first_ns() const {
    int64_t first = INT64_MAX;
    for (const Operation& one : operations_) first = std::min(first, at(one.start));
    return first;
  }
  int64_t last_ns() const {
    int64_t last = INT64_MIN;
    for (const Operation& one : operations_) last = std::max(last, at(one.end));
    return last;
  }
  int64_t span_ns() const { return last_ns() - first_ns(); }
  /// By cause: time in which nothing runs.
  std::map<Cause, int64_t> idle() const {
    std::map<Cause, int64_t> out;
    int64_t covered = INT64_MAX;
    for (const Operation& one : by_start()) {
      if (at(one.start) > covered) go_back(one.start, covered, out);
      covered = std::max(covered == INT64_MAX ? INT64_MIN : covered, at(one.end));
    }
    return out;
  }
  /// By cause: time of the path that decided the last end.
  std::map<Cause, int64_t> critical_path() const {
    std::map<Cause, int64_t> out;
    size_t last = operations_[0].end;
    int64_t first = INT64_MAX;
    for (const Operation& one : operations_) {
      if (at(one.end) > at(last)) last = one.end;
      first = std::min(first, at(one.start));
    }
    go_back(last, first, out);
    return out;
  }

 private:
  struct From {
    size_t before;
    int64_t ns;
    Cause cause;
  };
  struct Moment {
    int64_t at = 0;
    size_t before = 0;
    Cause cause = Cause::host;
  };
  struct Stream {
    size_t end = 0;
    std::vector<From> waits = {};
  };
  struct Call {
    std::string name;
    size_t begin;
    size_t end;
  };
  struct Operation {
    size_t start;
    size_t end;
    int64_t stream;
    OperationKind kind;
    bool changed;
    size_t call;
    std::string collective = {};  // empty: it is none
  };
  struct Launched {
    size_t begin;
    size_t start;
  };

  int64_t at(size_t moment) const { return moments_[moment].at; }
  size_t moment(const std::vector<From>& from) {
    Moment latest{INT64_MIN, 0, Cause::host};
    for (const From& one : from) {
      if (at(one.before) + one.ns > latest.at)
        latest = {at(one.before) + one.ns, one.before, one.cause};
    }
    moments_.push_back(latest);
    return moments_.size() - 1;
  }
  int64_t noise(int64_t ns, double relative) {
    std::normal_distribution<double> factor(1, relative);
    return std::max<int64_t>(
        1, std::llround(static_cast<double>(ns) * std::clamp(factor(random_), 0.5, 2.0)));
  }
  int64_t gap() { return noise(1'100, 0.2); }
  int64_t of_host(int64_t ns) const { return std::llround(static_cast<double>(ns) * change_.host); }
  void add_call(const char* name, size_t begin) { calls_.push_back({name, begin, thread_}); }
  void add_operation(size_t start, size_t end, int64_t stream, OperationKind kind, bool changed) {
    operations_.push_back({start, end, stream, kind, changed, calls_.size() - 1});
  }
  void operate(const char* name, size_t begin, size_t submitted, int64_t stream, bool changed,
               int64_t ns, OperationKind kind, bool pageable = false) {
    const size_t start = begin_on(stream, submitted);
    if (changed) ns = std::llround(static_cast<double>(ns) * change_.kernels);
    const size_t end = moment({{start, ns, Cause::operation}});
    streams_[stream].end = end;
    add_call(name, begin);
    add_operation(start, end, stream, kind, changed);
    if (!pageable) starts_.push_back(start);
  }
  size_t begin_on(int64_t stream, size_t submitted) {
    Stream& on = streams_[stream];
    std::vector<From> from{{submitted, noise(4'200, 0.05), Cause::launch},
                           {on.end, gap(), Cause::queued}};
    from.insert(from.end(), on.waits.begin(), on.waits.end());
    on.waits.clear();
    return moment(from);
  }
  std::vector<Operation> by_start() const {
    std::vector<Operation> sorted = operations_;
    std::sort(sorted.begin(), sorted.end(),
              [&](const Operation& a, const Operation& b) { return at(a.start) < at(b.start); });
    return sorted;
  }
  void go_back(size_t from, int64_t down_to, std::map<Cause, int64_t>& out) const {
    int64_t until = at(from);
    for (size_t now = from; until > down_to; now = moments_[now].before) {
      const int64_t begin = now == 0 ? down_to : std::max(down_to, at(moments_[now].before));
      if (begin < until) out[moments_[now].cause] += until - begin;
      until = std::min(until, begin);
    }
  }

  std::mt19937_64 random_;
  Change change_;
  size_t queue_;
  std::vector<Moment> moments_{Moment{}};
  size_t thread_ = 0;
  std::map<int64_t, Stream> streams_;
  std::vector<Call> calls_;
  std::vector<Operation> operations_;
  std::vector<size_t> starts_;  // of launches
  size_t kernels_ = 0;
};

/// A program of the kinds of work that engines do, chosen by the seed.
inline SimulatedRun simulated_run(uint64_t seed, SimulatedRun::Change change) {
  std::mt19937_64 choice(seed);
  const auto below = [&](uint64_t most) { return static_cast<int64_t>(choice() % most); };
  const bool small_queue = below(4) == 0;
  SimulatedRun run(seed, change, small_queue ? 64 : 1024);
  int64_t kernel_ns = small_queue ? 30'000 : 2'000 + below(40'000);
  const int64_t host_ns = small_queue ? 500 : 1'000 + below(20'000);
  // Where device and host are equally late, either may be what decided.
  if (kernel_ns * 10 > host_ns * 7 && kernel_ns * 7 < (host_ns + 5'000) * 10) kernel_ns *= 2;
  const bool graphs = below(3) == 0, copies = below(2) == 0, slow_calls = below(3) == 0;
  const bool streams = below(3) == 0, waits = below(4) != 0;
  run.compute(10'000);
  for (int step = 0; step < 6; ++step) {
    run.compute(60'000);
    if (copies) run.copy(7, 30'000, 100'000);
    for (int i = 0; i < 30; ++i) {
      run.compute(host_ns);
      if (i % 8 == 3) run.call("cudaMalloc", 4'000);
      if (streams && i % 10 == 5) {
        run.wait(20, 7);
        run.kernel(20, 2 * kernel_ns);
        run.wait(7, 20);
      }
      run.kernel(7, kernel_ns, slow_calls && i % 8 == 0 ? 60'000 : 0);
    }
    if (graphs) run.graph(7, std::vector<int64_t>(20, kernel_ns));
    if (waits) run.synchronize();
  }
  return run;
}

}  // namespace kr::test

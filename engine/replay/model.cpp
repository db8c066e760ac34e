#include "replay/model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <set>

#include "base/check.hpp"
#include "trace/call_kinds.hpp"

namespace kr::replay {
namespace {

using trace::CallKind;
using trace::HostTrace;
using trace::Launch;
using trace::Operation;

constexpr int64_t never = std::numeric_limits<int64_t>::min();
constexpr uint32_t nothing = trace::HostRange::none;

/// What something waits for: when all of it was done as measured, and when it is in the replay.
struct Done {
  int64_t measured_ns = never;
  int64_t replayed_ns = never;
  uint32_t by = nothing;  // the operation that was done last as measured

  bool known() const noexcept { return measured_ns != never; }
  void add(int64_t measured, int64_t replayed, uint32_t operation) noexcept {
    if (measured >= measured_ns) {
      measured_ns = measured;
      by = operation;
    }
    replayed_ns = std::max(replayed_ns, replayed);
  }
  void add(const Done& other) noexcept {
    if (other.known()) add(other.measured_ns, other.replayed_ns, other.by);
  }
};

int64_t scaled(int64_t ns, double factor) {
  return factor == 1 ? ns : std::llround(static_cast<double>(ns) * factor);
}

}  // namespace

Model::Model(const trace::Trace& trace) : trace_(trace) {
  std::map<int32_t, uint32_t> devices;
  for (const trace::Track& track : trace.tracks) {
    const auto number = static_cast<uint32_t>(devices.size());
    device_of_.push_back(devices.try_emplace(track.device, number).first->second);
  }
  devices_ = devices.size();
  without_launch_ = static_cast<int64_t>(trace.operations.size());
  if (!trace.host) return;
  const HostTrace& host = *trace.host;
  std::map<std::string_view, uint32_t> processes;
  for (const trace::HostThread& thread : host.threads) {
    const auto number = static_cast<uint32_t>(processes.size());
    process_of_.push_back(processes.try_emplace(thread.process, number).first->second);
  }
  std::vector<std::set<uint32_t>> used(processes.size());
  operation_of_.assign(host.launches.size(), none);
  for (uint32_t i = 0; i < trace.operations.size(); ++i) {
    const uint32_t launch = launch_of(i);
    if (launch == none) continue;
    --without_launch_;
    if (trace.operations[i].start_ns < host.launches[launch].start_ns) ++before_launch_;
    uint32_t& last = operation_of_[launch];
    if (last == none || trace.operations[i].end_ns() >= trace.operations[last].end_ns()) last = i;
    used[process_of_[host.launches[launch].thread]].insert(
        device_of_[trace.operations[i].track.index]);
  }
  for (const std::set<uint32_t>& one : used) devices_of_.emplace_back(one.begin(), one.end());
  find_latency();
  find_waits();
}

void Model::find_latency() {
  std::vector<int64_t> ends(devices_, never);
  std::vector<int64_t> samples;
  uint32_t before = none;
  for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    int64_t& end = ends[device_of_[operation.track.index]];
    const uint32_t launch = launch_of(i);
    if (launch != none && launch != before) {
      const int64_t launched_ns = trace_.host->launches[launch].start_ns;
      if (end <= launched_ns && launched_ns <= operation.start_ns) {
        samples.push_back(operation.start_ns - launched_ns);
      }
    }
    before = launch;
    end = std::max(end, operation.end_ns());
  }
  if (samples.empty()) return;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  latency_ns_ = *middle;
}

void Model::wait_in_graph(std::span<const uint32_t> operations) {
  std::map<uint32_t, std::vector<uint32_t>> streams;
  for (const uint32_t i : operations) streams[trace_.operations[i].track.index].push_back(i);
  if (streams.size() < 2 || streams.size() > most_waited_streams) return;
  std::map<uint32_t, size_t> next;  // by stream: how many had ended, in order
  for (const uint32_t i : operations) {
    const Operation& one = trace_.operations[i];
    for (const auto& [stream, on] : streams) {
      if (stream == one.track.index) continue;
      size_t& ended = next[stream];
      // Of operations without a duration, too: only those before it in the order of the trace.
      const auto has_ended = [&](uint32_t other) {
        return other < i && trace_.operations[other].end_ns() <= one.start_ns;
      };
      while (ended < on.size() && has_ended(on[ended])) ++ended;
      if (ended > 0) waits_.push_back({i, on[ended - 1]});
    }
  }
}

void Model::find_waits() {
  const HostTrace& host = *trace_.host;
  std::vector<bool> makes_wait(host.calls.size());
  for (size_t i = 0; i < host.calls.size(); ++i) {
    makes_wait[i] = trace::is_stream_wait(host.calls[i].name);
  }
  struct Stream {
    uint32_t launch = none;     // the last to it
    uint32_t operation = none;  // the last of it
  };
  std::vector<Stream> streams(trace_.tracks.size());
  std::vector<std::vector<uint32_t>> recent(devices_);  // streams, those launched to last in front
  std::vector<uint32_t> last_wait(host.threads.size(), none);  // by process: a call
  const trace::LaunchedOperations launched(host);
  uint32_t call = 0;
  for (size_t i = 0; i < launched.size(); ++i) {
    const uint32_t launch = launched.launch(i);
    for (; call < launch; ++call) {
      const Launch& one = host.launches[call];
      if (makes_wait[one.call]) last_wait[process_of_[one.thread]] = call;
    }
    const uint32_t wait = last_wait[process_of_[host.launches[launch].thread]];
    const auto operations = launched.operations(i);
    for (const uint32_t operation : operations) {
      const uint32_t track = trace_.operations[operation].track.index;
      Stream& stream = streams[track];
      std::vector<uint32_t>& order = recent[device_of_[track]];
      if (stream.launch != launch) {
        const bool waited = wait != none && (stream.launch == none || wait > stream.launch);
        for (size_t k = 0; waited && k < std::min(order.size(), most_waited_streams + 1); ++k) {
          const uint32_t on = streams[order[k]].operation;
          const bool other = order[k] != track && streams[order[k]].launch != launch;
          const int64_t start_ns = trace_.operations[operation].start_ns;
          if (!other || on > operation || trace_.operations[on].end_ns() > start_ns) continue;
          waits_.push_back({operation, on});
        }
        const auto at = std::find(order.begin(), order.end(), track);
        if (at == order.end()) {
          order.insert(order.begin(), track);
        } else {
          std::rotate(order.begin(), at, at + 1);
        }
        stream.launch = launch;
      }
      stream.operation = operation;
    }
    if (operations.size() > 1) wait_in_graph(operations);
  }
  std::sort(waits_.begin(), waits_.end(),
            [](const Wait& a, const Wait& b) { return a.operation < b.operation; });
}

/// One replay.
class Sweep {
 public:
  /// What the critical path is made from, as measured.
  struct Recorded {
    /// Of a thread from a call that waited, or that came after those of other threads.
    struct Segment {
      int64_t from_ns = never;
      uint32_t operation = nothing;  // that was waited for; none: the host goes on
      int64_t waited_from_ns = 0;    // the begin of the call, or of the time after other threads
      uint32_t before = nothing;     // the segment then
    };
    std::vector<Segment> segments;
    std::vector<uint32_t> segment_of;  // by call
    std::vector<uint32_t> after;       // by operation: an operation; none: its launch, or nothing
    std::vector<bool> by_launch;       // by operation
  };

  Sweep(const Model& model, const Changed& changed, Recorded* recorded)
      : model_(model),
        trace_(model.trace_),
        changed_(changed),
        recorded_(recorded),
        ended_(trace_.tracks.size()),
        overlapped_end_(trace_.tracks.size(), never),
        ended_on_(model.devices_),
        returned_on_(model.devices_, never),
        running_(model.devices_) {
    const size_t operations = trace_.operations.size();
    end_ns_.resize(operations);
    if (!changed.overlapped.empty()) seen_end_ns_.resize(operations);
    if (recorded != nullptr) {
      recorded->after.assign(operations, nothing);
      recorded->by_launch.assign(operations, false);
    }
    if (!trace_.host) return;
    const HostTrace& host = *trace_.host;
    launched_ns_.resize(host.launches.size());
    if (recorded != nullptr) recorded->segment_of.assign(host.launches.size(), nothing);
    for (const trace::HostCall& call : host.calls) kinds_.push_back(trace::call_kind_of(call.name));
    threads_.resize(host.threads.size());
    processes_.resize(host.threads.size());
    recorded_waits_ = host.waits ? host.waits.get() : nullptr;
    index_recorded_waits();
  }

  void run(const Model::Visit& visit) {
    const size_t calls = trace_.host ? trace_.host->launches.size() : 0;
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      const int64_t start_ns = trace_.operations[i].start_ns;
      while (true) {
        const int64_t call_ns =
            next_call_ < calls ? trace_.host->launches[next_call_].start_ns : INT64_MAX;
        const int64_t return_ns = returns_.empty() ? INT64_MAX : returns_.top().end_ns;
        if (return_ns <= start_ns && return_ns <= call_ns) {
          take_return();
        } else if (call_ns <= start_ns) {
          take_call(next_call_++);
        } else {
          break;
        }
      }
      const auto [begin, end] = take_operation(i);
      visit(i, begin, end);
    }
  }

 private:
  struct Thread {
    int64_t measured_ns = never;  // a time, and when it is in the replay
    int64_t replayed_ns = never;
    int64_t returned_ns = never;  // from the last call that waited
    int64_t worked = 0;           // calls of its process that worked, at its last call
    uint32_t segment = nothing;
  };
  struct Process {
    int64_t worked = 0;       // calls that launched or waited
    uint32_t last = nothing;  // the thread of the last of them
  };
  struct Return {
    int64_t end_ns;
    uint32_t call;
    int64_t replayed_ns;  // when the call began
    uint32_t segment;
    friend bool operator<(const Return& a, const Return& b) {
      return std::pair(a.end_ns, a.call) > std::pair(b.end_ns, b.call);
    }
  };
  struct Running {
    int64_t end_ns;
    uint32_t operation;
    friend bool operator<(const Running& a, const Running& b) {
      return std::pair(a.end_ns, a.operation) > std::pair(b.end_ns, b.operation);
    }
  };

  void index_recorded_waits() {
    if (recorded_waits_ == nullptr) return;
    for (const auto& one : recorded_waits_->synchronizations) {
      const std::string& type = recorded_waits_->types[one.type];
      if (type.find("wait_event") == type.npos) waiting_.push_back(one.correlation);
    }
    std::sort(waiting_.begin(), waiting_.end());
  }

  bool waits(const Launch& call) const {
    if (trace::is_synchronization(kinds_[call.call])) return true;
    return call.correlation != Launch::no_correlation &&
           std::binary_search(waiting_.begin(), waiting_.end(), call.correlation);
  }

  /// What had ended by then, of a device.
  void end_until(uint32_t device, int64_t time) {
    auto& running = running_[device];
    while (!running.empty() && running.top().end_ns <= time) {
      const uint32_t i = running.top().operation;
      running.pop();
      const int64_t end_ns = trace_.operations[i].end_ns();
      const int64_t seen_ns = seen_end_ns_.empty() ? end_ns_[i] : seen_end_ns_[i];
      ended_[trace_.operations[i].track.index].add(end_ns, seen_ns, i);
      Done& on = ended_on_[device];
      on.add(end_ns, seen_ns, i);
      returned_on_[device] = std::max(returned_on_[device], end_ns_[i]);
    }
  }
  int64_t now(const Thread& thread, int64_t time) const {
    return thread.replayed_ns + scaled(time - thread.measured_ns, changed_.host);
  }

  void take_call(uint32_t number) {
    const Launch& call = trace_.host->launches[number];
    Thread& thread = threads_[call.thread];
    Process& process = processes_[model_.process_of_[call.thread]];
    const bool copies = kinds_[call.call] == CallKind::copy;
    const uint32_t operation = model_.operation_of_[number];
    const bool waiting = waits(call);
    const uint32_t other = process.last;
    const int64_t quiet = process.worked - thread.worked;
    if (other != nothing && other != call.thread && quiet >= handover_calls &&
        threads_[other].measured_ns >= thread.measured_ns) {
      const Thread& before = threads_[other];
      const int64_t from = std::max(thread.replayed_ns, before.replayed_ns);
      thread.replayed_ns = from + scaled(call.start_ns - before.measured_ns, changed_.host);
      if (recorded_ != nullptr) {
        recorded_->segments.push_back({call.start_ns, nothing, before.measured_ns, before.segment});
        thread.segment = static_cast<uint32_t>(recorded_->segments.size() - 1);
      }
    } else if (thread.measured_ns == never) {
      thread.replayed_ns = call.start_ns;  // its first is as measured
    } else {
      thread.replayed_ns = now(thread, call.start_ns);
    }
    thread.measured_ns = call.start_ns;
    launched_ns_[number] = thread.replayed_ns;
    if (recorded_ != nullptr) recorded_->segment_of[number] = thread.segment;
    if (operation != nothing || waiting) {
      ++process.worked;
      process.last = call.thread;
    }
    thread.worked = process.worked;
    if (waiting || (copies && operation != nothing)) {
      returns_.push({call.end_ns(), number, thread.replayed_ns, thread.segment});
    }
  }

  void take_return() {
    const Return one = returns_.top();
    returns_.pop();
    const Launch& call = trace_.host->launches[one.call];
    Thread& thread = threads_[call.thread];
    Done done;
    if (waits(call)) {
      for (const uint32_t device : model_.devices_of_[model_.process_of_[call.thread]]) {
        end_until(device, one.end_ns);
        const Done& on = ended_on_[device];
        if (on.known()) done.add(on.measured_ns, returned_on_[device], on.by);
      }
    } else {
      const uint32_t operation = model_.operation_of_[one.call];
      const Operation& copy = trace_.operations[operation];
      // It has begun by now, if it ends by now.
      if (copy.end_ns() > one.end_ns || copy.start_ns >= one.end_ns) return;
      done.add(copy.end_ns(), end_ns_[operation], operation);
    }
    // A call inside it has waited: the rest is time of the host.
    if (thread.returned_ns > call.start_ns || !done.known()) return;
    const int64_t from = std::max(call.start_ns, done.measured_ns);
    thread.replayed_ns =
        std::max(one.replayed_ns, done.replayed_ns) + scaled(one.end_ns - from, changed_.host);
    thread.measured_ns = one.end_ns;
    thread.returned_ns = one.end_ns;
    if (recorded_ == nullptr) return;
    const bool waited = done.measured_ns > call.start_ns;
    recorded_->segments.push_back({one.end_ns, waited ? done.by : nothing, from, one.segment});
    thread.segment = static_cast<uint32_t>(recorded_->segments.size() - 1);
  }

  std::pair<int64_t, int64_t> take_operation(uint32_t i) {
    const Operation& operation = trace_.operations[i];
    const uint32_t track = operation.track.index;
    const uint32_t device = model_.device_of_[track];
    const int64_t start_ns = operation.start_ns;
    end_until(device, start_ns);
    Done ready = ended_[track];
    for (; next_wait_ < model_.waits_.size() && model_.waits_[next_wait_].operation == i;
         ++next_wait_) {
      const uint32_t on = model_.waits_[next_wait_].on;
      const int64_t seen_ns = seen_end_ns_.empty() ? end_ns_[on] : seen_end_ns_[on];
      ready.add(trace_.operations[on].end_ns(), seen_ns, on);
    }
    const uint32_t launch = model_.launch_of(i);
    bool by_launch = false;
    if (launch == nothing) {
      ready.add(ended_on_[device]);
    } else if (launch < next_call_) {
      const int64_t called_ns = trace_.host->launches[launch].start_ns;
      const int64_t latency_ns = std::min(start_ns - called_ns, model_.latency_ns_);
      by_launch = called_ns + latency_ns >= ready.measured_ns;
      ready.add(called_ns + latency_ns, launched_ns_[launch] + latency_ns, nothing);
    }
    int64_t begin_ns = start_ns;
    if (ready.known()) {
      int64_t delay_ns = start_ns - ready.measured_ns;
      if (changed_.explained_only) delay_ns = std::min(delay_ns, longest_delay_ns);
      begin_ns = ready.replayed_ns + delay_ns;
    }
    if (recorded_ != nullptr) {
      recorded_->after[i] = by_launch ? nothing : ready.by;
      recorded_->by_launch[i] = by_launch;
    }
    if (!seen_end_ns_.empty()) seen_end_ns_[i] = begin_ns;
    const bool overlapped = !changed_.overlapped.empty() && changed_.overlapped[i];
    if (overlapped) begin_ns = std::max(begin_ns, overlapped_end_[track]);
    const int64_t duration_ns =
        changed_.duration_ns.empty() ? operation.duration_ns : changed_.duration_ns[i];
    end_ns_[i] = begin_ns + duration_ns;
    if (overlapped) {
      overlapped_end_[track] = end_ns_[i];
    } else if (!seen_end_ns_.empty()) {
      seen_end_ns_[i] = end_ns_[i];
    }
    running_[device].push({operation.end_ns(), i});
    return {begin_ns, end_ns_[i]};
  }

  const Model& model_;
  const trace::Trace& trace_;
  const Changed& changed_;
  Recorded* recorded_;
  std::vector<CallKind> kinds_;  // by function
  const trace::HostWaits* recorded_waits_ = nullptr;
  std::vector<int64_t> waiting_;      // correlations of calls that waited, rising
  std::vector<int64_t> end_ns_;       // by operation
  std::vector<int64_t> seen_end_ns_;  // what others wait for
  std::vector<int64_t> launched_ns_;  // by call
  std::vector<Done> ended_;           // by track
  std::vector<int64_t> overlapped_end_;
  std::vector<Done> ended_on_;                         // by device
  std::vector<int64_t> returned_on_;                   // when all of them end, overlapped ones, too
  std::vector<std::priority_queue<Running>> running_;  // by device
  std::priority_queue<Return> returns_;
  std::vector<Thread> threads_;
  std::vector<Process> processes_;
  uint32_t next_call_ = 0;
  size_t next_wait_ = 0;
};

void Model::replay(const Changed& changed, const Visit& visit) const {
  Sweep(*this, changed, nullptr).run(visit);
}

void Model::critical_path(const VisitPath& visit) const {
  if (trace_.operations.empty()) return;
  Sweep::Recorded recorded;
  uint32_t at = 0;
  const Changed unchanged;
  Sweep(*this, unchanged, &recorded).run([&](uint32_t operation, int64_t, int64_t end_ns) {
    if (end_ns >= trace_.operations[at].end_ns()) at = operation;
  });
  int64_t until_ns = trace_.last_end_ns;
  const auto part = [&](PathPart what, uint32_t operation, int64_t from_ns) {
    from_ns = std::max(from_ns, trace_.first_start_ns);
    if (from_ns >= until_ns) return;
    visit(what, operation, until_ns - from_ns);
    until_ns = from_ns;
  };
  const auto delay = [&](uint32_t operation, int64_t from_ns) {
    const int64_t long_from_ns = trace_.operations[operation].start_ns - longest_delay_ns;
    part(PathPart::delay, operation, std::max(from_ns, long_from_ns));
    part(PathPart::unexplained, operation, from_ns);
  };
  while (at != none && until_ns > trace_.first_start_ns) {
    const Operation& operation = trace_.operations[at];
    part(PathPart::operation, at, operation.start_ns);
    if (!recorded.by_launch[at]) {
      const uint32_t before = recorded.after[at];
      if (before == none) break;
      delay(at, trace_.operations[before].end_ns());
      at = before;
      continue;
    }
    const uint32_t launch = launch_of(at);
    const int64_t called_ns = trace_.host->launches[launch].start_ns;
    delay(at, called_ns + std::min(operation.start_ns - called_ns, latency_ns_));
    part(PathPart::launch, at, called_ns);
    uint32_t next = none;
    for (uint32_t segment = recorded.segment_of[launch]; segment != none;) {
      const Sweep::Recorded::Segment& one = recorded.segments[segment];
      part(PathPart::host, at, one.from_ns);
      const bool waited = one.operation != none;
      part(waited ? PathPart::synchronization : PathPart::host, at, one.waited_from_ns);
      next = one.operation;
      if (waited) break;
      segment = one.before;
    }
    if (next == none) part(PathPart::host, at, trace_.first_start_ns);
    at = next;
  }
  part(PathPart::unexplained, at == none ? 0 : at, trace_.first_start_ns);
}

}  // namespace kr::replay

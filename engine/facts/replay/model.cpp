#include "replay/model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "replay/sweep.hpp"
#include "trace/call_kinds.hpp"

namespace kr::replay {
namespace {

using trace::HostTrace;
using trace::Launch;
using trace::Operation;

/// Of one function, to have a median of its own.
constexpr size_t min_samples = 5;

/// Sorts part of `values`, which are not empty.
int64_t quantile(std::vector<int64_t>& values, size_t of_ten) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * of_ten / 10);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}
int64_t median(std::vector<int64_t>& values) {
  return quantile(values, 5);
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
  place_calls();
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
    if (trace.operations[i].start_ns < call(launch).start_ns) ++before_launch_;
    uint32_t& last = operation_of_[launch];
    if (last == none || trace.operations[i].end_ns() >= trace.operations[last].end_ns()) last = i;
    used[process_of_[call(launch).thread]].insert(device_of_[trace.operations[i].track.index]);
  }
  for (const std::set<uint32_t>& one : used) devices_of_.emplace_back(one.begin(), one.end());
  find_waits();
  find_usual_times();
}

void Model::place_calls() {
  const HostTrace& host = *trace_.host;
  std::vector<bool> waits(host.calls.size());
  for (size_t i = 0; i < host.calls.size(); ++i) {
    waits[i] = trace::is_synchronization(trace::call_kind_of(host.calls[i].name));
  }
  std::vector<std::vector<uint32_t>> open(host.threads.size());
  for (uint32_t i = 0; i < host.launches.size(); ++i) {
    const Launch& one = host.launches[i];
    std::vector<uint32_t>& around = open[one.thread];
    std::erase_if(around, [&](uint32_t other) { return call(other).end_ns() <= one.start_ns; });
    const auto outer = std::find_if(around.begin(), around.end(), [&](uint32_t other) {
      return call(other).end_ns() >= one.end_ns() && !waits[call(other).call];
    });
    if (outer != around.end()) {
      if (outer_of_.empty()) {
        outer_of_.resize(host.launches.size());
        for (uint32_t k = 0; k < outer_of_.size(); ++k) outer_of_[k] = k;
      }
      outer_of_[i] = *outer;
    } else if (one.duration_ns > 0) {
      around.push_back(i);
    }
  }
}

void Model::find_usual_times() {
  find_gap();
  find_latencies();
  const HostTrace& host = *trace_.host;
  std::vector<std::vector<int64_t>> calls(host.calls.size());
  for (uint32_t i = 0; i < host.launches.size(); ++i) {
    if (operation_of_[i] != none) calls[call(i).call].push_back(call(i).duration_ns);
  }
  for (std::vector<int64_t>& one : calls) {
    usual_call_of_.push_back(one.empty() ? 0 : quantile(one, 1));
  }
  find_queues();
}

void Model::find_queues() {
  const auto& launches = trace_.host->launches;
  std::vector<int64_t> pending(devices_);
  max_pending_.resize(devices_);
  uint32_t next = 0;
  for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    for (; next < launches.size() && launches[next].start_ns <= operation.start_ns; ++next) {
      const uint32_t last = operation_of_[next];
      if (last == none || last < i) continue;
      const uint32_t device = device_of_[trace_.operations[last].track.index];
      max_pending_[device] = std::max(max_pending_[device], ++pending[device]);
    }
    const uint32_t launch = launch_of(i);
    if (launch == none || launch >= next || operation_of_[launch] != i) continue;
    --pending[device_of_[operation.track.index]];
  }
}

void Model::find_gap() {
  std::vector<uint32_t> last(trace_.tracks.size(), none);
  std::vector<int64_t> gaps;
  for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    const uint32_t launch = launch_of(i);
    const uint32_t before = std::exchange(last[operation.track.index], i);
    if (launch == none || before == none || waited(i)) continue;
    const int64_t end_ns = trace_.operations[before].end_ns();
    const int64_t gap_ns = operation.start_ns - end_ns;
    const bool was_ready = call(launch).end_ns() + longest_delay_ns / 2 < end_ns;
    if (was_ready && gap_ns >= 0 && gap_ns <= longest_delay_ns) gaps.push_back(gap_ns);
  }
  if (!gaps.empty()) gap_ns_ = median(gaps);
}

bool Model::copies_pageable(uint32_t operation) const {
  const Operation& one = trace_.operations[operation];
  const trace::OperationName& name = trace_.names.get(one.name);
  return name.kind == OperationKind::memcpy &&
         (call(launch_of(operation)).end_ns() >= one.end_ns() ||
          name.text.find("Pageable") != name.text.npos);
}

void Model::find_latencies() {
  std::vector<int64_t> ends(devices_, never);
  std::vector<std::vector<int64_t>> by_function(trace_.host->calls.size());
  std::vector<int64_t> all;
  uint32_t before = none;
  for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
    const Operation& operation = trace_.operations[i];
    int64_t& end_ns = ends[device_of_[operation.track.index]];
    const int64_t device_end_ns = std::exchange(end_ns, std::max(end_ns, operation.end_ns()));
    const uint32_t launch = launch_of(i);
    // Of the nodes of a graph, the first.
    if (launch == none || std::exchange(before, launch) == launch || waited(i)) continue;
    const int64_t latency_ns = operation.start_ns - call(launch).start_ns;
    if (latency_ns < 0 || latency_ns > longest_delay_ns || copies_pageable(i)) continue;
    // It did not wait for the device: that was idle when it was launched, or long before it began.
    if (device_end_ns > call(launch).start_ns &&
        operation.start_ns - device_end_ns <= 4 * gap_ns_) {
      continue;
    }
    by_function[call(launch).call].push_back(latency_ns);
    all.push_back(latency_ns);
  }
  latency_ns_ = all.empty() ? default_latency_ns : median(all);
  for (std::vector<int64_t>& one : by_function) {
    latency_of_.push_back(one.size() >= min_samples ? median(one) : latency_ns_);
  }
}

void Model::wait_in_graph(const trace::LaunchPlaces& operations) {
  std::map<uint32_t, std::vector<uint32_t>> streams;
  for (const uint32_t i : operations) streams[trace_.operations[i].track.index].push_back(i);
  if (streams.size() < 2 || streams.size() > max_waited_streams) return;
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
  if (std::find(makes_wait.begin(), makes_wait.end(), true) != makes_wait.end()) {
    waited_.resize(trace_.operations.size());
  }
  struct Stream {
    uint32_t launch = none;     // the last to it
    uint32_t operation = none;  // the last of it
  };
  std::vector<Stream> streams(trace_.tracks.size());
  std::vector<std::vector<uint32_t>> recent(devices_);  // streams, those launched to last in front
  std::vector<uint32_t> last_wait(host.threads.size(), none);  // by process: a call
  const trace::LaunchedOperations launched(host);
  uint32_t at_call = 0;
  for (size_t i = 0; i < launched.size(); ++i) {
    const uint32_t launch = launched.launch(i);
    for (; at_call < launch; ++at_call) {
      if (makes_wait[call(at_call).call]) last_wait[process_of_[call(at_call).thread]] = at_call;
    }
    const uint32_t wait = last_wait[process_of_[call(launch).thread]];
    const auto operations = launched.operations(i);
    for (const uint32_t operation : operations) {
      const uint32_t track = trace_.operations[operation].track.index;
      Stream& stream = streams[track];
      std::vector<uint32_t>& order = recent[device_of_[track]];
      if (stream.launch != launch) {
        const bool waited = wait != none && (stream.launch == none || wait > stream.launch);
        if (waited) waited_[operation] = true;
        for (size_t k = 0; waited && k < std::min(order.size(), max_waited_streams + 1); ++k) {
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

void Model::replay(const Changed& changed, const Visit& visit) const {
  Sweep(*this, changed, nullptr).advance(visit);
}

}  // namespace kr::replay

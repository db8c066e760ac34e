#include "replay/model.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "replay/sweep.hpp"
#include "trace/call_kinds.hpp"

namespace kr::replay {
namespace {

using trace::HostTrace;
using trace::Launch;
using trace::Operation;

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

void Model::wait_in_graph(const trace::LaunchPlaces& operations) {
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

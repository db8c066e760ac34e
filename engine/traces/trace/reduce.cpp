#include "trace/reduce.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"

namespace kr::trace {
namespace {

/// Numbers of what is used, in the order of those before.
class Used {
 public:
  explicit Used(size_t count) : number_(count, unused) {}
  void add(size_t number) { number_[number] = 0; }
  /// After all were added: `values` without those that are not used.
  template <class Values>
  void keep(Values& values) {
    uint32_t next = 0;
    for (size_t i = 0; i < number_.size(); ++i) {
      if (number_[i] == unused) continue;
      if (next != i) values[next] = std::move(values[i]);
      number_[i] = next++;
    }
    values.resize(next);
  }
  uint32_t operator[](size_t number) const { return number_[number]; }
  size_t size() const noexcept { return number_.size(); }

 private:
  static constexpr uint32_t unused = UINT32_MAX;
  std::vector<uint32_t> number_;
};

/// Leaves those values that `is_kept` by place.
template <class T, class IsKept>
void filter(GrowingArray<T>& values, const IsKept& is_kept) {
  size_t next = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (is_kept(i)) values[next++] = values[i];
  }
  values.truncate(next);
}

class HostReduction {
 public:
  HostReduction(Trace& trace, const Kept& kept)
      : host_(*trace.host), operations_(trace.operations), kept_(kept), time_{} {}

  void run() {
    find_launches();
    keep_operations();
    filter_launches();
    filter_creations();
    filter_others();
    renumber();
    host_.order_added();
  }

 private:
  enum class Work : uint8_t { none, others, kept };

  /// What the calls launched, and when.
  void find_launches() {
    work_.resize(host_.launches.size(), Work::none);
    time_ = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    const auto add = [this](int64_t start_ns, int64_t end_ns) {
      time_.begin_ns = std::min(time_.begin_ns, start_ns);
      time_.end_ns = std::max(time_.end_ns, end_ns);
    };
    for (size_t i = 0; i < operations_.size(); ++i) {
      const bool kept = kept_.operations[i];
      const Launch* const launch = host_.launch(i);
      if (kept) add(operations_[i].start_ns, operations_[i].end_ns());
      if (launch == nullptr) continue;
      if (kept) add(launch->start_ns, launch->end_ns());
      Work& work = work_[host_.launch_of[i]];
      work = kept ? Work::kept : std::max(work, Work::others);
    }
  }

  /// `launch_of` has numbers of before.
  void keep_operations() {
    const auto is_kept = [this](size_t i) { return kept_.operations[i]; };
    filter(host_.launch_of, is_kept);
    if (!host_.creation_of.empty()) filter(host_.creation_of, is_kept);
    host_.orphans = static_cast<uint64_t>(
        std::count(host_.launch_of.begin(), host_.launch_of.end(), HostRange::none));
    host_.uncorrelated = std::min(host_.uncorrelated, host_.orphans);
  }

  void filter_launches() {
    // A call of the runtime and one of the driver inside it have one correlation, and one of them
    // has the operations.
    std::vector<int64_t> of_others;
    for (size_t i = 0; i < work_.size(); ++i) {
      const Launch& launch = host_.launches[i];
      if (work_[i] != Work::others || launch.correlation == Launch::no_correlation) continue;
      if (time_.overlaps(launch.start_ns, launch.end_ns())) of_others.push_back(launch.correlation);
    }
    std::sort(of_others.begin(), of_others.end());
    std::vector<uint32_t> number(work_.size(), HostRange::none);
    uint32_t next = 0;
    filter(host_.launches, [&](size_t i) {
      const Launch& launch = host_.launches[i];
      const bool kept =
          work_[i] == Work::kept ||
          (work_[i] == Work::none && time_.overlaps(launch.start_ns, launch.end_ns()) &&
           !std::binary_search(of_others.begin(), of_others.end(), launch.correlation));
      if (kept) number[i] = next++;
      return kept;
    });
    for (uint32_t& launch : host_.launch_of) {
      if (launch != HostRange::none) launch = number[launch];
    }
  }

  void filter_creations() {
    if (host_.creation_of.empty()) return host_.creations.clear();
    std::vector<uint32_t> number(host_.creations.size(), HostRange::none);
    for (const uint32_t creation : host_.creation_of) {
      if (creation != HostRange::none) number[creation] = 0;
    }
    uint32_t next = 0;
    filter(host_.creations, [&](size_t i) {
      if (number[i] == HostRange::none) return false;
      number[i] = next++;
      return true;
    });
    for (uint32_t& creation : host_.creation_of) {
      if (creation != HostRange::none) creation = number[creation];
    }
    if (host_.creations.empty()) host_.creation_of.clear();
  }

  void filter_others() {
    std::vector<int64_t>& cut = host_.cut_steps;
    cut.insert(cut.end(), kept_.cut_steps.begin(), kept_.cut_steps.end());
    std::ranges::sort(cut);
    cut.erase(std::unique(cut.begin(), cut.end()), cut.end());
    const CreationTimes creations(host_);
    const auto belongs = [&](uint32_t thread, int64_t start_ns, int64_t end_ns) {
      return time_.overlaps(start_ns, end_ns) || creations.any_in(thread, start_ns, end_ns);
    };
    filter(host_.ranges, [&](size_t i) {
      const HostRange& range = host_.ranges[i];
      const bool without = !kept_.without_ranges.empty() && kept_.without_ranges[i];
      return !without && belongs(range.thread, range.start_ns, range.end_ns);
    });
    for (HostOps* const ops : {host_.ops.get(), host_.frames.get()}) {
      if (ops == nullptr) continue;
      filter(ops->calls, [&](size_t i) {
        const OpCall& call = ops->calls[i];
        return belongs(call.thread, call.start_ns, call.end_ns);
      });
    }
    if (!host_.waits) return;
    const auto overlaps = [this](const auto& one) {
      return time_.overlaps(one.start_ns, one.end_ns);
    };
    HostWaits& waits = *host_.waits;
    filter(waits.synchronizations, [&](size_t i) { return overlaps(waits.synchronizations[i]); });
    filter(waits.system_calls, [&](size_t i) { return overlaps(waits.system_calls[i]); });
  }

  void renumber() {
    Used threads(host_.threads.size()), calls(host_.calls.size()), names(host_.range_names.size());
    for (const Launch& launch : host_.launches) {
      threads.add(launch.thread);
      calls.add(launch.call);
    }
    for (const HostRange& range : host_.ranges) {
      threads.add(range.thread);
      names.add(range.name);
    }
    for (const NodeCreation& creation : host_.creations) threads.add(creation.thread);
    for (const HostOps* const ops : {host_.ops.get(), host_.frames.get()}) {
      if (ops == nullptr) continue;
      for (const OpCall& call : ops->calls) threads.add(call.thread);
    }
    threads.keep(host_.threads);
    calls.keep(host_.calls);
    if (!host_.range_texts.empty()) {
      host_.range_texts.resize(names.size());
      Used(names).keep(host_.range_texts);
    }
    names.keep(host_.range_names);
    for (Launch& launch : host_.launches) {
      launch.thread = threads[launch.thread];
      launch.call = calls[launch.call];
    }
    for (HostRange& range : host_.ranges) {
      range.thread = threads[range.thread];
      range.name = names[range.name];
    }
    for (NodeCreation& creation : host_.creations) creation.thread = threads[creation.thread];
    for (std::unique_ptr<HostOps>* const of : {&host_.ops, &host_.frames}) {
      if (*of == nullptr) continue;
      HostOps& all = **of;
      Used ops(all.ops.size());
      for (const OpCall& call : all.calls) ops.add(call.op);
      ops.keep(all.ops);
      for (OpCall& call : all.calls) {
        call.thread = threads[call.thread];
        call.op = ops[call.op];
      }
      if (all.calls.empty()) of->reset();
    }
  }

  HostTrace& host_;
  const GrowingArray<Operation>& operations_;
  const Kept& kept_;
  WorkTime time_;
  std::vector<Work> work_;  // by launch
};

void renumber_names(Trace& trace) {
  std::vector<NameId> number(trace.names.size());
  std::vector<bool> used(trace.names.size());
  for (const Operation& operation : trace.operations) used[operation.name.index] = true;
  NameTable names;
  uint32_t i = 0;
  for (const OperationName& name : trace.names) {
    if (used[i]) number[i] = names.add(name.text, name.kind);
    ++i;
  }
  for (Operation& operation : trace.operations) {
    operation.name = number[operation.name.index];
  }
  trace.names = std::move(names);
}

void renumber_tracks(Trace& trace) {
  Used tracks(trace.tracks.size());
  for (const Operation& operation : trace.operations) tracks.add(operation.track.index);
  tracks.keep(trace.tracks);
  for (Operation& operation : trace.operations) {
    operation.track.index = tracks[operation.track.index];
  }
}

void renumber_details(OperationDetails& details) {
  DetailTable distinct;
  for (uint32_t& detail : details.detail_of) detail = distinct.add(details.distinct[detail]);
  details.distinct = std::move(distinct);
}

/// `time`: of what is kept.
void filter_collectives(Collectives& collectives, const std::vector<bool>& kept,
                        const WorkTime& time) {
  std::vector<CollectiveOperation>& all = collectives.operations;
  size_t next = 0;
  uint32_t place = 0;  // of the operation `at` among those that are kept
  size_t at = 0;
  for (CollectiveOperation one : all) {
    for (; at < one.operation; ++at) place += kept[at] ? 1 : 0;
    if (!kept[one.operation]) continue;
    one.operation = place;
    all[next++] = one;
  }
  all.resize(next);
  std::erase_if(collectives.requests, [&](const CollectiveRequest& one) {
    return !time.overlaps(one.start_ns, one.start_ns);
  });
  Used calls(collectives.calls.size());
  for (const CollectiveOperation& one : all) calls.add(one.call);
  for (const CollectiveRequest& one : collectives.requests) calls.add(one.call);
  calls.keep(collectives.calls);
  for (CollectiveOperation& one : all) one.call = calls[one.call];
  for (CollectiveRequest& one : collectives.requests) one.call = calls[one.call];
}

void filter_untimed(Trace& trace, const std::vector<bool>& kept) {
  std::vector<uint32_t> untimed;
  uint32_t place = 0;
  size_t at = 0;
  for (const uint32_t one : trace.untimed) {
    for (; at < one; ++at) place += kept[at] ? 1 : 0;
    if (kept[one]) untimed.push_back(place);
  }
  trace.untimed = std::move(untimed);
  if (!trace.untimed.empty()) return;
  trace.untimed_why.clear();
  std::erase_if(trace.warnings, [](const Warning& one) { return one.code == "implausible-times"; });
}

void filter_samples(GpuMetrics& metrics, const WorkTime& time) {
  for (GpuMetric& metric : metrics.metrics) {
    const bool sampled = metric.ends.empty() || metric.period_ns > 0;
    const auto is_kept = [&](size_t i) {
      const int64_t at = metric.samples[i].time_ns;
      return time.overlaps(at, sampled ? at : metric.ends[i]);
    };
    std::vector<bool> kept(metric.samples.size());
    for (size_t i = 0; i < kept.size(); ++i) kept[i] = is_kept(i);
    filter(metric.samples, [&](size_t i) { return kept[i]; });
    GrowingArray<int64_t> ends = std::exchange(metric.ends, {});
    if (!ends.empty()) filter(ends, [&](size_t i) { return kept[i]; });
    finish_metric(metric);
    metric.ends = std::move(ends);
    if (!sampled) metric.period_ns = 0;
    // What would end the last value is not in this part.
    const size_t size = metric.ends.size();
    if (sampled && size > 0 && metric.ends[size - 1] > time.end_ns) {
      metric.ends[size - 1] = metric.samples[size - 1].time_ns;
    }
  }
  std::erase_if(metrics.metrics, [](const GpuMetric& one) { return one.samples.empty(); });
}

void filter_memory(Memory& memory, const WorkTime& time) {
  for (MemorySeries& one : memory.series) {
    filter(one.events,
           [&](size_t i) { return time.overlaps(one.events[i].time_ns, one.events[i].time_ns); });
    std::erase_if(one.out_of_memory, [&](int64_t at) { return !time.overlaps(at, at); });
  }
  std::erase_if(memory.series, [](const MemorySeries& one) {
    return one.events.empty() && one.out_of_memory.empty();
  });
  memory.order();
}

}  // namespace

WorkTime work_time(const Trace& trace) {
  KR_CHECK(!trace.operations.empty());
  WorkTime time{trace.operations[0].start_ns, trace.operations[0].end_ns()};
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    time.end_ns = std::max(time.end_ns, trace.operations[i].end_ns());
    const Launch* const launch = trace.host ? trace.host->launch(i) : nullptr;
    if (launch == nullptr) continue;
    time.begin_ns = std::min(time.begin_ns, launch->start_ns);
    time.end_ns = std::max(time.end_ns, launch->end_ns());
  }
  return time;
}

CreationTimes::CreationTimes(const HostTrace& host) : of_thread_(host.threads.size()) {
  for (const NodeCreation& creation : host.creations) {
    of_thread_[creation.thread].push_back(creation.time_ns);
  }
}

bool CreationTimes::any_in(uint32_t thread, int64_t start_ns, int64_t end_ns) const noexcept {
  const std::vector<int64_t>& times = of_thread_[thread];
  const auto at = std::lower_bound(times.begin(), times.end(), start_ns);
  return at != times.end() && *at < end_ns;
}

void reduce(Trace& trace, const Kept& kept) {
  KR_CHECK(kept.operations.size() == trace.operations.size());
  if (trace.host) HostReduction(trace, kept).run();
  const auto is_kept = [&](size_t i) { return kept.operations[i]; };
  filter(trace.operations, is_kept);
  if (trace.details) {
    filter(trace.details->detail_of, is_kept);
    filter(trace.details->correlation_of, is_kept);
    renumber_details(*trace.details);
  }
  filter_untimed(trace, kept.operations);
  renumber_names(trace);
  renumber_tracks(trace);
  const WorkTime time = work_time(trace);
  if (trace.collectives) {
    filter_collectives(*trace.collectives, kept.operations, time);
    const Collectives& left = *trace.collectives;
    if (left.operations.empty() && left.requests.empty()) trace.collectives.reset();
  }
  if (trace.gpu_metrics) {
    filter_samples(*trace.gpu_metrics, time);
    if (trace.gpu_metrics->metrics.empty()) trace.gpu_metrics.reset();
  }
  if (trace.memory) {
    filter_memory(*trace.memory, time);
    if (trace.memory->series.empty()) trace.memory.reset();
  }
  trace.first_start_ns = trace.operations[0].start_ns;
  trace.last_end_ns = trace.first_start_ns;
  for (const Operation& operation : trace.operations) {
    trace.last_end_ns = std::max(trace.last_end_ns, operation.end_ns());
  }
}

}  // namespace kr::trace

#include "analyze/memory.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/run.hpp"
#include "base/saturated.hpp"
#include "scopes/scope.hpp"

namespace kr::analyze {
namespace {

using trace::HostRange;
using trace::HostTrace;
using trace::MemoryEvent;
using trace::MemoryLevel;
using trace::MemorySeries;

constexpr int64_t begin_of_time = std::numeric_limits<int64_t>::min();
constexpr int64_t end_of_time = std::numeric_limits<int64_t>::max();

/// [begin, end) on the host.
struct HostTime {
  int64_t begin_ns;
  int64_t end_ns;
};

/// The greatest of the last values: of those from any place on that were added.
class GreatestSince {
 public:
  void add(size_t place, int64_t value) {
    while (!stack_.empty() && stack_.back().value < value) stack_.pop_back();
    stack_.push_back({place, value});
  }
  /// The first of the greatest, from `place` on. There is one.
  std::pair<size_t, int64_t> from(size_t place) const {
    const auto at = std::partition_point(stack_.begin(), stack_.end(),
                                         [&](const Entry& one) { return one.place < place; });
    return {at->place, at->value};
  }

 private:
  struct Entry {
    size_t place;
    int64_t value;
  };
  std::vector<Entry> stack_;  // falling
};

/// The parts of a series. What they refer to lives as long as this.
class SeriesParts {
 public:
  explicit SeriesParts(const MemorySeries& series) : series_(series) {
    sums_.reserve(series.events.size() + 1);
    sums_.emplace_back();
    for (const MemoryEvent& event : series.events) {
      Sums sums = sums_.back();
      if (event.bytes > 0) {
        ++sums.allocations;
        sums.allocated = add_saturated(sums.allocated, event.bytes);
      } else if (event.bytes < 0 || event.unknown_address) {
        ++sums.releases;
        sums.released = add_saturated(sums.released, -event.bytes);
        sums.unknown += event.unknown_address ? 1 : 0;
      }
      sums_.push_back(sums);
    }
  }

  /// Times have to be asked for in the order of their ends. Their peak's event; none: it was
  /// reached before, or is not known.
  std::pair<MemoryPart, const MemoryEvent*> of(const HostTime& time) {
    const auto& events = series_.events;
    const auto place = [&](int64_t at) {
      return static_cast<size_t>(
          std::partition_point(events.begin(), events.end(),
                               [&](const MemoryEvent& one) { return one.time_ns < at; }) -
          events.begin());
    };
    const size_t first = place(time.begin_ns);
    const size_t behind = time.end_ns == end_of_time ? events.size() : place(time.end_ns);
    for (; added_ < behind; ++added_) {
      used_.add(added_, events[added_].after.used);
      reserved_.add(added_, events[added_].after.reserved);
    }
    MemoryPart part;
    const MemoryEvent* peak = nullptr;
    MemoryLevel most{-1, MemoryLevel::unknown};
    if (first < behind) {
      part.first_bytes = events[first].after.used;
      part.last_bytes = events[behind - 1].after.used;
      const auto [at, used] = used_.from(first);
      peak = &events[at];
      part.peak_ns = peak->time_ns;
      most = {used, reserved_.from(first).second};
    }
    const MemoryLevel* const before = first > 0        ? &events[first - 1].after
                                      : series_.before ? &*series_.before
                                                       : nullptr;
    if (before != nullptr && before->used > most.used) {
      peak = nullptr;
      most.used = before->used;
      part.peak_ns = time.begin_ns != begin_of_time ? time.begin_ns
                     : events.size() > 0            ? events[0].time_ns
                                                    : 0;
    }
    if (before != nullptr) most.reserved = std::max(most.reserved, before->reserved);
    if (most.used >= 0) part.peak_bytes = most.used;
    if (most.reserved >= 0) part.peak_reserved_bytes = most.reserved;
    add_sums(part, sums_[first], sums_[behind]);
    const auto& failed = series_.out_of_memory;
    part.out_of_memory = std::lower_bound(failed.begin(), failed.end(), time.end_ns) -
                         std::lower_bound(failed.begin(), failed.end(), time.begin_ns);
    return {part, peak};
  }

 private:
  struct Sums {
    int64_t allocations = 0, allocated = 0, releases = 0, released = 0, unknown = 0;
  };

  static void add_sums(MemoryPart& part, const Sums& from, const Sums& to) {
    part.allocations = to.allocations - from.allocations;
    part.allocated_bytes = to.allocated - from.allocated;
    part.releases = to.releases - from.releases;
    part.released_bytes = to.released - from.released;
    part.unknown_releases = to.unknown - from.unknown;
  }

  const MemorySeries& series_;
  std::vector<Sums> sums_;  // of the events before a place
  size_t added_ = 0;
  GreatestSince used_, reserved_;
};

/// The times of a part, which follow each other, together. Whether the peak is the later one.
bool add_later(MemoryPart& part, const MemoryPart& later) {
  const bool higher =
      later.peak_bytes && (!part.peak_bytes || *later.peak_bytes > *part.peak_bytes);
  if (higher) {
    part.peak_bytes = later.peak_bytes;
    part.peak_ns = later.peak_ns;
  }
  if (later.peak_reserved_bytes) {
    part.peak_reserved_bytes =
        std::max(part.peak_reserved_bytes.value_or(0), *later.peak_reserved_bytes);
  }
  if (!part.first_bytes) part.first_bytes = later.first_bytes;
  if (later.last_bytes) part.last_bytes = later.last_bytes;
  part.allocations += later.allocations;
  part.allocated_bytes = add_saturated(part.allocated_bytes, later.allocated_bytes);
  part.releases += later.releases;
  part.released_bytes = add_saturated(part.released_bytes, later.released_bytes);
  part.unknown_releases += later.unknown_releases;
  part.out_of_memory += later.out_of_memory;
  return higher;
}

/// What they cover, in order, each time once.
std::vector<HostTime> together(std::vector<HostTime> times) {
  std::sort(times.begin(), times.end(), [](const HostTime& a, const HostTime& b) {
    return std::pair(a.begin_ns, a.end_ns) < std::pair(b.begin_ns, b.end_ns);
  });
  std::vector<HostTime> out;
  for (const HostTime& one : times) {
    if (one.begin_ns >= one.end_ns) continue;
    if (!out.empty() && one.begin_ns <= out.back().end_ns) {
      out.back().end_ns = std::max(out.back().end_ns, one.end_ns);
    } else {
      out.push_back(one);
    }
  }
  return out;
}

/// All that is between them.
std::vector<HostTime> between(const std::vector<HostTime>& times) {
  std::vector<HostTime> out;
  int64_t since = begin_of_time;
  for (const HostTime& one : times) {
    if (since < one.begin_ns) out.push_back({since, one.begin_ns});
    since = one.end_ns;
  }
  if (since < end_of_time) out.push_back({since, end_of_time});
  return out;
}

class MemorySums {
 public:
  MemorySums(const trace::Trace& trace, const classify::Attribution& attribution)
      : memory_(*trace.memory), host_(trace.host.get()), attribution_(attribution) {
    out_.first_start_ns = trace.first_start_ns;
    find_threads();
    find_phases();
  }

  MemoryUse run() {
    for (const MemorySeries& one : memory_.series) {
      const size_t series = out_.series.size();
      out_.series.push_back({one.source, one.kind, one.device});
      find_steps(one);
      add_steps(one, series);
      SeriesParts parts(one);
      add(parts, {{begin_of_time, end_of_time}}, {.series = series}, out_.whole);
      add_phases(one, series);
      if (out_.has_modules) add_modules(one, series);
    }
    return std::move(out_);
  }

 private:
  /// A step whose annotation is of a process of the series.
  struct Step {
    size_t number;
    HostTime time;
  };

  void find_threads() {
    number_.assign(memory_.threads.size(), MemoryEvent::no_thread);
    if (host_ == nullptr) return;
    for (size_t i = 0; i < number_.size(); ++i) {
      const auto at =
          std::lower_bound(host_->threads.begin(), host_->threads.end(), memory_.threads[i]);
      if (at != host_->threads.end() && *at == memory_.threads[i]) {
        number_[i] = static_cast<uint32_t>(at - host_->threads.begin());
      }
    }
    out_.has_modules =
        std::any_of(host_->ranges.begin(), host_->ranges.end(),
                    [](const HostRange& one) { return one.kind == HostRange::Kind::module; });
  }

  void find_phases() {
    std::map<std::string_view, size_t> numbers;
    for (const classify::TraceStep step : attribution_.steps) {
      out_.steps.emplace_back(step.text);
      const auto [at, added] = numbers.try_emplace(step.phase.label, numbers.size());
      if (added) out_.phases.emplace_back(step.phase.label);
      phase_of_.push_back(at->second);
    }
    if (!out_.phases.empty()) out_.phases.emplace_back(scopes::outside_steps_name);
  }

  void find_steps(const MemorySeries& series) {
    steps_.clear();
    std::set<std::string_view> processes;
    for (const MemoryEvent& event : series.events) {
      if (event.thread != MemoryEvent::no_thread) {
        processes.insert(memory_.threads[event.thread].process);
      }
    }
    for (size_t i = 0; i < attribution_.steps.size(); ++i) {
      const HostRange& range = host_->ranges[attribution_.steps[i].range];
      const trace::HostThread& thread = host_->threads[range.thread];
      if (thread.other_clock) continue;
      if (!processes.empty() && !processes.contains(thread.process)) continue;
      steps_.push_back({i, {range.start_ns, range.end_ns}});
    }
  }

  /// The sum over times in their order; none where nothing is known of it.
  void add(SeriesParts& parts, const std::vector<HostTime>& times, MemoryPart part,
           std::vector<MemoryPart>& to) {
    const MemoryEvent* peak = nullptr;
    for (const HostTime& time : times) {
      const auto [one, event] = parts.of(time);
      if (add_later(part, one)) peak = event;
    }
    if (part.peak_bytes) part.peak_step = step_at(part.peak_ns);
    if (peak != nullptr) part.peak_module = module_at(*peak);
    if (part.peak_bytes || part.out_of_memory > 0) to.push_back(std::move(part));
  }

  void add_steps(const MemorySeries& series, size_t number) {
    SeriesParts parts(series);
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return std::pair(a.time.end_ns, a.number) < std::pair(b.time.end_ns, b.number);
    });
    const size_t before = out_.in_steps.size();
    innermost_.clear();
    for (const Step& step : steps_) innermost_.push_back(step);
    std::sort(innermost_.begin(), innermost_.end(), [](const Step& a, const Step& b) {
      return std::pair(a.time.begin_ns, a.number) < std::pair(b.time.begin_ns, b.number);
    });
    latest_end_.clear();
    int64_t latest_ns = std::numeric_limits<int64_t>::min();
    for (const Step& step : innermost_) {
      latest_ns = std::max(latest_ns, step.time.end_ns);
      latest_end_.push_back(latest_ns);
    }
    for (const Step& step : steps_) {
      add(parts, {step.time}, {.series = number, .key = step.number}, out_.in_steps);
    }
    std::sort(out_.in_steps.begin() + static_cast<std::ptrdiff_t>(before), out_.in_steps.end(),
              [](const MemoryPart& a, const MemoryPart& b) { return a.key < b.key; });
  }

  void add_phases(const MemorySeries& series, size_t number) {
    if (out_.phases.empty()) return;
    std::vector<std::vector<HostTime>> times(out_.phases.size());
    for (const Step& step : steps_) times[phase_of_[step.number]].push_back(step.time);
    std::vector<HostTime> all;
    for (const Step& step : steps_) all.push_back(step.time);
    times.back() = between(together(std::move(all)));
    for (size_t phase = 0; phase < times.size(); ++phase) {
      SeriesParts parts(series);
      const bool outside = phase + 1 == times.size();
      add(parts, outside ? times[phase] : together(std::move(times[phase])),
          {.series = number, .key = phase}, out_.in_phases);
    }
  }

  /// Of those that began last before, the first that has not ended.
  std::optional<size_t> step_at(int64_t time) const {
    auto at = std::partition_point(innermost_.begin(), innermost_.end(),
                                   [&](const Step& one) { return one.time.begin_ns <= time; });
    if (at == innermost_.begin()) return std::nullopt;
    for (--at;; --at) {
      if (time < at->time.end_ns) return at->number;
      // This one and all that began before it have ended.
      const auto place = static_cast<size_t>(at - innermost_.begin());
      if (latest_end_[place] <= time) return std::nullopt;
    }
  }

  uint32_t module_range(const MemoryEvent& event) const {
    if (host_ == nullptr || event.thread == MemoryEvent::no_thread) return HostRange::none;
    const uint32_t thread = number_[event.thread];
    return thread == MemoryEvent::no_thread ? HostRange::none
                                            : host_->module_at(thread, event.time_ns);
  }
  std::string module_at(const MemoryEvent& event) const {
    const uint32_t range = module_range(event);
    return range == HostRange::none ? std::string()
                                    : std::string(host_->module_name(range, HostRange::none));
  }

  void add_modules(const MemorySeries& series, size_t number) {
    std::map<std::string_view, MemoryModule> sums;
    for (const MemoryEvent& event : series.events) {
      if (event.bytes <= 0) continue;
      const uint32_t range = module_range(event);
      const std::string_view name = range == HostRange::none
                                        ? std::string_view()
                                        : host_->module_name(range, HostRange::none);
      MemoryModule& sum =
          sums.try_emplace(name, MemoryModule{number, std::string(name), 0, 0}).first->second;
      ++sum.allocations;
      sum.allocated_bytes = add_saturated(sum.allocated_bytes, event.bytes);
    }
    const auto before = static_cast<std::ptrdiff_t>(out_.modules.size());
    for (auto& [name, sum] : sums) out_.modules.push_back(std::move(sum));
    std::stable_sort(out_.modules.begin() + before, out_.modules.end(),
                     [](const MemoryModule& a, const MemoryModule& b) {
                       return a.allocated_bytes > b.allocated_bytes;
                     });
  }

  const trace::Memory& memory_;
  const HostTrace* host_;
  const classify::Attribution& attribution_;
  std::vector<uint32_t> number_;     // by thread of memory: that of the host trace
  std::vector<size_t> phase_of_;     // by step
  std::vector<Step> steps_;          // of the series, by end
  std::vector<Step> innermost_;      // the same, by begin
  std::vector<int64_t> latest_end_;  // by place there: of all up to it
  MemoryUse out_;
};

}  // namespace

MemoryUse sum_memory(const trace::Trace& trace, const classify::Attribution& attribution) {
  return MemorySums(trace, attribution).run();
}

facts::Computed<MemoryUse> MemoryUse::compute(const facts::Input& run) {
  if (!run.trace.trace.memory) {
    return facts::Computed<MemoryUse>::absent(
        "no trace has memory events; PyTorch's profiler records them with `profile_memory=True`, "
        "nsys with `--cuda-memory-usage=true`");
  }
  return sum_memory(run.trace.trace, run.trace.attribution(run.rules));
}

}  // namespace kr::analyze

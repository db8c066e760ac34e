#include "trace/readers/kineto_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/integer.hpp"
#include "base/saturated.hpp"
#include "trace/rank_place.hpp"
#include "trace/readers/kineto_events.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view out_of_memory_name = "[OutOfMemory]";
/// Computed from the duration of each kernel and the clock.
constexpr std::string_view cycles_name = "Cycles (Current Kernel)";

/// c10::DeviceType.
std::string memory_kind(int64_t type) {
  constexpr std::array<std::pair<int64_t, std::string_view>, 8> known{{{0, "cpu"},
                                                                       {1, "cuda"},
                                                                       {6, "hip"},
                                                                       {12, "xpu"},
                                                                       {13, "mps"},
                                                                       {15, "hpu"},
                                                                       {19, "mtia"},
                                                                       {20, "privateuse1"}}};
  for (const auto& [number, name] : known) {
    if (number == type) return std::string(name);
  }
  return fmt::format("device type {}", type);
}

/// Calls `each(key, value)` for the members of an event's `args`. The event was read before: it is
/// right.
template <class Each>
void each_argument(JsonWalk& json, const Each& each) {
  JsonRaw value;
  std::string_view key;
  std::string text;
  json.step();
  if (json.step_over('}')) return;
  do {
    if (!json.string(key) || !json.step_over(':')) return;
    if (json.plain(key, text) != "args" || json.peek() != '{') {
      if (!json.value(value)) return;
      continue;
    }
    json.step();
    if (json.step_over('}')) continue;
    do {
      if (!json.string(key) || !json.step_over(':') || !json.value(value)) return;
      each(json.plain(key, text), value);
    } while (json.step_over(','));
    if (!json.step_over('}')) return;
  } while (json.step_over(','));
}

std::optional<int64_t> whole_number(const JsonRaw& raw) {
  const bool written = raw.kind == JsonRaw::Kind::number || raw.kind == JsonRaw::Kind::string;
  return written ? integer_from(raw.text) : std::nullopt;
}

std::optional<double> real_number(const JsonRaw& raw) {
  if (raw.kind != JsonRaw::Kind::number) return std::nullopt;
  double value = 0;
  const char* const end = raw.text.data() + raw.text.size();
  const auto [stop, error] = std::from_chars(raw.text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool is_bytes(std::optional<int64_t> value) {
  return value && *value >= 0 && *value <= max_memory_bytes;
}

/// The number of a GPU in `GPU 3 Counters`; nullopt: it is another process.
std::optional<int32_t> counted_gpu(std::string_view process) {
  constexpr std::string_view head = "GPU ";
  constexpr std::string_view tail = " Counters";
  if (const auto merged = merged_process(process)) process = merged->process;
  if (!process.starts_with(head) || !process.ends_with(tail)) return std::nullopt;
  if (process.size() <= head.size() + tail.size()) return std::nullopt;
  const auto number = integer_from<int32_t>(
      process.substr(head.size(), process.size() - head.size() - tail.size()));
  return number && *number >= 0 ? number : std::nullopt;
}

/// The process as it is called in its own trace, and the member that it is of.
std::pair<std::string, std::string> split_member(const std::string& process) {
  if (const auto merged = merged_process(process)) {
    return {std::string(merged->process), std::string(merged->member)};
  }
  return {process, {}};
}

}  // namespace

void KinetoSamples::clear() {
  threads.clear();
  memory.clear();
  metrics.clear();
  counters.clear();
}

bool read_kineto_memory(JsonWalk& json, const KinetoSampleEvent& event, KinetoSamples& out,
                        std::string_view& what) {
  const bool out_of_memory = event.name == out_of_memory_name;
  if (!out_of_memory && event.name != "[memory]") return true;
  what = "memory event without a valid time";
  if (event.time_fault != DecimalFault::none) return false;
  std::optional<int64_t> type, device, bytes, used, reserved;
  each_argument(json, [&](std::string_view key, const JsonRaw& value) {
    if (key == "Device Type") type = whole_number(value);
    if (key == "Device Id") device = whole_number(value);
    if (key == "Bytes") bytes = whole_number(value);
    if (key == "Total Allocated") used = whole_number(value);
    if (key == "Total Reserved") reserved = whole_number(value);
  });
  what = "memory event without a device";
  if (!type || !device || *type < 0 || *device < -1) return false;
  if (*type > std::numeric_limits<int8_t>::max()) return false;
  if (*device > std::numeric_limits<int32_t>::max()) return false;
  if (!out_of_memory) {
    what = "memory event without a valid number of bytes";
    if (!bytes || *bytes < -max_memory_bytes || *bytes > max_memory_bytes) return false;
    what = "memory event without a valid total";
    if (!is_bytes(used)) return false;
  }
  const uint32_t thread = out.threads.add({std::string(event.process), std::string(event.thread)});
  const MemoryLevel after{used.value_or(0),
                          is_bytes(reserved) && *type != 0 ? *reserved : MemoryLevel::unknown};
  out.memory.push_back(
      {*type, *device, thread, out_of_memory, {event.time_ns, bytes.value_or(0), after, 0, false}});
  return true;
}

bool read_kineto_counter(JsonWalk& json, const KinetoSampleEvent& event, KinetoSamples& out,
                         std::string_view& what) {
  const bool by_kernel =
      event.category == "xpu_scope_profiler" || event.category == "mtia_counters";
  std::optional<int32_t> gpu = counted_gpu(event.process);
  if (!gpu && by_kernel) {
    const auto merged = merged_process(event.process);
    gpu = integer_from<int32_t>(merged ? merged->process : event.process);
  }
  // Programs may count other things.
  if (!gpu) return true;
  what = "counter of cycles, which is the duration of a kernel times the clock";
  if (event.name == cycles_name) return false;
  what = "GPU metric sample without a valid time";
  if (event.time_fault != DecimalFault::none) return false;
  const size_t first = out.counters.size();
  what = {};
  bool any = false;
  each_argument(json, [&](std::string_view key, const JsonRaw& raw) {
    const std::optional<double> value = real_number(raw);
    if (!value) what = "GPU metric sample whose value is not a number";
    if (value && *value < 0) what = "GPU metric sample with a negative value";
    if (!value || *value < 0) return;
    const uint32_t metric = out.metrics.add(
        {*gpu, std::string(event.process), std::string(key.empty() ? event.name : key)});
    any |= *value > 0;
    out.counters.push_back({metric, false, {event.time_ns, *value}});
  });
  if (by_kernel) {
    // Back to the begin and the end of the kernel.
    for (size_t i = first; i < out.counters.size(); ++i) {
      out.counters[i].stop = !any;
      int64_t& time = out.counters[i].sample.time_ns;
      time = any ? add_saturated(time, 1) : subtract_saturated(time, 1);
    }
  }
  return what.empty();
}

void KinetoSampleSums::add(const KinetoSamples& part) {
  std::vector<uint32_t> threads;
  std::vector<std::string> members;
  for (const HostThread& one : part.threads.all()) {
    auto [process, member] = split_member(one.process);
    const HostThread thread{std::move(process), one.thread};
    const auto [at, added] =
        threads_.try_emplace(thread, static_cast<uint32_t>(memory_.threads.size()));
    if (added) memory_.threads.push_back(thread);
    threads.push_back(at->second);
    members.push_back(std::move(member));
  }
  for (const KinetoSamples::MemoryRow& row : part.memory) {
    const auto [at, added] =
        series_.try_emplace({members[row.thread], row.type, row.device}, memory_.series.size());
    if (added) {
      MemorySeries& one = memory_.series.emplace_back();
      one.kind = memory_kind(row.type);
      if (row.device >= 0) one.device = static_cast<int32_t>(row.device);
      one.member = members[row.thread];
    }
    MemorySeries& series = memory_.series[at->second];
    if (row.out_of_memory) {
      series.out_of_memory.push_back(row.event.time_ns);
      continue;
    }
    MemoryEvent event = row.event;
    event.thread = threads[row.thread];
    series.events.push_back(event);
  }
  std::vector<size_t> numbers;
  for (const KinetoSamples::Metric& one : part.metrics.all()) {
    std::string member = split_member(one.process).second;
    const auto [at, added] =
        numbers_.try_emplace({member, one.gpu, one.name}, metrics_.metrics.size());
    if (added) {
      GpuMetric& metric = metrics_.metrics.emplace_back();
      metric.gpu = one.gpu;
      metric.name = one.name;
      metric.member = std::move(member);
    }
    numbers.push_back(at->second);
  }
  for (const KinetoSamples::CounterRow& row : part.counters) {
    GpuMetric& metric = metrics_.metrics[numbers[row.metric]];
    if (row.stop) {
      stops_[{metric.member, metric.gpu, metric.name}].push_back(row.sample.time_ns);
    } else {
      metric.samples.push_back(row.sample);
    }
  }
}

void KinetoSampleSums::finish(TraceBuilder& out) {
  if (!memory_.series.empty()) out.memory(std::move(memory_));
  if (!metrics_.metrics.empty()) finish_metrics(out);
}

void KinetoSampleSums::finish_metrics(TraceBuilder& out) {
  std::erase_if(metrics_.metrics, [](const GpuMetric& one) { return one.samples.empty(); });
  std::sort(metrics_.metrics.begin(), metrics_.metrics.end(),
            [](const GpuMetric& a, const GpuMetric& b) {
              return std::tie(a.gpu, a.name, a.member) < std::tie(b.gpu, b.name, b.member);
            });
  for (GpuMetric& metric : metrics_.metrics) {
    const MetricCleaning cleaning = finish_metric(metric);
    set_ends(metric, std::move(stops_[{metric.member, metric.gpu, metric.name}]));
    if (cleaning.duplicates > 0) {
      out.add_dropped("GPU metric sample with the time of another: the first is used",
                      cleaning.duplicate_number, cleaning.duplicates);
    }
    if (cleaning.over_full > 0) {
      out.add_dropped("GPU metric value over 100 %: read as 100 %", 0, cleaning.over_full);
    }
    for (const Track& track : out.tracks()) {
      if (track.device == metric.gpu && track.member == metric.member) metric.device = metric.gpu;
    }
  }
  if (!metrics_.metrics.empty()) out.gpu_metrics(std::move(metrics_));
}

// Its name, process and thread are read as those of others are; what is in `args` is read again.
void EventParser::take_sample(JsonWalk& json, JsonWalk::Mark begin) {
  const auto text = [&](const JsonRaw& raw, std::string& to) {
    return raw.kind == JsonRaw::Kind::string ? json.plain(raw.text, to) : raw.text;
  };
  KinetoSampleEvent event{text(event_.name, scratch_), text(event_.category, phase_),
                          text(event_.process, process_), text(event_.thread, kernel_)};
  event.time_fault = time(json, event_.start, event.time_ns);
  const JsonWalk::Mark end = json.mark();
  json.back_to(begin);
  std::string_view what;
  const bool counter = event_.phase.text == "C";
  const bool read = counter ? read_kineto_counter(json, event, out_->samples, what)
                            : read_kineto_memory(json, event, out_->samples, what);
  if (!read) add_dropped(what);
  json.back_to(end);
}

}  // namespace kr::trace

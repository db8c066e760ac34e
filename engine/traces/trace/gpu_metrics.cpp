#include "trace/gpu_metrics.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr double full_percent = 100;
/// No clock has 100 GHz, and none is slower than 0.1 MHz.
constexpr double min_hz_over_mhz = 100'000;

/// `[Throughput %]` or `(MHz)` at the end of the name, without the brackets; empty: there is none.
std::string_view bracket(std::string_view name) {
  if (!name.ends_with(']') && !name.ends_with(')')) return {};
  const size_t begin = name.rfind(name.ends_with(']') ? '[' : '(');
  return begin == name.npos ? std::string_view() : name.substr(begin + 1, name.size() - begin - 2);
}

struct Spelling {
  std::string_view text;
  MetricUnit unit;
  double times;
  double over;
};

constexpr std::array spellings{
    Spelling{"Hz", MetricUnit::hz, 1, 1},
    Spelling{"kHz", MetricUnit::hz, 1e3, 1},
    Spelling{"MHz", MetricUnit::hz, 1e6, 1},
    Spelling{"GHz", MetricUnit::hz, 1e9, 1},
    Spelling{"W", MetricUnit::watts, 1, 1},
    Spelling{"Watts", MetricUnit::watts, 1, 1},
    Spelling{"mW", MetricUnit::watts, 1, 1e3},
    Spelling{"B/s", MetricUnit::bytes_per_s, 1, 1},
    Spelling{"Bytes/s", MetricUnit::bytes_per_s, 1, 1},
    Spelling{"kB/s", MetricUnit::bytes_per_s, 1e3, 1},
    Spelling{"MB/s", MetricUnit::bytes_per_s, 1e6, 1},
    Spelling{"GB/s", MetricUnit::bytes_per_s, 1e9, 1},
    Spelling{"KiB/s", MetricUnit::bytes_per_s, 1024, 1},
    Spelling{"MiB/s", MetricUnit::bytes_per_s, 1024.0 * 1024, 1},
    Spelling{"GiB/s", MetricUnit::bytes_per_s, 1024.0 * 1024 * 1024, 1},
};

/// Names of 2021 have no units.
bool is_percent_without_unit(std::string_view name) {
  constexpr std::array ends{"Active"sv, "Issue"sv, "Throughput"sv, "Bandwidth"sv};
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return ends_with_ignoring_case(name, end); });
}

/// Of names as CUPTI has them, `nvlrx__bytes.sum.per_second`, and of those of Intel's GPUs; empty:
/// it is none of them, or has another unit.
std::string_view unit_in_name(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has(".pct_of_peak")) return "%";
  if (name.ends_with("FrequencyMHz")) return "MHz";
  if (!has("__") || !name.ends_with(".per_second")) return {};
  if (has("bytes")) return "B/s";
  return has("cycles_elapsed") ? "Hz" : std::string_view();
}

double greatest(const GpuMetric& metric) {
  double most = 0;
  for (const MetricSample& sample : metric.samples) most = std::max(most, sample.value);
  return most;
}

void set_unit(GpuMetric& metric, MetricUnit unit, double times, double over) {
  metric.unit = unit;
  metric.times = times;
  metric.over = over;
}

void find_unit(GpuMetric& metric) {
  set_unit(metric, MetricUnit::number, 1, 1);
  std::string_view unit = bracket(metric.name);
  if (unit.empty()) unit = unit_in_name(metric.name);
  if (unit.find('%') != unit.npos) {
    return set_unit(metric, MetricUnit::ratio, 1, full_percent);
  }
  if (unit.empty() && is_percent_without_unit(metric.name) && greatest(metric) <= full_percent) {
    return set_unit(metric, MetricUnit::ratio, 1, full_percent);
  }
  const bool clock = unit.empty() && ends_with_ignoring_case(metric.name, "Clock Frequency");
  // `mW` and `MW`, unlike others, differ only in case: the first that fits is the smaller.
  const auto known =
      std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& spelling) {
        return same_ignoring_case(spelling.text, clock ? "MHz"sv : unit);
      });
  if (known == spellings.end()) return;
  set_unit(metric, known->unit, known->times, known->over);
  if (same_ignoring_case(known->text, "MHz") && greatest(metric) > min_hz_over_mhz) {
    set_unit(metric, MetricUnit::hz, 1, 1);
  }
}

/// Keeps the first of those with equal times, in the order read.
void remove_duplicates(GpuMetric& metric, MetricCleaning& cleaning) {
  GrowingArray<MetricSample>& samples = metric.samples;
  size_t kept = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (kept > 0 && samples[kept - 1].time_ns == samples[i].time_ns) {
      if (cleaning.duplicates++ == 0) cleaning.duplicate_number = i;
      continue;
    }
    samples[kept++] = samples[i];
  }
  samples.truncate(kept);
}

int64_t median_distance(const GrowingArray<MetricSample>& samples) {
  if (samples.size() < 2) return 0;
  std::vector<int64_t> distances;
  distances.reserve(samples.size() - 1);
  for (size_t i = 1; i < samples.size(); ++i) {
    distances.push_back(samples[i].time_ns - samples[i - 1].time_ns);
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

std::string_view to_string(MetricUnit unit) noexcept {
  constexpr std::array<std::string_view, metric_unit_count> names{"ratio", "hz", "bytes_per_s",
                                                                  "watts", "number"};
  return names[static_cast<size_t>(unit)];
}

MetricCleaning finish_metric(GpuMetric& metric) {
  MetricCleaning cleaning;
  const auto before = [](const MetricSample& a, const MetricSample& b) {
    return a.time_ns < b.time_ns;
  };
  if (!std::is_sorted(metric.samples.begin(), metric.samples.end(), before)) {
    std::stable_sort(metric.samples.begin(), metric.samples.end(), before);
  }
  remove_duplicates(metric, cleaning);
  metric.period_ns = metric.ends.empty() ? median_distance(metric.samples) : 0;
  find_unit(metric);
  if (metric.unit != MetricUnit::ratio) return cleaning;
  for (MetricSample& sample : metric.samples) {
    if (sample.value <= full_percent) continue;
    sample.value = full_percent;
    ++cleaning.over_full;
  }
  return cleaning;
}

void set_ends(GpuMetric& metric, std::vector<int64_t> stops) {
  std::sort(stops.begin(), stops.end());
  auto stop = stops.begin();
  metric.ends.clear();
  for (size_t i = 0; i < metric.samples.size(); ++i) {
    const int64_t begin = metric.samples[i].time_ns;
    while (stop != stops.end() && *stop <= begin) ++stop;
    const bool is_last = i + 1 == metric.samples.size();
    int64_t end = is_last ? INT64_MAX : metric.samples[i + 1].time_ns;
    if (stop != stops.end()) end = std::min(end, *stop);
    metric.ends.push_back(end == INT64_MAX ? begin : end);
  }
}

}  // namespace kr::trace

#include "analyze/gpu_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/run.hpp"
#include "analyze/sweep.hpp"
#include "scopes/scope.hpp"

namespace kr::analyze {
namespace {

constexpr uint32_t nowhere = UINT32_MAX;

/// The scopes that metrics are summed by. Their keys are numbered through: those of the first
/// scope, then those of the next.
class MetricKeys {
 public:
  void add(scopes::Scope scope) {
    begins_.push_back(size_);
    size_ += static_cast<uint32_t>(scope.size());
    scopes_.push_back(std::move(scope));
  }
  const std::vector<scopes::Scope>& scopes() const noexcept { return scopes_; }
  uint32_t begin(size_t scope) const noexcept { return begins_[scope]; }
  uint32_t size() const noexcept { return size_; }
  /// The keys of an operation, each once.
  void of(size_t operation, std::vector<uint32_t>& out) const {
    out.clear();
    for (size_t i = 0; i < scopes_.size(); ++i) {
      for (const uint32_t key : scopes_[i].keys(operation)) out.push_back(begins_[i] + key);
    }
  }

 private:
  std::vector<scopes::Scope> scopes_;
  std::vector<uint32_t> begins_;
  uint32_t size_ = 0;
};

struct PartSum {
  double value = 0;  // as the profiler has it: whole numbers add up exactly
  // Of metrics whose values are of times: their integral over the time in which nothing else ran on
  // the device, and what of this time values cover.
  double value_ns = 0;
  int64_t covered_ns = 0;
  int64_t samples = 0;
  int64_t shared = 0;
  int64_t mixed = 0;
  int64_t below = 0;
};

/// A key on one device.
struct KeyState {
  UnionSweep own;
  uint32_t running = 0;      // of its operations, at the time of the sample
  uint32_t near = 0;         // within the period of the sample
  uint32_t place = nowhere;  // in `active_`
  uint32_t parts = nowhere;  // its first sum
  bool seen = false;
};

/// The integral of a metric whose values are of times, of which none begins before another's end.
class ValueOverTime {
 public:
  explicit ValueOverTime(const trace::GpuMetric& metric) : metric_(&metric) {}

  struct Integral {
    double value_ns = 0;
    int64_t covered_ns = 0;
  };
  /// Of [begin, end), which begins where the one before ended or later.
  Integral over(int64_t begin, int64_t end) {
    const auto& samples = metric_->samples;
    Integral sum;
    while (next_ < samples.size() && samples[next_].time_ns <= begin) ++next_;
    for (size_t i = next_ == 0 ? 0 : next_ - 1; i < samples.size(); ++i) {
      if (samples[i].time_ns >= end) break;
      const int64_t from = std::max(begin, samples[i].time_ns);
      const int64_t to = std::min(end, metric_->ends[i]);
      if (from >= to) continue;
      sum.covered_ns += to - from;
      sum.value_ns += samples[i].value * static_cast<double>(to - from);
    }
    return sum;
  }

 private:
  const trace::GpuMetric* metric_;
  size_t next_ = 0;  // the first sample behind the last `begin`
};

/// The samples and operations of one device, in order of time.
class DeviceMetrics {
 public:
  DeviceMetrics(const trace::Trace& trace, const MetricKeys& keys, int32_t device,
                std::vector<const trace::GpuMetric*> metrics)
      : operations_(trace.operations),
        keys_(keys),
        device_(device),
        metrics_(std::move(metrics)),
        states_(keys.size()),
        next_(metrics_.size(), 0) {
    on_device_.reserve(trace.tracks.size());
    for (const trace::Track& track : trace.tracks) on_device_.push_back(track.device == device);
    size_t most = 0;
    below_.reserve(metrics_.size());
    for (uint32_t i = 0; i < metrics_.size(); ++i) {
      const trace::GpuMetric* const metric = metrics_[i];
      if (metric->samples.size() > most) {
        most = metric->samples.size();
        period_ = std::max<int64_t>(1, metric->period_ns);
        counted_ = i;
      }
      const double highest = greatest(*metric);
      const bool has_below =
          metric->unit == trace::MetricUnit::hz || metric->unit == trace::MetricUnit::watts;
      below_.push_back(has_below ? highest * same_clock : 0);
    }
  }

  void sweep() {
    measure_own();
    for (uint32_t i = 0; i < metrics_.size(); ++i) queue_next(i);
    while (!queue_.empty()) {
      const int64_t now = queue_.front().first;
      move_to(now);
      while (!queue_.empty() && queue_.front().first == now) {
        std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
        const uint32_t metric = queue_.back().second;
        queue_.pop_back();
        add(metric, metrics_[metric]->samples[next_[metric]++].value);
        queue_next(metric);
      }
    }
    weigh();
  }

  void add_counts(SampleCounts& out) const {
    out.samples += counts_.samples;
    out.busy += counts_.busy;
    out.overlapping += counts_.overlapping;
    out.mixed += counts_.mixed;
    out.period_ns = std::max(out.period_ns, period_);
  }

  /// Those of a scope that have operations on the device, in the order of the keys.
  void times_of(size_t scope, std::vector<MetricTimes>& out) const {
    for (uint32_t key = 0; key < keys_.scopes()[scope].size(); ++key) {
      const KeyState& state = states_[keys_.begin(scope) + key];
      if (!state.seen) continue;
      MetricTimes& times = out.emplace_back();
      times.key = key;
      times.device = device_;
      times.own_ns = state.own.covered_ns();
      if (state.parts == nowhere) continue;
      times.parts.reserve(metrics_.size());
      for (size_t i = 0; i < metrics_.size(); ++i) times.parts.push_back(part(state.parts + i, i));
    }
  }

 private:
  using Timed = std::pair<int64_t, uint32_t>;

  static double greatest(const trace::GpuMetric& metric) {
    double most = 0;
    for (const trace::MetricSample& sample : metric.samples) most = std::max(most, sample.value);
    return most;
  }

  void measure_own() {
    for (size_t i = next_operation(0); i < operations_.size(); i = next_operation(i + 1)) {
      keys_.of(i, of_operation_);
      for (const uint32_t key : of_operation_) {
        states_[key].own.add(operations_[i].start_ns, operations_[i].end_ns());
        states_[key].seen = true;
      }
    }
  }

  /// Means over time: of the parts of time between two starts or ends of operations, those in which
  /// only operations of a key run. A value of the device is not one of two concurrent kernels.
  void weigh() {
    std::vector<std::pair<size_t, ValueOverTime>> metrics;
    for (size_t i = 0; i < metrics_.size(); ++i) {
      if (!metrics_[i]->ends.empty()) metrics.emplace_back(i, *metrics_[i]);
    }
    if (metrics.empty()) return;
    std::vector<Timed> ends;
    std::vector<uint32_t> running(keys_.size(), 0);
    int64_t since = 0;
    const auto weigh_until = [&](int64_t now) {
      if (!ends.empty() && now > since) {
        // Keys of all that run are keys of any of them.
        keys_.of(ends.front().second, of_operation_);
        std::erase_if(of_operation_, [&](uint32_t key) {
          return running[key] < ends.size() || states_[key].parts == nowhere;
        });
        for (auto& [metric, values] : metrics) {
          const ValueOverTime::Integral part = values.over(since, now);
          for (const uint32_t key : of_operation_) {
            PartSum& sum = sums_[states_[key].parts + metric];
            sum.value_ns += part.value_ns;
            sum.covered_ns += part.covered_ns;
          }
        }
      }
      since = now;
    };
    const auto end_until = [&](int64_t now) {
      while (!ends.empty() && ends.front().first <= now) {
        weigh_until(ends.front().first);
        keys_.of(ends.front().second, of_operation_);
        for (const uint32_t key : of_operation_) --running[key];
        std::pop_heap(ends.begin(), ends.end(), std::greater<>());
        ends.pop_back();
      }
    };
    for (size_t i = next_operation(0); i < operations_.size(); i = next_operation(i + 1)) {
      if (operations_[i].duration_ns <= 0) continue;
      end_until(operations_[i].start_ns);
      weigh_until(operations_[i].start_ns);
      keys_.of(i, of_operation_);
      for (const uint32_t key : of_operation_) ++running[key];
      ends.emplace_back(operations_[i].end_ns(), static_cast<uint32_t>(i));
      std::push_heap(ends.begin(), ends.end(), std::greater<>());
    }
    end_until(INT64_MAX);
  }

  size_t next_operation(size_t i) const {
    while (i < operations_.size() && !on_device_[operations_[i].track.index]) ++i;
    return i;
  }

  void queue_next(uint32_t metric) {
    const auto& samples = metrics_[metric]->samples;
    if (next_[metric] == samples.size()) return;
    queue_.emplace_back(samples[next_[metric]].time_ns, metric);
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
  }

  /// Operations end, come near, and begin.
  void move_to(int64_t now) {
    while (!ends_.empty() && ends_.front().first <= now) {
      std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
      leave(ends_.back().second);
      ends_.pop_back();
    }
    const int64_t until =
        now > std::numeric_limits<int64_t>::max() - period_ ? INT64_MAX : now + period_;
    for (near_ = next_operation(near_);
         near_ < operations_.size() && operations_[near_].start_ns < until;
         near_ = next_operation(near_ + 1)) {
      if (operations_[near_].end_ns() > now && operations_[near_].duration_ns > 0) come_near(near_);
    }
    for (begun_ = next_operation(begun_);
         begun_ < operations_.size() && operations_[begun_].start_ns <= now;
         begun_ = next_operation(begun_ + 1)) {
      if (operations_[begun_].end_ns() > now) begin(begun_);
    }
  }

  void come_near(size_t i) {
    ends_.emplace_back(operations_[i].end_ns(), static_cast<uint32_t>(i));
    std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    ++all_near_;
    keys_.of(i, of_operation_);
    for (const uint32_t key : of_operation_) ++states_[key].near;
  }

  void begin(size_t i) {
    ++all_running_;
    keys_.of(i, of_operation_);
    for (const uint32_t key : of_operation_) {
      KeyState& state = states_[key];
      if (state.running++ > 0) continue;
      state.place = static_cast<uint32_t>(active_.size());
      active_.push_back(key);
    }
  }

  /// It came near at an earlier sample. If that was at its start or later, it has begun, too.
  void leave(size_t i) {
    const bool has_begun = i < begun_;
    --all_near_;
    all_running_ -= has_begun ? 1 : 0;
    keys_.of(i, of_operation_);
    for (const uint32_t key : of_operation_) {
      KeyState& state = states_[key];
      --state.near;
      if (!has_begun || --state.running > 0) continue;
      states_[active_.back()].place = state.place;
      active_[state.place] = active_.back();
      active_.pop_back();
    }
  }

  void count() {
    ++counts_.samples;
    if (all_running_ == 0) return;
    ++counts_.busy;
    counts_.overlapping += all_running_ > 1 ? 1 : 0;
    counts_.mixed += all_near_ > 1 ? 1 : 0;
  }

  void add(uint32_t metric, double value) {
    if (metric == counted_) count();
    for (const uint32_t key : active_) {
      KeyState& state = states_[key];
      if (state.parts == nowhere) {
        state.parts = static_cast<uint32_t>(sums_.size());
        sums_.resize(sums_.size() + metrics_.size());
      }
      PartSum& sum = sums_[state.parts + metric];
      sum.value += value;
      ++sum.samples;
      sum.shared += state.running < all_running_ ? 1 : 0;
      sum.mixed += state.near < all_near_ ? 1 : 0;
      sum.below += value < below_[metric] ? 1 : 0;
    }
  }

  MetricPart part(size_t at, size_t metric) const {
    const PartSum& sum = sums_[at];
    MetricPart part{sum.samples, sum.shared, sum.mixed, sum.below, {}};
    if (sum.samples < 2) return part;
    if (metrics_[metric]->ends.empty()) {
      part.mean = metrics_[metric]->in_unit(sum.value / static_cast<double>(sum.samples));
    } else if (sum.covered_ns > 0) {
      part.mean = metrics_[metric]->in_unit(sum.value_ns / static_cast<double>(sum.covered_ns));
    }
    return part;
  }

  const GrowingArray<trace::Operation>& operations_;
  const MetricKeys& keys_;
  int32_t device_;
  std::vector<const trace::GpuMetric*> metrics_;
  std::vector<double> below_;  // by metric
  int64_t period_ = 1;
  uint32_t counted_ = 0;  // the metric with most samples
  SampleCounts counts_;
  std::vector<bool> on_device_;  // by track
  std::vector<KeyState> states_;
  std::vector<PartSum> sums_;
  std::vector<size_t> next_;      // by metric: its next sample
  std::vector<Timed> queue_;      // the next sample of each metric
  std::vector<Timed> ends_;       // of operations that came near
  std::vector<uint32_t> active_;  // keys of those that run
  size_t near_ = 0;               // operations before it came near, or ended
  size_t begun_ = 0;              // operations before it began
  uint32_t all_near_ = 0;
  uint32_t all_running_ = 0;
  std::vector<uint32_t> of_operation_;
};

/// Weighted by the time of each stretch between the first and the last operation.
double mean_of_stretches(const trace::GpuMetric& metric, const trace::Trace& trace) {
  double sum = 0;
  double time = 0;
  for (size_t i = 0; i < metric.samples.size(); ++i) {
    const int64_t begin = std::max(metric.samples[i].time_ns, trace.first_start_ns);
    const int64_t end = std::min(metric.ends[i], trace.last_end_ns);
    if (end <= begin) continue;
    const auto length = static_cast<double>(end - begin);
    sum += metric.samples[i].value * length;
    time += length;
  }
  return time > 0 ? sum / time : metric.samples[0].value;
}

MetricSummary summary_of(const trace::GpuMetric& metric, const trace::Trace& trace) {
  MetricSummary out{metric.gpu, metric.device, metric.name, metric.unit, 0, metric.period_ns, 0, 0,
                    0};
  out.samples = static_cast<int64_t>(metric.samples.size());
  if (metric.samples.empty()) return out;
  double sum = 0;
  double min = metric.samples[0].value;
  double max = min;
  for (const trace::MetricSample& sample : metric.samples) {
    sum += sample.value;
    min = std::min(min, sample.value);
    max = std::max(max, sample.value);
  }
  const bool stretches = !metric.ends.empty() && metric.period_ns == 0;
  out.mean = metric.in_unit(stretches ? mean_of_stretches(metric, trace)
                                      : sum / static_cast<double>(out.samples));
  out.min = metric.in_unit(min);
  out.max = metric.in_unit(max);
  return out;
}

/// By device, then by descending own time, then as `text` says.
template <class Text>
void sort_by_time(std::vector<MetricTimes>& times, const Text& text) {
  std::sort(times.begin(), times.end(), [&](const MetricTimes& a, const MetricTimes& b) {
    if (a.device != b.device) return a.device < b.device;
    if (a.own_ns != b.own_ns) return a.own_ns > b.own_ns;
    return text(a.key) < text(b.key);
  });
}

std::vector<std::string> texts_of(const scopes::Scope& scope) {
  std::vector<std::string> texts;
  texts.reserve(scope.size());
  for (uint32_t key = 0; key < scope.size(); ++key) texts.emplace_back(scope.text(key));
  return texts;
}

}  // namespace

std::vector<size_t> GpuMetricSums::metrics_of(int32_t device) const {
  std::vector<size_t> out;
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].device == device) out.push_back(i);
  }
  return out;
}

GpuMetricSums sum_gpu_metrics(const sema::Program& program, const trace::Trace& trace,
                              const classify::Labelled& labelled,
                              const classify::Attribution& attribution) {
  const std::vector<trace::GpuMetric>& metrics = trace.gpu_metrics->metrics;
  MetricKeys keys;
  GpuMetricSums sums;
  std::vector<std::vector<MetricTimes>*> times;  // by scope
  const auto add_scope = [&](scopes::Scope scope, std::vector<MetricTimes>& to) {
    keys.add(std::move(scope));
    times.push_back(&to);
  };
  sums.dimensions.resize(labelled.dimensions.size());
  for (size_t i = 0; i < sums.dimensions.size(); ++i) {
    DimensionMetrics& one = sums.dimensions[i];
    one.dimension = program.dimensions.get(labelled.dimensions[i].dimension).name;
    add_scope(scopes::by_label(trace, labelled, i), one.times);
    one.labels = texts_of(keys.scopes().back());
  }
  add_scope(scopes::by_phase(trace, attribution), sums.phase_times);
  sums.phases = texts_of(keys.scopes().back());
  add_scope(scopes::by_step(trace, attribution), sums.step_times);
  add_scope(scopes::by_name(trace), sums.name_times);
  sums.names.reserve(trace.names.size());
  for (const trace::OperationName& name : trace.names) {
    sums.names.push_back({std::string(name.text), name.kind});
  }
  std::set<int32_t> devices;
  sums.metrics.reserve(metrics.size());
  for (const trace::GpuMetric& metric : metrics) {
    sums.metrics.push_back(summary_of(metric, trace));
    if (metric.device) devices.insert(*metric.device);
  }
  for (const int32_t device : devices) {
    std::vector<const trace::GpuMetric*> own;
    own.reserve(metrics.size());
    for (const size_t i : sums.metrics_of(device)) own.push_back(&metrics[i]);
    DeviceMetrics sweep(trace, keys, device, std::move(own));
    sweep.sweep();
    sweep.add_counts(sums.counts);
    for (size_t i = 0; i < times.size(); ++i) sweep.times_of(i, *times[i]);
  }
  for (DimensionMetrics& one : sums.dimensions) {
    sort_by_time(one.times, [&](size_t key) -> const std::string& { return one.labels[key]; });
  }
  sort_by_time(sums.name_times,
               [&](size_t key) { return std::tie(sums.names[key].name, sums.names[key].kind); });
  return sums;
}

std::optional<Warning> mixed_samples(const GpuMetricSums& sums) {
  const SampleCounts& counts = sums.counts;
  if (counts.mixed == 0) return std::nullopt;
  const auto percent = [&](int64_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(counts.busy);
  };
  return Warning{
      "mixed-gpu-metrics",
      fmt::format(
          "Of {} GPU metric samples at which an operation ran, {} ({:.1f} %) were taken "
          "while several ran, and {} ({:.1f} %) are means over several within the period of "
          "{} µs: `shared_samples` and `mixed_samples` count them by label.",
          counts.busy, counts.overlapping, percent(counts.overlapping), counts.mixed,
          percent(counts.mixed), static_cast<double>(counts.period_ns) / 1000),
      counts.mixed > counts.busy / 2 ? "warning" : "info"};
}

facts::Computed<GpuMetricSums> GpuMetricSums::compute(const facts::Input& run) {
  const trace::Trace& trace = run.trace.trace;
  if (!trace.gpu_metrics) {
    return facts::Computed<GpuMetricSums>::absent(
        "no run has GPU metrics; `nsys profile --gpu-metrics-devices=cuda-visible` samples them");
  }
  return sum_gpu_metrics(run.rules.program(), trace, run.trace.labelled,
                         run.trace.attribution(run.rules));
}

std::optional<Warning> GpuMetricSums::note(const facts::Input&) const {
  return mixed_samples(*this);
}

}  // namespace kr::analyze

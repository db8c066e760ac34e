// Metrics by label, phase, step and name are compared with a slow and simple computation: every
// sample with every operation.
#include "analyze/gpu_metrics.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/steps.hpp"
#include "scopes/scope.hpp"
#include "support/host_traces.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::analyze::GpuMetricSums;
using kr::analyze::MetricTimes;
using kr::trace::GpuMetric;

const kr::match::CompiledRules& metric_rules() {
  static const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases { decode: /^decode_(?<step>\d+)/ prefill: "prefill" nccl: /^nccl/ }
  substage { gemm: "gemm" flash: "flash" misc: otherwise }
  kind { memory: "copy" }
})");
  return rules;
}

/// A value ends at the next sample or at a stop, whichever comes first.
void check_ends(const GpuMetric& metric, const std::vector<int64_t>& stops) {
  REQUIRE(metric.ends.size() == metric.samples.size());
  for (size_t i = 0; i < metric.samples.size(); ++i) {
    std::set<int64_t> ends(stops.begin(), stops.end());
    for (const kr::trace::MetricSample& sample : metric.samples) ends.insert(sample.time_ns);
    const int64_t begin = metric.samples[i].time_ns;
    const auto end = ends.upper_bound(begin);
    CHECK(metric.ends[i] == (end == ends.end() ? begin : *end));
  }
}

kr::trace::GpuMetrics random_metrics(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::GpuMetrics metrics;
  const std::vector<std::string> names{"Clock [MHz]", "DRAM [Throughput %]", "Warps [Avg]"};
  for (int32_t gpu = 0; gpu < 2; ++gpu) {
    const int64_t period = 1 + below(9);
    for (const std::string& name : names) {
      if (below(5) == 0) continue;
      GpuMetric& metric = metrics.metrics.emplace_back();
      metric.gpu = gpu;
      if (below(6) != 0) metric.device = gpu;
      metric.name = name;
      const bool shuffled = below(3) == 0;
      for (int64_t time = below(8), left = below(60); left > 0; --left) {
        metric.samples.push_back(
            {shuffled ? below(300) : time, static_cast<double>(below(3) == 0 ? 99 : below(100))});
        time += below(8) == 0 ? below(40) : period;
      }
      kr::trace::finish_metric(metric);
      if (below(2) == 0) continue;
      std::vector<int64_t> stops;
      for (int64_t left = below(4); left > 0; --left) stops.push_back(below(300));
      kr::trace::set_ends(metric, stops);
      check_ends(metric, stops);
    }
    std::stable_sort(metrics.metrics.begin(), metrics.metrics.end(),
                     [](const GpuMetric& a, const GpuMetric& b) { return a.gpu < b.gpu; });
  }
  // All metrics of a GPU have one device, or none.
  for (GpuMetric& metric : metrics.metrics) {
    for (const GpuMetric& other : metrics.metrics) {
      if (other.gpu == metric.gpu && !other.device) metric.device.reset();
    }
  }
  return metrics;
}

/// Whether an operation is of a label, phase, step or name.
using Has = std::function<bool(size_t operation)>;

class Slow {
 public:
  Slow(const kr::trace::Trace& trace, int32_t device) : trace_(trace), device_(device) {
    size_t most = 0;
    for (const GpuMetric& metric : trace.gpu_metrics->metrics) {
      if (metric.device != device || metric.samples.size() <= most) continue;
      most = metric.samples.size();
      period_ = std::max<int64_t>(1, metric.period_ns);
    }
  }

  /// A line of its own time, and one per metric; empty: no such operation.
  std::string lines(const std::string& key, const Has& has) const {
    std::vector<size_t> own, others;
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      if (trace_.track(trace_.operations[i].track).device != device_) continue;
      (has(i) ? own : others).push_back(i);
    }
    if (own.empty()) return {};
    std::set<int64_t> covered;
    for (const size_t i : own) {
      for (int64_t ns = start(i); ns < end(i); ++ns) covered.insert(ns);
    }
    std::string out = fmt::format("{} {}: {}\n", device_, key, covered.size());
    for (const GpuMetric& metric : trace_.gpu_metrics->metrics) {
      if (metric.device == device_) out += line(metric, own, others);
    }
    return out;
  }

 private:
  int64_t start(size_t i) const { return trace_.operations[i].start_ns; }
  int64_t end(size_t i) const { return trace_.operations[i].end_ns(); }
  bool any(const std::vector<size_t>& of, int64_t from, int64_t to) const {
    return std::any_of(of.begin(), of.end(), [&](size_t i) {
      return start(i) < to && end(i) > from && start(i) < end(i);
    });
  }

  std::string line(const GpuMetric& metric, const std::vector<size_t>& own,
                   const std::vector<size_t>& others) const {
    int64_t samples = 0, shared = 0, mixed = 0, low = 0;
    double sum = 0, highest = 0;
    for (const auto& sample : metric.samples) highest = std::max(highest, sample.value);
    for (const auto& [time, value] : metric.samples) {
      if (!any(own, time, time + 1)) continue;
      ++samples;
      shared += any(others, time, time + 1) ? 1 : 0;
      mixed += any(others, time, time + period_) ? 1 : 0;
      low += value < highest * 0.995 ? 1 : 0;
      sum += value;
    }
    auto weight = static_cast<double>(samples);
    if (!metric.ends.empty()) std::tie(sum, weight) = over_time(metric, own, others);
    const bool clock = metric.unit == kr::trace::MetricUnit::hz;
    return fmt::format(
        "  {} {} {} {} {} {}\n", metric.name, samples, shared, mixed, clock ? low : 0,
        samples < 2 || weight <= 0 ? "-" : fmt::format("{}", metric.in_unit(sum / weight)));
  }

  /// The sum of the values of each ns in which only they ran, and how many have one.
  std::pair<double, double> over_time(const GpuMetric& metric, const std::vector<size_t>& own,
                                      const std::vector<size_t>& others) const {
    std::pair<double, double> sums;
    for (int64_t ns = 0; ns < 1000; ++ns) {
      if (!any(own, ns, ns + 1) || any(others, ns, ns + 1)) continue;
      for (size_t i = 0; i < metric.samples.size(); ++i) {
        if (metric.samples[i].time_ns > ns || metric.ends[i] <= ns) continue;
        sums.first += metric.samples[i].value;
        sums.second += 1;
      }
    }
    return sums;
  }

  const kr::trace::Trace& trace_;
  int32_t device_;
  int64_t period_ = 1;
};

std::string fast_lines(const GpuMetricSums& sums, const std::vector<MetricTimes>& all,
                       const std::function<std::string(size_t)>& name) {
  std::multiset<std::string> lines;
  for (const MetricTimes& times : all) {
    std::string one = fmt::format("{} {}: {}\n", times.device, name(times.key), times.own_ns);
    const std::vector<size_t> metrics = sums.metrics_of(times.device);
    for (size_t place = 0; place < metrics.size(); ++place) {
      const kr::analyze::MetricPart part = times.part(place);
      one += fmt::format("  {} {} {} {} {} {}\n", sums.metrics[metrics[place]].name, part.samples,
                         part.shared_samples, part.mixed_samples, part.below_samples,
                         part.mean ? fmt::format("{}", *part.mean) : "-");
    }
    lines.insert(one);
  }
  std::string out;
  for (const std::string& one : lines) out += one;
  return out;
}

std::string slow_lines(const kr::trace::Trace& trace, const GpuMetricSums& sums, size_t keys,
                       const std::function<std::string(size_t)>& name,
                       const std::function<bool(size_t, size_t)>& has) {
  std::set<int32_t> devices;
  for (const auto& metric : sums.metrics) {
    if (metric.device) devices.insert(*metric.device);
  }
  std::multiset<std::string> lines;
  for (const int32_t device : devices) {
    const Slow slow(trace, device);
    for (size_t key = 0; key < keys; ++key) {
      lines.insert(slow.lines(name(key), [&](size_t i) { return has(key, i); }));
    }
  }
  std::string out;
  for (const std::string& one : lines) out += one;
  return out;
}

}  // namespace

TEST_CASE("GPU metrics by label, phase, step and name, as of every sample and operation") {
  std::mt19937 random(77);
  const auto& program = metric_rules().program();
  // Operations without length come near a sample: found in round 21.
  for (uint64_t round = 0; round < kr::test::rounds(250, 21); ++round) {
    CAPTURE(round);
    kr::trace::Trace trace = kr::test::HostTraces(random, true).read(random);
    trace.gpu_metrics = std::make_unique<kr::trace::GpuMetrics>(random_metrics(random));
    const auto run = kr::test::label(metric_rules(), std::move(trace));
    const kr::classify::Attribution& attribution = run->attribution(metric_rules());
    const GpuMetricSums sums =
        kr::analyze::sum_gpu_metrics(program, run->trace, run->labelled, attribution);

    REQUIRE(sums.dimensions.size() == run->labelled.dimensions.size());
    for (size_t d = 0; d < sums.dimensions.size(); ++d) {
      const auto& dimension = sums.dimensions[d];
      const auto name = [&](size_t key) { return dimension.labels[key]; };
      const auto has = [&](size_t key, size_t i) {
        const uint32_t row = run->labelled.row(i, run->trace.operations[i]);
        return run->labelled.dimensions[d].by_row[row].label == dimension.labels[key];
      };
      CHECK(fast_lines(sums, dimension.times, name) ==
            slow_lines(run->trace, sums, dimension.labels.size(), name, has));
    }
    const auto in_step = [&](size_t i, const std::function<bool(uint32_t)>& is) {
      for (uint32_t step = attribution.step_of[i]; step != kr::classify::Attribution::none;
           step = attribution.steps[step].outer) {
        if (is(step)) return true;
      }
      return false;
    };
    const auto step_name = [](size_t key) { return fmt::format("{}", key); };
    CHECK(fast_lines(sums, sums.step_times, step_name) ==
          slow_lines(run->trace, sums, attribution.steps.size(), step_name,
                     [&](size_t key, size_t i) {
                       return in_step(i, [&](uint32_t step) { return step == key; });
                     }));
    const auto phase_name = [&](size_t key) { return sums.phases[key]; };
    CHECK(fast_lines(sums, sums.phase_times, phase_name) ==
          slow_lines(run->trace, sums, sums.phases.size(), phase_name, [&](size_t key, size_t i) {
            if (sums.phases[key] == kr::scopes::outside_steps_name) {
              return attribution.step_of[i] == kr::classify::Attribution::none;
            }
            return in_step(i, [&](uint32_t step) {
              return attribution.steps[step].phase.label == sums.phases[key];
            });
          }));
    const auto operation_name = [&](size_t key) {
      return fmt::format("{} {}", sums.names[key].name, kr::to_string(sums.names[key].kind));
    };
    CHECK(fast_lines(sums, sums.name_times, operation_name) ==
          slow_lines(
              run->trace, sums, sums.names.size(), operation_name,
              [&](size_t key, size_t i) { return run->trace.operations[i].name.index == key; }));
  }
}

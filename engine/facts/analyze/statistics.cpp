#include "analyze/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "analyze/moments.hpp"
#include "base/check.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {
namespace {

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::vector<KernelStatistics> kernels(const match::CompiledRules& rules, const LabelledTrace& run) {
  const trace::Trace& trace = run.trace;
  const classify::DimensionLabels* kinds = run.labelled.find(rules.program().kind());
  KR_CHECK(kinds != nullptr);
  const scopes::Scope devices = scopes::by_device(trace);
  int64_t total = 0;
  const auto rows = scopes::sum_by<Moments>(scopes::by_row(trace, run.labelled), devices,
                                            [&](Moments& moments, size_t i) {
                                              moments.add(trace.operations[i].duration_ns);
                                              total += trace.operations[i].duration_ns;
                                            });
  // By name, the label of kind, and device: a name may have several rows.
  std::map<std::tuple<uint32_t, std::string_view, int64_t>, Moments> moments;
  rows.each([&](uint32_t row, uint32_t device, const Moments& one) {
    moments[{run.labelled.names[row].index, kinds->by_row[row].label, devices.number(device)}].add(
        one);
  });
  std::vector<KernelStatistics> out;
  out.reserve(moments.size());
  for (const auto& [key, one] : moments) {
    const auto& [name, kind, device] = key;
    out.push_back({std::string(trace.names.get({name}).text), std::string(kind),
                   static_cast<int32_t>(device), one.count, one.sum, one.min, one.max, one.mean(),
                   one.deviation(), ratio(one.sum, total)});
  }
  std::sort(out.begin(), out.end(), [](const KernelStatistics& a, const KernelStatistics& b) {
    return std::tie(b.total_ns, a.name, a.device, a.kind) <
           std::tie(a.total_ns, b.name, b.device, b.kind);
  });
  return out;
}

/// Collects the greatest values. Memory: twice the wanted number.
class Greatest {
 public:
  explicit Greatest(size_t wanted) : wanted_(wanted) { values_.reserve(2 * wanted); }

  void add(int64_t value) {
    if (wanted_ == 0 || value < least_) return;
    values_.push_back(value);
    if (values_.size() == 2 * wanted_) keep_wanted();
  }
  /// In descending order.
  std::vector<int64_t> take() {
    std::sort(values_.begin(), values_.end(), std::greater<>());
    values_.resize(std::min(values_.size(), wanted_));
    return std::move(values_);
  }

 private:
  void keep_wanted() {
    const auto last = values_.begin() + static_cast<std::ptrdiff_t>(wanted_) - 1;
    std::nth_element(values_.begin(), last, values_.end(), std::greater<>());
    least_ = *last;
    values_.resize(wanted_);
  }

  size_t wanted_;
  int64_t least_ = 0;  // smaller values are not needed
  std::vector<int64_t> values_;
};

/// `each` calls its argument with every duration.
template <class Each>
ActivityStatistics activity_of(std::string type, const Each& each) {
  ActivityStatistics out;
  out.type = std::move(type);
  out.min_ns = std::numeric_limits<int64_t>::max();
  each([&](int64_t ns) {
    ++out.instances;
    out.total_ns += ns;
    out.min_ns = std::min(out.min_ns, ns);
    out.max_ns = std::max(out.max_ns, ns);
  });
  if (out.instances == 0) return out;
  Greatest greatest(static_cast<size_t>(out.instances) / 10);
  each([&](int64_t ns) { greatest.add(ns); });
  const std::vector<int64_t> longest = greatest.take();
  size_t place = 0;
  for (const int percent : {1, 5, 10}) {
    const size_t count = static_cast<size_t>(out.instances) * static_cast<size_t>(percent) / 100;
    const int64_t sum = std::accumulate(
        longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(count), int64_t{0});
    out.longest[place++] = {percent, static_cast<int64_t>(count), ratio(sum, out.total_ns),
                            ratio(sum, static_cast<int64_t>(count)), sum};
  }
  return out;
}

std::vector<ActivityStatistics> activity(const trace::Trace& trace) {
  const auto of_kind = [&](OperationKind kind) {
    return [&trace, kind](const auto& add) {
      for (const trace::Operation& operation : trace.operations) {
        if (trace.names.get(operation.name).kind == kind) add(operation.duration_ns);
      }
    };
  };
  const auto of_calls = [&](bool driver) {
    return [&trace, driver](const auto& add) {
      if (!trace.host) return;
      for (const trace::Launch& launch : trace.host->launches) {
        if (trace.host->calls[launch.call].driver == driver) add(launch.duration_ns);
      }
    };
  };
  std::vector<ActivityStatistics> out{activity_of("kernel", of_kind(OperationKind::kernel)),
                                      activity_of("runtime", of_calls(false)),
                                      activity_of("driver", of_calls(true)),
                                      activity_of("memcpy", of_kind(OperationKind::memcpy)),
                                      activity_of("memset", of_kind(OperationKind::memset))};
  std::erase_if(out, [](const ActivityStatistics& one) { return one.instances == 0; });
  return out;
}

std::optional<double> ratio_of(double a, double b) {
  return a > 0 && b > 0 ? std::optional(b / a) : std::nullopt;
}

ActivityRatio ratio_of_types(size_t run_a, const ActivityStatistics& a, size_t run_b,
                             const ActivityStatistics& b) {
  ActivityRatio out{run_a, a.type, run_b, b.type, {}, {}};
  out.all = ratio_of(ratio(a.total_ns, a.instances), ratio(b.total_ns, b.instances));
  for (size_t i = 0; i < out.longest.size(); ++i) {
    out.longest[i] = ratio_of(a.longest[i].mean_ns, b.longest[i].mean_ns);
  }
  return out;
}

}  // namespace

std::vector<ActivityRatio> compare_activity(
    const std::vector<const std::vector<ActivityStatistics>*>& runs) {
  std::vector<ActivityRatio> out;
  for (size_t b = 1; b < runs.size(); ++b) {
    for (const ActivityStatistics& one : *runs[0]) {
      for (const ActivityStatistics& other : *runs[b]) {
        if (one.type == other.type) out.push_back(ratio_of_types(0, one, b, other));
      }
    }
  }
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t b = 1; b < runs[run]->size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        out.push_back(ratio_of_types(run, (*runs[run])[a], run, (*runs[run])[b]));
      }
    }
  }
  return out;
}

RunStatistics analyze(const match::CompiledRules& rules, const LabelledTrace& run,
                      const RunSummary& summary) {
  RunStatistics out;
  // On a thread of its own, if there is one.
  auto placed = std::async([&] {
    const classify::Attribution& places = run.attribution(rules);
    return sum_steps(rules.program(), run.trace, run.labelled, places);
  });
  out.kernels = kernels(rules, run);
  out.activity = activity(run.trace);
  if (run.trace.host) out.launches = count_launches(run.trace);
  if (run.trace.host) out.host = host_use(*run.trace.host);
  if (out.launches) {
    const std::vector<DeviceIdle>& idle = out.launches->idle;
    KR_CHECK(idle.size() == summary.devices.size());
    for (size_t i = 0; i < idle.size(); ++i) {
      KR_CHECK(idle[i].device == summary.devices[i].device);
      KR_CHECK(idle[i].total_ns() == summary.devices[i].idle_ns);
    }
  }
  if (run.trace.host && run.trace.host->waits) out.waits = sum_waits(run.trace);
  out.steps = placed.get();
  const classify::Attribution& attribution = run.attribution(rules);
  out.attribution = classify::sum(run.trace, attribution);
  for (const classify::RepeatedBlock& layers : attribution.repeated_blocks) {
    const int64_t all = static_cast<int64_t>(layers.repeats);
    out.layers.push_back({layers, run.trace.track({layers.track}).device,
                          ratio(layers.total_ns, all), classify::evidence(layers)});
  }
  out.repeats = find_repeats(run.trace, attribution);
  out.sequences = find_sequences(run, attribution, out.steps, summary);
  if (run.trace.gpu_metrics) {
    out.gpu_metrics = sum_gpu_metrics(rules.program(), run.trace, run.labelled, attribution);
  }
  return out;
}

std::vector<NameOnlyIn> names_only_in(const std::vector<const RunSummary*>& runs) {
  std::vector<NameOnlyIn> out;
  if (runs.size() < 2) return out;
  std::unordered_map<std::string_view, size_t> had_by;  // by name: the number of runs
  for (const RunSummary* run : runs) {
    std::set<std::string_view> own;
    for (const NameSum& name : run->names) {
      if (own.insert(name.name).second) ++had_by[name.name];
    }
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    std::map<std::string_view, NameOnlyIn> own;
    for (const NameSum& name : runs[i]->names) {
      if (had_by[name.name] == runs.size()) continue;
      NameOnlyIn& one = own.try_emplace(name.name, NameOnlyIn{i, name.name, 0, 0}).first->second;
      one.instances += name.instances;
      one.total_ns += name.total_ns;
    }
    const size_t first = out.size();
    for (auto& [name, one] : own) out.push_back(std::move(one));
    std::stable_sort(
        out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
        [](const NameOnlyIn& a, const NameOnlyIn& b) { return a.total_ns > b.total_ns; });
  }
  return out;
}

}  // namespace kr::analyze

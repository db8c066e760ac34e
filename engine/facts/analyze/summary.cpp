#include "analyze/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "analyze/moments.hpp"
#include "analyze/steps.hpp"
#include "analyze/sweep.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "classify/why.hpp"
#include "scopes/sum_by.hpp"

namespace kr::analyze {
namespace {

struct RowCounts {
  int64_t elapsed_ns = 0;
  int64_t busy_ns = 0;
  Moments durations;
};

struct RowKernels {
  int64_t kernels_ns = 0;
  int64_t compute_ns = 0;
};

struct DeviceCounts {
  DeviceSweep sweep;
  UnionSweep kernels;
  UnionSweep compute;

  void add_kernel(Kind kind, int64_t start, int64_t end, RowKernels& of) {
    of.kernels_ns += kernels.add(start, end);
    if (kind == Kind::compute) of.compute_ns += compute.add(start, end);
  }
};

/// The results of one pass over the operations, in order of start.
struct Counts {
  Counts(const trace::Trace& trace, const classify::Labelled& labelled)
      : device_scope(scopes::by_device(trace)),
        rows(labelled.rows()),
        devices(device_scope.size()),
        kernels(rows.size(), devices.size()) {}

  scopes::Scope device_scope;
  std::vector<RowCounts> rows;           // of the labels
  std::vector<DeviceCounts> devices;     // by key
  scopes::PairSums<RowKernels> kernels;  // by row and device
  UnionSweep all;
  int64_t total_ns = 0;
};

Counts count(const trace::Trace& trace, const classify::Labelled& labelled,
             const std::vector<Kind>& kind_of_row) {
  Counts counts(trace, labelled);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const int64_t end = operation.end_ns();
    const uint32_t place = labelled.row(i, operation);
    RowCounts& row = counts.rows[place];
    row.elapsed_ns += counts.all.add(operation.start_ns, end);
    row.durations.add(operation.duration_ns);
    if (__builtin_add_overflow(counts.total_ns, operation.duration_ns, &counts.total_ns)) {
      throw Error(trace.source, "the sum of the durations exceeds 292 years",
                  "check the unit of its times");
    }
    const uint32_t key = counts.device_scope.keys(i)[0];
    DeviceCounts& device = counts.devices[key];
    const Kind kind = kind_of_row[place];
    row.busy_ns += device.sweep.add(kind, operation.start_ns, end);
    if (kind != Kind::memory) {
      device.add_kernel(kind, operation.start_ns, end, counts.kernels.of(place, key));
    }
  }
  for (DeviceCounts& device : counts.devices) device.sweep.finish();
  return counts;
}

std::vector<DeviceSum> device_sums(const trace::Trace& trace, const Counts& counts) {
  const scopes::Scope& scope = counts.device_scope;
  std::vector<std::string> names(scope.size());
  for (size_t i = 0; i < trace.tracks.size(); ++i) {
    std::string& name = names[scope.keys_of(i)[0]];
    if (name.empty()) name = trace.tracks[i].device_name;
  }
  std::vector<DeviceSum> sums;
  for (uint32_t key = 0; key < scope.size(); ++key) {
    const DeviceCounts& of = counts.devices[key];
    DeviceSum sum{of.sweep.breakdown(), static_cast<int32_t>(scope.number(key)),
                  of.sweep.first_start_ns(), std::move(names[key])};
    if (sum.operations == 0) continue;
    KR_CHECK(of.kernels.covered_ns() == sum.compute_ns + sum.exposed_communication_ns);
    KR_CHECK(of.compute.covered_ns() == sum.compute_ns);
    KR_CHECK(sum.span_ns ==
             sum.compute_ns + sum.exposed_communication_ns + sum.exposed_memory_ns + sum.idle_ns);
    KR_CHECK(sum.span_ns == sum.busy_ns + sum.idle_ns);
    sums.push_back(std::move(sum));
  }
  return sums;
}

std::vector<LabelSum> label_sums(const classify::DimensionLabels& labels,
                                 const std::vector<RowCounts>& rows) {
  std::unordered_map<std::string_view, LabelSum> by_label;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].durations.count == 0) continue;
    LabelSum& sum = by_label[labels.by_row[i].label];
    sum.elapsed_ns += rows[i].elapsed_ns;
    sum.busy_ns += rows[i].busy_ns;
    sum.total_ns += rows[i].durations.sum;
    sum.instances += rows[i].durations.count;
  }
  std::vector<LabelSum> sums;
  for (auto& [label, sum] : by_label) {
    sum.label = label;
    sums.push_back(std::move(sum));
  }
  std::sort(sums.begin(), sums.end(), [](const LabelSum& a, const LabelSum& b) {
    return std::tie(b.busy_ns, b.total_ns, a.label) < std::tie(a.busy_ns, a.total_ns, b.label);
  });
  return sums;
}

/// Those of one dimension, added to `times`.
void add_kernel_times(const classify::DimensionLabels& labels, size_t dimension,
                      const Counts& counts, std::vector<KernelTime>& times) {
  std::map<std::pair<std::string_view, int32_t>, RowKernels> sums;
  counts.kernels.each([&](uint32_t row, uint32_t key, const RowKernels& part) {
    if (part.kernels_ns == 0 && part.compute_ns == 0) return;
    const auto device = static_cast<int32_t>(counts.device_scope.number(key));
    RowKernels& sum = sums[{labels.by_row[row].label, device}];
    sum.kernels_ns += part.kernels_ns;
    sum.compute_ns += part.compute_ns;
  });
  for (const auto& [key, sum] : sums) {
    times.push_back(
        {dimension, std::string(key.first), key.second, sum.kernels_ns, sum.compute_ns});
  }
}

/// The sums of each dimension equal those of the run.
void check_sums(const RunSummary& run) {
  for (const DimensionSum& dimension : run.dimensions) {
    LabelSum all;
    for (const LabelSum& sum : dimension.labels) {
      all.elapsed_ns += sum.elapsed_ns;
      all.busy_ns += sum.busy_ns;
      all.total_ns += sum.total_ns;
      all.instances += sum.instances;
    }
    KR_CHECK(all.elapsed_ns == run.gpu_elapsed_ns);
    KR_CHECK(all.busy_ns == run.gpu_busy_ns);
    KR_CHECK(all.total_ns == run.gpu_total_ns);
    KR_CHECK(all.instances == run.operations);
  }
}

bool same_labels(const NameSum& a, const NameSum& b) {
  return std::equal(a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(),
                    [](const auto& left, const auto& right) { return left.label == right.label; });
}

/// Several rules may give one label: the one for most of the time is shown.
void merge(NameSum& into, Moments& durations, NameSum&& row, const Moments& added) {
  if (std::tie(into.elapsed_ns, durations.sum) < std::tie(row.elapsed_ns, added.sum)) {
    into.labels = std::move(row.labels);
  }
  into.elapsed_ns += row.elapsed_ns;
  into.busy_ns += row.busy_ns;
  durations.add(added);
}

std::vector<NameSum> name_sums(const match::CompiledRules& rules, const trace::Trace& trace,
                               const classify::Labelled& labelled,
                               const std::vector<RowCounts>& counts,
                               std::vector<OrderedName>& ordered) {
  struct Rule {
    std::string place;
    bool common_words = false;
  };
  std::unordered_map<sema::RuleId, Rule> known_rules;
  const auto described = [&](const std::optional<sema::RuleId>& rule) {
    if (!rule) return Rule{};
    const auto [at, added] = known_rules.try_emplace(*rule);
    if (added) {
      at->second = {classify::rule_place(rules, *rule),
                    classify::has_only_common_words(rules, *rule)};
    }
    return at->second;
  };
  std::vector<NameSum> sums;
  std::vector<Moments> durations;  // by sum
  sums.reserve(counts.size());
  durations.reserve(counts.size());
  std::vector<std::vector<size_t>> of_name(labelled.row_of.empty() ? 0 : trace.names.size());
  std::vector<size_t> sum_of_row(counts.size());
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i].durations.count == 0) continue;
    const trace::NameId name = labelled.names[i];
    NameSum sum;
    sum.name = trace.names.get(name).text;
    sum.kind = trace.names.get(name).kind;
    sum.elapsed_ns = counts[i].elapsed_ns;
    sum.busy_ns = counts[i].busy_ns;
    for (size_t d = 0; d < labelled.name_dimensions(); ++d) {
      const classify::LabelResult& result = labelled.dimensions[d].by_row[i];
      Rule rule = described(result.rule);
      sum.labels.push_back(
          {std::string(result.label), std::move(rule.place), result.explained, rule.common_words});
    }
    if (!of_name.empty()) {
      std::vector<size_t>& known = of_name[name.index];
      const auto same = std::find_if(known.begin(), known.end(),
                                     [&](size_t at) { return same_labels(sums[at], sum); });
      if (same != known.end()) {
        merge(sums[*same], durations[*same], std::move(sum), counts[i].durations);
        sum_of_row[i] = *same;
        continue;
      }
      known.push_back(sums.size());
    }
    sum_of_row[i] = sums.size();
    sums.push_back(std::move(sum));
    durations.push_back(counts[i].durations);
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i].instances = durations[i].count;
    sums[i].total_ns = durations[i].sum;
    sums[i].min_ns = durations[i].min;
    sums[i].max_ns = durations[i].max;
    sums[i].mean_ns = durations[i].mean();
    sums[i].stddev_ns = durations[i].deviation();
  }
  const auto labels_before = [](const NameSum& a, const NameSum& b) {
    return std::lexicographical_compare(
        a.labels.begin(), a.labels.end(), b.labels.begin(), b.labels.end(),
        [](const auto& left, const auto& right) { return left.label < right.label; });
  };
  const auto before = [&](const NameSum& a, const NameSum& b) {
    const auto left = std::tie(b.busy_ns, b.total_ns, a.name, a.kind);
    const auto right = std::tie(a.busy_ns, a.total_ns, b.name, b.kind);
    return left != right ? left < right : labels_before(a, b);
  };
  std::vector<size_t> order(sums.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return before(sums[a], sums[b]); });
  std::vector<NameSum> sorted;
  std::vector<size_t> place(sums.size());
  sorted.reserve(sums.size());
  for (const size_t at : order) {
    place[at] = sorted.size();
    sorted.push_back(std::move(sums[at]));
  }

  std::map<std::tuple<size_t, size_t, std::string_view>, OrderedName> by_label;
  for (size_t d = labelled.name_dimensions(); d < labelled.dimensions.size(); ++d) {
    for (uint32_t i = 0; i < counts.size(); ++i) {
      if (counts[i].durations.count == 0) continue;
      const classify::LabelResult& result = labelled.dimensions[d].by_row[i];
      OrderedName& one = by_label[{d, place[sum_of_row[i]], result.label}];
      // Several rules may give one label: that of the most time is shown.
      if (one.label.empty() || counts[i].durations.sum > one.total_ns) {
        one.rule = described(result.rule).place;
        one.explained = result.explained;
      }
      one.label = result.label;
      one.elapsed_ns += counts[i].elapsed_ns;
      one.busy_ns += counts[i].busy_ns;
      one.total_ns += counts[i].durations.sum;
      one.instances += counts[i].durations.count;
    }
  }
  for (auto& [key, one] : by_label) {
    one.dimension = std::get<0>(key);
    one.name = std::get<1>(key);
    ordered.push_back(std::move(one));
  }
  return sorted;
}

void set_wall(RunSummary& run, std::optional<int64_t> user_elapsed_ns) {
  if (user_elapsed_ns.value_or(0) > 0) {
    run.wall_ns = *user_elapsed_ns;
    run.wall_from = WallFrom::user;
  } else {
    run.wall_ns = run.span_ns;
    run.wall_from = WallFrom::span;
  }
  run.non_gpu_ns = std::max<int64_t>(0, run.wall_ns - run.gpu_elapsed_ns);
  const auto s = [](int64_t ns) {
    return fmt::format("{}.{:09} s", ns / 1'000'000'000, ns % 1'000'000'000);
  };
  if (run.wall_from == WallFrom::span && run.operations > 0) {
    run.warnings.push_back(
        {"no-elapsed",
         fmt::format("{}: the span of the trace is used",
                     user_elapsed_ns ? "the given wall time is 0" : "no wall time given"),
         "info"});
  } else if (run.wall_from == WallFrom::user && run.wall_ns < run.gpu_elapsed_ns) {
    run.warnings.push_back(
        {"elapsed-too-short", fmt::format("the given wall time, {}, is less than the GPU time, {}",
                                          s(run.wall_ns), s(run.gpu_elapsed_ns))});
  }
}

}  // namespace

size_t RunSummary::name_dimensions() const noexcept {
  return static_cast<size_t>(std::ranges::count(dimensions, false, &DimensionSum::ordered));
}

std::optional<size_t> RunSummary::dimension(std::string_view name) const {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].dimension == name) return i;
  }
  return std::nullopt;
}

RunSummary summarize(const match::CompiledRules& rules, const trace::Trace& trace,
                     const classify::Labelled& labelled, std::optional<int64_t> user_elapsed_ns) {
  const sema::Program& program = rules.program();
  const Counts counts = count(trace, labelled, kinds_by_row(program, labelled));

  RunSummary run;
  run.source = trace.source;
  run.format = trace.format;
  const sema::Model& model = program.models.get(labelled.model);
  run.engine = program.engines.get(model.engine).name;
  run.model = model.name;
  run.gpu_elapsed_ns = counts.all.covered_ns();
  run.gpu_total_ns = counts.total_ns;
  run.operations = static_cast<int64_t>(trace.operations.size());
  run.distributed = trace.distributed;
  run.clock = trace.clock;
  run.dropped = trace.dropped;
  run.inexact = trace.inexact;
  run.warnings = trace.warnings;
  run.span_ns = trace.last_end_ns - trace.first_start_ns;
  set_wall(run, user_elapsed_ns);
  for (const classify::DimensionLabels& labels : labelled.dimensions) {
    DimensionSum sum;
    sum.dimension = program.dimensions.get(labels.dimension).name;
    sum.labels = label_sums(labels, counts.rows);
    sum.ordered = run.dimensions.size() >= labelled.name_dimensions();
    if (sum.ordered) {
      for (size_t i = 0; i < counts.rows.size(); ++i) {
        if (labels.by_row[i].explained) sum.explained_ns += counts.rows[i].durations.sum;
      }
    }
    run.dimensions.push_back(std::move(sum));
    add_kernel_times(labels, run.dimensions.size() - 1, counts, run.kernel_times);
  }
  run.devices = device_sums(trace, counts);
  for (const DeviceSum& device : run.devices) run.gpu_busy_ns += device.busy_ns;
  run.names = name_sums(rules, trace, labelled, counts.rows, run.ordered_names);
  for (const NameSum& name : run.names) {
    for (size_t i = 0; i < name.labels.size(); ++i) {
      if (name.labels[i].explained) {
        run.dimensions[i].explained_ns += name.total_ns;
        if (name.labels[i].common_words) run.dimensions[i].common_words_ns += name.total_ns;
      } else {
        ++run.dimensions[i].unexplained_names;
      }
    }
  }
  check_sums(run);
  return run;
}

}  // namespace kr::analyze

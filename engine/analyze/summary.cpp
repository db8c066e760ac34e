#include "analyze/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyze/sweep.hpp"
#include "base/check.hpp"
#include "base/error.hpp"

namespace kr {
namespace {

struct NameCounts {
  int64_t instances = 0;
  int64_t elapsed_ns = 0;
  int64_t total_ns = 0;
  int64_t min_ns = std::numeric_limits<int64_t>::max();
  int64_t max_ns = 0;
};

/// Everything that one pass over the operations, in order of start, can tell.
struct Counts {
  std::vector<NameCounts> names;  // by NameId
  std::map<int32_t, DeviceSweep> devices;
  UnionSweep all;
  int64_t total_ns = 0;
};

Counts count(const Trace& trace, const DimensionLabels& kinds) {
  Counts counts;
  counts.names.resize(trace.names.size());
  std::vector<Kind> kind_of_name;
  for (const Given& given : kinds.by_name) kind_of_name.push_back(kind_from(given.label));
  std::vector<DeviceSweep*> sweep_of_track;
  for (const Track& track : trace.tracks) {
    sweep_of_track.push_back(&counts.devices[track.device]);
  }
  for (const Operation& operation : trace.operations) {
    const int64_t end = operation.end_ns();
    NameCounts& name = counts.names[operation.name.index];
    ++name.instances;
    name.elapsed_ns += counts.all.add(operation.start_ns, end);
    name.min_ns = std::min(name.min_ns, operation.duration_ns);
    name.max_ns = std::max(name.max_ns, operation.duration_ns);
    if (__builtin_add_overflow(counts.total_ns, operation.duration_ns, &counts.total_ns)) {
      throw Error(trace.source, "the durations add up to more than 292 years",
                  "check the unit of its times");
    }
    name.total_ns += operation.duration_ns;
    sweep_of_track[operation.track.index]->add(kind_of_name[operation.name.index],
                                               operation.start_ns, end);
  }
  for (auto& [device, sweep] : counts.devices) sweep.finish();
  return counts;
}

std::vector<DeviceSum> device_sums(const Trace& trace, const Counts& counts) {
  std::map<int32_t, std::string> names;
  for (const Track& track : trace.tracks) {
    std::string& name = names[track.device];
    if (name.empty()) name = track.device_name;
  }
  std::vector<DeviceSum> sums;
  for (const auto& [device, sweep] : counts.devices) {
    DeviceSum sum{sweep.breakdown(), device, names[device]};
    if (sum.operations == 0) continue;
    KR_CHECK(sum.span_ns ==
             sum.compute_ns + sum.exposed_communication_ns + sum.exposed_memory_ns + sum.idle_ns);
    KR_CHECK(sum.span_ns == sum.busy_ns + sum.idle_ns);
    sums.push_back(std::move(sum));
  }
  return sums;
}

std::vector<LabelSum> label_sums(const DimensionLabels& labels,
                                 const std::vector<NameCounts>& names) {
  std::unordered_map<std::string_view, LabelSum> by_label;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].instances == 0) continue;
    LabelSum& sum = by_label[labels.by_name[i].label];
    sum.elapsed_ns += names[i].elapsed_ns;
    sum.total_ns += names[i].total_ns;
    sum.instances += names[i].instances;
  }
  std::vector<LabelSum> sums;
  for (auto& [label, sum] : by_label) {
    sum.label = label;
    sums.push_back(std::move(sum));
  }
  std::sort(sums.begin(), sums.end(), [](const LabelSum& a, const LabelSum& b) {
    return std::tie(b.elapsed_ns, b.total_ns, a.label) <
           std::tie(a.elapsed_ns, a.total_ns, b.label);
  });
  return sums;
}

/// Each dimension's sums equal the run's: nothing is lost, nothing counted twice.
void check_sums(const RunSummary& run) {
  for (const DimensionSum& dimension : run.dimensions) {
    LabelSum all;
    for (const LabelSum& sum : dimension.labels) {
      all.elapsed_ns += sum.elapsed_ns;
      all.total_ns += sum.total_ns;
      all.instances += sum.instances;
    }
    KR_CHECK(all.elapsed_ns == run.gpu_elapsed_ns);
    KR_CHECK(all.total_ns == run.gpu_total_ns);
    KR_CHECK(all.instances == run.operations);
  }
}

/// `file:line` of each rule, found once a rule.
class RulePlaces {
 public:
  RulePlaces(const Program& program, const SourceMap& sources)
      : program_(program), sources_(sources) {}

  const std::string& of(const std::optional<RuleId>& rule) {
    if (!rule) return none_;
    std::string& place = places_[*rule];
    if (place.empty()) {
      const Span span = program_.rules.get(*rule).span;
      place = span.valid() ? sources_.place(span) : "built-in";
    }
    return place;
  }

 private:
  const Program& program_;
  const SourceMap& sources_;
  std::unordered_map<RuleId, std::string> places_;
  std::string none_;
};

std::vector<NameSum> name_sums(const Program& program, const SourceMap& sources, const Trace& trace,
                               const Labelled& labelled, const std::vector<NameCounts>& counts) {
  RulePlaces places(program, sources);
  std::vector<NameSum> sums;
  for (uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i].instances == 0) continue;
    NameSum sum;
    sum.name = trace.names.get({i}).text;
    sum.kind = trace.names.get({i}).kind;
    sum.instances = counts[i].instances;
    sum.elapsed_ns = counts[i].elapsed_ns;
    sum.total_ns = counts[i].total_ns;
    sum.min_ns = counts[i].min_ns;
    sum.max_ns = counts[i].max_ns;
    for (const DimensionLabels& labels : labelled.dimensions) {
      const Given& given = labels.by_name[i];
      sum.labels.push_back({std::string(given.label), places.of(given.rule), given.explained});
    }
    sums.push_back(std::move(sum));
  }
  std::sort(sums.begin(), sums.end(), [](const NameSum& a, const NameSum& b) {
    return std::tie(b.elapsed_ns, b.total_ns, a.name, a.kind) <
           std::tie(a.elapsed_ns, a.total_ns, b.name, b.kind);
  });
  return sums;
}

void set_elapsed(RunSummary& run, const Trace& trace, std::optional<int64_t> user_elapsed_ns) {
  if (user_elapsed_ns.value_or(0) > 0) {
    run.elapsed_ns = *user_elapsed_ns;
    run.elapsed_from = ElapsedFrom::user;
  } else {
    run.elapsed_ns = trace.last_end_ns - trace.first_start_ns;
    run.elapsed_from = ElapsedFrom::span;
  }
  run.non_gpu_ns = std::max<int64_t>(0, run.elapsed_ns - run.gpu_elapsed_ns);
  const auto s = [](int64_t ns) {
    return fmt::format("{}.{:09} s", ns / 1'000'000'000, ns % 1'000'000'000);
  };
  if (run.elapsed_from == ElapsedFrom::span && run.operations > 0) {
    run.warnings.push_back(
        fmt::format("{}: CPU(non-GPU) is taken from the trace's own span, {}",
                    user_elapsed_ns ? "the elapsed time given is 0" : "no elapsed time is given",
                    s(run.elapsed_ns)));
  } else if (run.elapsed_from == ElapsedFrom::user && run.elapsed_ns < run.gpu_elapsed_ns) {
    run.warnings.push_back(
        fmt::format("the elapsed time given, {}, is less than the GPU's, {}: CPU(non-GPU) is 0",
                    s(run.elapsed_ns), s(run.gpu_elapsed_ns)));
  }
}

}  // namespace

std::optional<size_t> RunSummary::dimension(std::string_view name) const {
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i].dimension == name) return i;
  }
  return std::nullopt;
}

RunSummary summarize(const Program& program, const SourceMap& sources, const Trace& trace,
                     const Labelled& labelled, std::optional<int64_t> user_elapsed_ns) {
  const DimensionLabels* kinds = labelled.find(program.kind());
  KR_CHECK(kinds != nullptr);
  const Counts counts = count(trace, *kinds);

  RunSummary run;
  run.source = trace.source;
  run.format = trace.format;
  const Model& model = program.models.get(labelled.model);
  run.engine = program.engines.get(model.engine).name;
  run.model = model.name;
  run.gpu_elapsed_ns = counts.all.covered_ns();
  run.gpu_total_ns = counts.total_ns;
  run.operations = static_cast<int64_t>(trace.operations.size());
  run.distributed = trace.distributed;
  run.losses = trace.losses;
  run.inexact = trace.inexact;
  run.warnings = trace.warnings;
  set_elapsed(run, trace, user_elapsed_ns);
  for (const DimensionLabels& labels : labelled.dimensions) {
    run.dimensions.push_back(
        {program.dimensions.get(labels.dimension).name, label_sums(labels, counts.names)});
  }
  run.devices = device_sums(trace, counts);
  run.names = name_sums(program, sources, trace, labelled, counts.names);
  check_sums(run);
  return run;
}

}  // namespace kr

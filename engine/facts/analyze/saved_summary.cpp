// The saved form of the sums of a run.
#include <algorithm>
#include <map>
#include <utility>

#include "analyze/saved_sums.hpp"
#include "analyze/summary.hpp"
#include "base/saturated.hpp"

namespace kr::analyze {
namespace {

using facts::Fields;

/// Of parts that must add up to a run.
struct PartSums {
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t elapsed_ns = 0;
  int64_t busy_ns = 0;

  template <class Part>
  void add(const Part& part) {
    instances = add_saturated(instances, part.instances);
    total_ns = add_saturated(total_ns, part.total_ns);
    elapsed_ns = add_saturated(elapsed_ns, part.elapsed_ns);
    busy_ns = add_saturated(busy_ns, part.busy_ns);
  }
  bool are_of(const RunSummary& run) const noexcept {
    return instances == run.operations && total_ns == run.gpu_total_ns &&
           elapsed_ns == run.gpu_elapsed_ns && busy_ns == run.gpu_busy_ns;
  }
};

void save_sums(Fields& io, RunSummary& run) {
  io.amount("gpu_elapsed_ns", run.gpu_elapsed_ns);
  io.amount("gpu_busy_ns", run.gpu_busy_ns);
  io.amount("gpu_total_ns", run.gpu_total_ns);
  io.amount("span_ns", run.span_ns);
  io.amount("wall_ns", run.wall_ns);
  bool by_user = run.wall_from == WallFrom::user;
  io.flag("wall_by_user", by_user);
  run.wall_from = by_user ? WallFrom::user : WallFrom::span;
  io.amount("non_gpu_ns", run.non_gpu_ns);
  io.amount("operations", run.operations);
  io.check(run.gpu_elapsed_ns <= run.gpu_busy_ns && run.gpu_busy_ns <= run.gpu_total_ns &&
           run.gpu_elapsed_ns <= run.span_ns &&
           run.non_gpu_ns == std::max<int64_t>(0, run.wall_ns - run.gpu_elapsed_ns));
}

void save_dimensions(Fields& io, RunSummary& run) {
  io.list("dimensions", run.dimensions, [&](Fields& row, DimensionSum& one) {
    row.text("dimension", one.dimension);
    row.amount("explained_ns", one.explained_ns);
    row.amount("common_words_ns", one.common_words_ns);
    row.amount("unexplained_names", one.unexplained_names);
    row.flag("ordered", one.ordered);
    row.check(one.explained_ns <= run.gpu_total_ns && one.common_words_ns <= one.explained_ns &&
              !run.dimension(one.dimension));
    row.list("labels", one.labels, [](Fields& label, LabelSum& sum) {
      label.text("label", sum.label);
      label.amount("elapsed_ns", sum.elapsed_ns);
      label.amount("total_ns", sum.total_ns);
      label.amount("instances", sum.instances);
      label.amount("busy_ns", sum.busy_ns);
    });
    PartSums sums;
    for (const LabelSum& label : one.labels) sums.add(label);
    row.check(sums.are_of(run));
  });
}

void save_names(Fields& io, RunSummary& run) {
  io.list("names", run.names, [&](Fields& row, NameSum& one) {
    row.text("name", one.name);
    row.choice("kind", one.kind, operation_kind_from);
    row.amount("instances", one.instances);
    row.amount("elapsed_ns", one.elapsed_ns);
    row.amount("busy_ns", one.busy_ns);
    row.amount("total_ns", one.total_ns);
    row.amount("min_ns", one.min_ns);
    row.amount("max_ns", one.max_ns);
    row.real("mean_ns", one.mean_ns);
    row.real("stddev_ns", one.stddev_ns);
    row.list("labels", one.labels, [](Fields& label, NameSum::LabelResult& result) {
      label.text("label", result.label);
      label.text("rule", result.rule);
      label.flag("explained", result.explained);
      label.flag("common_words", result.common_words);
    });
    row.check(one.labels.size() == run.name_dimensions());
  });
  PartSums sums;
  for (const NameSum& one : run.names) sums.add(one);
  io.check(sums.are_of(run));
}

void save_ordered_names(Fields& io, RunSummary& run) {
  io.list("ordered_names", run.ordered_names, [&](Fields& row, OrderedName& one) {
    row.place("dimension", one.dimension, run.dimensions.size());
    row.place("name", one.name, run.names.size());
    row.text("label", one.label);
    row.text("rule", one.rule);
    row.flag("explained", one.explained);
    row.amount("instances", one.instances);
    row.amount("elapsed_ns", one.elapsed_ns);
    row.amount("busy_ns", one.busy_ns);
    row.amount("total_ns", one.total_ns);
  });
  for (size_t d = 0; io.reads() && d < run.dimensions.size(); ++d) {
    if (!run.dimensions[d].ordered) continue;
    PartSums sums;
    for (const OrderedName& one : run.ordered_names) {
      if (one.dimension == d) sums.add(one);
    }
    io.check(sums.are_of(run));
  }
}

void save_devices(Fields& io, RunSummary& run) {
  io.list("devices", run.devices, [](Fields& row, DeviceSum& one) {
    row.number("device", one.device);
    row.text("name", one.name);
    save_breakdown(row, one);
    row.time("first_start_ns", one.first_start_ns);
  });
  int64_t operations = 0;
  for (const DeviceSum& one : run.devices) operations = add_saturated(operations, one.operations);
  io.check(operations == run.operations);
  io.list("kernel_times", run.kernel_times, [&](Fields& row, KernelTime& one) {
    row.place("dimension", one.dimension, run.dimensions.size());
    row.text("label", one.label);
    row.number("device", one.device);
    row.amount("kernels_ns", one.kernels_ns);
    row.amount("compute_ns", one.compute_ns);
  });
  if (!io.reads()) return;
  std::map<std::pair<size_t, int32_t>, std::pair<int64_t, int64_t>> sums;
  for (const KernelTime& one : run.kernel_times) {
    auto& [kernels_ns, compute_ns] = sums[{one.dimension, one.device}];
    kernels_ns = add_saturated(kernels_ns, one.kernels_ns);
    compute_ns = add_saturated(compute_ns, one.compute_ns);
  }
  for (const auto& [of, sum] : sums) {
    const DeviceSum& device = saved_device(io, run, of.second);
    io.check(sum.first == device.compute_ns + device.exposed_communication_ns &&
             sum.second == device.compute_ns);
  }
}

void save_notes(Fields& io, RunSummary& run) {
  io.list("dropped", run.dropped, [](Fields& row, trace::DroppedRecords& one) {
    row.text("what", one.what);
    row.number("count", one.count);
    row.number("first_offset", one.first_offset);
  });
  io.list("warnings", run.warnings, [](Fields& row, Warning& one) {
    row.text("code", one.code);
    row.text("text", one.text);
    row.text("severity", one.severity);
  });
  io.list("findings", run.findings, [](Fields& row, Finding& one) {
    row.text("code", one.code);
    row.choice("severity", one.severity, severity_from);
    row.amount("count", one.count);
    row.text("effect", one.effect);
    row.text("tables", one.tables);
  });
}

}  // namespace

const DeviceSum& saved_device(Fields& io, const RunSummary& run, int32_t device) {
  const auto at =
      std::ranges::find_if(run.devices, [&](const auto& one) { return one.device == device; });
  if (at == run.devices.end()) io.refuse("has a device that it does not have");
  return *at;
}

void save_breakdown(Fields& row, Breakdown& one) {
  row.amount("operations", one.operations);
  row.amount("span_ns", one.span_ns);
  row.amount("compute_ns", one.compute_ns);
  row.amount("communication_ns", one.communication_ns);
  row.amount("exposed_communication_ns", one.exposed_communication_ns);
  row.amount("memory_ns", one.memory_ns);
  row.amount("exposed_memory_ns", one.exposed_memory_ns);
  if (!row.reads()) return;
  // Each is at most the span, which is at most 2^61.
  row.check(one.compute_ns <= one.span_ns && one.communication_ns <= one.span_ns &&
            one.exposed_communication_ns <= one.communication_ns && one.memory_ns <= one.span_ns &&
            one.exposed_memory_ns <= one.memory_ns);
  one.busy_ns = one.compute_ns;
  for (const int64_t ns : {one.exposed_communication_ns, one.exposed_memory_ns}) {
    row.check(ns <= one.span_ns - one.busy_ns);
    one.busy_ns += ns;
  }
  one.idle_ns = one.span_ns - one.busy_ns;
}

void save_labels(Fields& row, LabelParts& labels, const RunSummary& run, int64_t total_ns) {
  struct Row {
    size_t dimension = 0;
    LabelPart part;
  };
  std::vector<Row> rows;
  if (row.writes()) {
    for (const auto& [dimension, parts] : labels) {
      for (const LabelPart& part : parts) rows.push_back({*run.dimension(dimension), part});
    }
  }
  row.list("labels", rows, [&](Fields& label, Row& one) {
    label.place("dimension", one.dimension, run.dimensions.size());
    label.text("label", one.part.label);
    label.amount("instances", one.part.instances);
    label.amount("total_ns", one.part.total_ns);
  });
  if (!row.reads()) return;
  labels.clear();
  for (const DimensionSum& one : run.dimensions)
    labels.emplace_back(one.dimension, std::vector<LabelPart>());
  std::vector<int64_t> left_ns(labels.size(), total_ns);
  for (Row& one : rows) {
    row.take_from(left_ns[one.dimension], one.part.total_ns);
    labels[one.dimension].second.push_back(std::move(one.part));
  }
}

void RunSummary::saved(Fields& io) {
  io.text("id", id);
  io.text("format", format);
  io.text("engine", engine);
  io.text("model", model);
  io.text("choice_why", choice_why);
  io.amount("rank", distributed.rank);
  io.amount("world_size", distributed.world_size);
  io.text("backend", distributed.backend);
  io.time("utc_ns", clock.utc_ns);
  io.text("inexact", inexact);
  save_sums(io, *this);
  save_dimensions(io, *this);
  save_names(io, *this);
  save_ordered_names(io, *this);
  save_devices(io, *this);
  save_notes(io, *this);
}

void RunIdentity::saved(Fields& io, const RunSummary&) {
  io.text("operations", operations);
  io.text("rules", rules);
}

}  // namespace kr::analyze

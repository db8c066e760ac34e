// Kernels, copies and sets summed by name, as `nsys stats` does.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "analyze/run.hpp"
#include "base/hash.hpp"
#include "tables/nsys_stats.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::OperationName;
using Wanted = bool (*)(const OperationName& name);

bool is_kernel(const OperationName& name) {
  return name.kind == OperationKind::kernel && !is_whole_graph(name);
}

bool is_copy(const OperationName& name) {
  return name.kind == OperationKind::memcpy || name.kind == OperationKind::memset;
}

bool is_graph(const OperationName& name) {
  return is_whole_graph(name);
}

bool is_any(const OperationName&) {
  return true;
}

/// Durations by name; those that are not wanted have none.
std::vector<analyze::Spread> spreads_of_names(const trace::Trace& trace, Wanted wanted) {
  std::vector<bool> is_wanted;
  is_wanted.reserve(trace.names.size());
  for (const OperationName& name : trace.names) is_wanted.push_back(wanted(name));
  return analyze::spreads(trace.names.size(), [&](const auto& add) {
    for (const trace::Operation& operation : trace.operations) {
      if (is_wanted[operation.name.index]) add(operation.name.index, operation.duration_ns);
    }
  });
}

std::vector<SpreadGroup> names_of(const trace::Trace& trace) {
  std::vector<SpreadGroup> groups;
  groups.reserve(trace.names.size());
  for (const OperationName& name : trace.names) {
    groups.push_back({name.text, groups.size(), name.kind});
  }
  return groups;
}

struct GpuSumRow : SumRow {
  std::string_view category = {};
  const trace::OperationDetail* detail = nullptr;  // with the grid and block
  int64_t unsized = 0;
};

template <Wanted wanted>
void add_names(const Source& source, Rows<GpuSumRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    const NameLabels labels(source, run);
    const std::vector<analyze::Spread> spreads = spreads_of_names(trace, wanted);
    const int64_t all_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(names_of(trace), spreads)) {
      const trace::NameId name{static_cast<uint32_t>(one.group)};
      rows.add({{{run, spreads[one.group]}, {labels, name, one.text}, all_ns},
                category_of(trace.names.get(name))});
    }
  }
}

/// Names with the grids and blocks that they were launched with, numbered.
class ShapedNames {
 public:
  struct Group {
    trace::NameId name;
    uint32_t detail = 0;  // one with that grid and block
  };

  explicit ShapedNames(const trace::Trace& trace) : trace_(trace), details_(*trace.details) {
    std::map<std::array<std::optional<int64_t>, 6>, uint32_t> shapes;
    for (uint32_t i = 0; i < details_.distinct.size(); ++i) {
      std::array<std::optional<int64_t>, 6> shape;
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        shape[axis] = details_.distinct[i].get(static_cast<trace::DetailField>(axis));
      }
      shape_of_.push_back(shapes.try_emplace(shape, i).first->second);
    }
  }
  /// The group of an operation, which is new if it is the first.
  size_t group(size_t operation) {
    const trace::NameId name = trace_.operations[operation].name;
    const uint32_t detail = shape_of_[details_.detail_of[operation]];
    const auto key = static_cast<int64_t>(uint64_t{name.index} << 32 | detail);
    const auto [at, added] = numbers_.try_emplace(key, groups_.size());
    if (added) groups_.push_back({name, detail});
    return at->second;
  }
  const std::vector<Group>& groups() const noexcept { return groups_; }

 private:
  const trace::Trace& trace_;
  const trace::OperationDetails& details_;
  std::vector<uint32_t> shape_of_;  // by detail: the first of the same grid and block
  std::unordered_map<int64_t, size_t, NumberHash> numbers_;
  std::vector<Group> groups_;
};

void add_shaped_kernels(const Source& source, Rows<GpuSumRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.details) continue;
    const NameLabels labels(source, run);
    ShapedNames names(trace);
    const auto is_wanted = [&](const trace::Operation& operation) {
      return is_kernel(trace.names.get(operation.name));
    };
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      if (is_wanted(trace.operations[i])) names.group(i);
    }
    const auto spreads = analyze::spreads(names.groups().size(), [&](const auto& add) {
      for (size_t i = 0; i < trace.operations.size(); ++i) {
        if (is_wanted(trace.operations[i])) add(names.group(i), trace.operations[i].duration_ns);
      }
    });
    std::vector<SpreadGroup> groups;
    groups.reserve(spreads.size());
    for (const ShapedNames::Group& one : names.groups()) {
      groups.push_back({trace.names.get(one.name).text, groups.size()});
    }
    const int64_t all_ns = total_of(spreads);
    for (const SpreadGroup& one : by_total(std::move(groups), spreads)) {
      const ShapedNames::Group& group = names.groups()[one.group];
      rows.add({{{run, spreads[one.group]}, {labels, group.name, one.text}, all_ns},
                {},
                &trace.details->distinct[group.detail]});
    }
  }
}

void add_copy_sizes(const Source& source, Rows<GpuSumRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.details) continue;
    const NameLabels labels(source, run);
    std::vector<int64_t> unknown(trace.names.size());
    const auto each = [&](const auto& add) {
      std::fill(unknown.begin(), unknown.end(), 0);
      for (size_t i = 0; i < trace.operations.size(); ++i) {
        const uint32_t name = trace.operations[i].name.index;
        if (!is_copy(trace.names.get(trace.operations[i].name))) continue;
        const auto bytes = trace.details->of(i).get(trace::DetailField::bytes);
        if (bytes && *bytes >= 0) {
          add(name, *bytes);
        } else {
          ++unknown[name];
        }
      }
    };
    const std::vector<analyze::Spread> spreads = analyze::spreads(trace.names.size(), each);
    for (const SpreadGroup& one : by_total(names_of(trace), spreads)) {
      const trace::NameId name{static_cast<uint32_t>(one.group)};
      rows.add({{{run, spreads[one.group]}, {labels, name, one.text}, 0},
                {},
                nullptr,
                unknown[one.group]});
    }
  }
}

std::vector<AliasColumn> size_alias() {
  constexpr AliasForm mb = AliasForm::megabytes;
  return {{"Total (MB)", {"total_bytes"}, mb},   {"Count", {"instances"}},
          {"Avg (MB)", {"mean_bytes"}, mb},      {"Med (MB)", {"median_bytes"}, mb},
          {"Min (MB)", {"min_bytes"}, mb},       {"Max (MB)", {"max_bytes"}, mb},
          {"StdDev (MB)", {"stddev_bytes"}, mb}, {"Operation", {"name"}}};
}

std::string without_graphs(const Source& source) {
  for (const Run& run : source.runs) {
    const trace::NameTable& names = run.get<analyze::LabelledTrace>().trace.names;
    if (std::any_of(names.begin(), names.end(), is_graph)) return {};
  }
  return "no trace contains CUDA graphs that were traced as a whole";
}

constexpr const char* kernel_doc = "The name of the kernel.";
constexpr const char* copy_doc = "The name of the copy or set.";

Columns<GpuSumRow> gpu_name_columns(std::string doc) {
  return {run_column, name_columns<GpuSumRow>("name", std::move(doc))};
}

}  // namespace

const Definition cuda_gpu_kern_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>(
        "cuda_gpu_kern_sum", "kernels by name",
        "One row per run and name of kernels, by descending total, as `nsys stats` sums them. CUDA "
        "graphs that were traced as a whole are in `cuda_graph_sum`.",
        {gpu_name_columns(kernel_doc), time_columns<GpuSumRow>("kernels")},
        time_alias("Instances", {{"Name", {"name"}}})),
    needs<analyze::LabelledTrace>, add_names<is_kernel>, without_kernels};

const Definition cuda_gpu_kern_gb_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>(
        "cuda_gpu_kern_gb_sum", "kernels by name, grid and block",
        "One row per run, name of kernels, grid and thread block, by descending total.",
        {gpu_name_columns(kernel_doc), shape_columns<GpuSumRow>(Role::key),
         time_columns<GpuSumRow>("kernels")},
        time_alias("Instances", {{"GridXYZ", {"grid_x", "grid_y", "grid_z"}, AliasForm::extent},
                                 {"BlockXYZ", {"block_x", "block_y", "block_z"}, AliasForm::extent},
                                 {"Name", {"name"}}})),
    needs<analyze::LabelledTrace>, add_shaped_kernels, without_kernel_shapes,
    facts::Reads::details};

const Definition cuda_gpu_mem_time_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>("cuda_gpu_mem_time_sum", "copies and sets by time",
                          "One row per run and kind of copy or set, by descending total.",
                          {gpu_name_columns(copy_doc), time_columns<GpuSumRow>("copies or sets")},
                          time_alias("Count", {{"Operation", {"name"}}})),
    needs<analyze::LabelledTrace>, add_names<is_copy>, without_copies};

const Definition cuda_gpu_mem_size_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>(
        "cuda_gpu_mem_size_sum", "copies and sets by size",
        "One row per run and kind of copy or set, by descending total size.",
        {gpu_name_columns(copy_doc),
         {"total_bytes", Unit::bytes, Role::measure, "The sum of the sizes.", sum_of},
         {"instances", Unit::count, Role::measure, "Copies or sets whose size is known.", count_of},
         moment_columns<GpuSumRow>(
             {"{}_bytes", " size", " of sizes; 0 for one", Unit::bytes, "smallest", "largest"}),
         {"unsized", Unit::count, Role::detail, "Copies or sets whose size is not known.",
          &GpuSumRow::unsized}},
        size_alias()),
    needs<analyze::LabelledTrace>, add_copy_sizes, without_copy_sizes, facts::Reads::details};

const Definition cuda_gpu_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>(
        "cuda_gpu_sum", "kernels, copies and sets by name",
        "One row per run and name of operations, by descending total.",
        {gpu_name_columns("The name of the kernel, copy or set."),
         {"category", Unit::text, Role::measure,
          "As nsys names it: `CUDA_KERNEL` or `MEMORY_OPER`; `CUDA_GRAPH` for a graph that was "
          "traced as a whole.",
          &GpuSumRow::category},
         time_columns<GpuSumRow>("operations")},
        time_alias("Instances", {{"Category", {"category"}}, {"Operation", {"name"}}})),
    needs<analyze::LabelledTrace>, add_names<is_any>, without_operations};

const Definition cuda_graph_sum_table = TableOf<GpuSumRow>{
    stats_info<GpuSumRow>(
        "cuda_graph_sum", "whole CUDA graphs",
        "One row per run and CUDA graph that was traced as a whole, by descending total; the "
        "kernels inside are hidden. nsys has no such report.",
        {gpu_name_columns("The graph, by its number in the trace."),
         time_columns<GpuSumRow>("launches")},
        {}),
    needs<analyze::LabelledTrace>, add_names<is_graph>, without_graphs};

}  // namespace kr::tables

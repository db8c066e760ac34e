// What ncu measured: by kernel, by label, why warps stall, and ncu's own advice.
#include <algorithm>

#include "ncu/joined.hpp"
#include "tables/ncu_rows.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using ncu::MeasuredKernel;
using ncu::RooflinePoint;

/// Time of each measured kernel in the run.
std::vector<int64_t> ncu_run_times(const ncu::Joined& joined) {
  std::vector<int64_t> times(joined.kernels.size());
  for (const ncu::RunKernel& one : joined.run) {
    for (const ncu::TimeShare& share : one.time.shares) times[share.kernel] += share.time_ns;
  }
  return times;
}

/// A point of a roofline of the precision.
RooflinePoint point_of(const MeasuredKernel& kernel, std::optional<ncu::Precision> precision) {
  return precision ? ncu::roofline_point(kernel.measures, *precision) : RooflinePoint{};
}

struct NcuKernelRow : Parts<Run, MeasuredKernel, ncu::Measures> {
  const std::vector<std::string>& dimensions;
  uint32_t number;
  int64_t run_ns;
  std::optional<ncu::Precision> precision;
  RooflinePoint point, fp32;
};

void add_ncu_labels_of(const NcuKernelRow& row, Cells& cells) {
  for (const std::string& dimension : row.dimensions) {
    cells.push_back(ncu_label(row, row.number, dimension));
  }
}

void add_ncu_kernels(const Source& source, Rows<NcuKernelRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run* const run : measured_by_ncu(source)) {
    const ncu::Joined& joined = run->get<ncu::Joined>();
    const std::vector<int64_t> times = ncu_run_times(joined);
    for (uint32_t i = 0; i < joined.kernels.size(); ++i) {
      const MeasuredKernel& kernel = joined.kernels[i];
      const auto precision = ncu::main_precision(kernel.measures);
      rows.add({{*run, kernel, kernel.measures},
                dimensions,
                i,
                times[i],
                precision,
                point_of(kernel, precision),
                point_of(kernel, ncu::Precision::fp32)});
    }
  }
}

struct NcuLabelRow : Parts<Run, NcuLabel, ncu::RoofTime, ncu::Measures> {
  std::string_view dimension;
};

void add_ncu_labels(const Source& source, Rows<NcuLabelRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run* const run : measured_by_ncu(source)) {
    for (const NcuLabel& one : ncu_labels(*run, dimensions)) {
      if (one.time.measured_ns == 0) continue;
      rows.add({{*run, one, one.time, one.time.mean.measures()}, dimensions[one.dimension]});
    }
  }
}

struct StallRow : Parts<Run, MeasuredKernel, ncu::Stall> {
  double all;
};

void add_ncu_stalls(const Source& source, Rows<StallRow>& rows) {
  for (const Run* const run : measured_by_ncu(source)) {
    for (const MeasuredKernel& kernel : run->get<ncu::Joined>().kernels) {
      std::vector<ncu::Stall> stalls = kernel.stalls;
      std::stable_sort(stalls.begin(), stalls.end(),
                       [](const ncu::Stall& a, const ncu::Stall& b) { return a.value > b.value; });
      double all = 0;
      for (const ncu::Stall& stall : stalls) all += stall.value;
      for (const ncu::Stall& stall : stalls) rows.add({{*run, kernel, stall}, all});
    }
  }
}

using NcuRule = trace::NcuProfile::Rule;

struct NcuRuleRow : Parts<Run, MeasuredKernel, NcuRule> {
  size_t number;
};

void add_ncu_rules(const Source& source, Rows<NcuRuleRow>& rows) {
  for (const Run* const run : measured_by_ncu(source)) {
    const ncu::Joined& joined = run->get<ncu::Joined>();
    const std::vector<NcuRule>& all = joined.pages->ncu->rules;
    for (size_t number = 0; number < joined.kernels.size(); ++number) {
      const MeasuredKernel& kernel = joined.kernels[number];
      std::vector<uint32_t> rules = kernel.rules;
      std::stable_sort(rules.begin(), rules.end(),
                       [&](uint32_t a, uint32_t b) { return all[a].speedup > all[b].speedup; });
      for (const uint32_t place : rules) rows.add({{*run, kernel, all[place]}, number});
    }
  }
}

}  // namespace

const Definition ncu_kernels_part = TableOf<NcuKernelRow>{
    {"ncu_kernels",
     "kernels as ncu measured them",
     "One row per run and distinct kernel, grid and block that ncu measured: means of its "
     "instances, weighted by time where they are rates or ratios.",
     {ncu_kernel_keys<NcuKernelRow>(),
      {head::shown_label,
       [](const NcuKernelRow& row) { return ncu_label(row, row.number, shown_dimension(row)); }},
      {head::labels, Value<NcuKernelRow>::several(add_ncu_labels_of)},
      {"instances", Unit::count, Role::measure, "How many were measured.",
       &MeasuredKernel::instances},
      {"duration_ns", Unit::ns, Role::measure, "The sum of their durations under ncu.",
       &MeasuredKernel::duration_ns, optional},
      {"run_ns", Unit::ns, Role::detail,
       "Time of the run that is taken as that of this kernel: see `ncu_match`.",
       &NcuKernelRow::run_ns},
      {"verdict", Unit::text, Role::measure,
       "As ncu gives it: `latency` if compute and memory throughput are below 60 %, else the "
       "greater, `compute` or `memory`.",
       ncu::verdict, optional},
      {"near_limit", Unit::boolean, Role::detail, "Whether one of them is over 80 %.",
       ncu::is_near_limit, optional},
      {"precision", Unit::text, Role::detail,
       "What most of its operations are: `fp16`, `fp32`, `fp64` or `tensor`.",
       &NcuKernelRow::precision, optional},
      {"flops_per_s", Unit::per_second, Role::detail, "Operations of that precision per second.",
       [](const NcuKernelRow& row) { return row.point.flops_per_s; }, optional},
      {"intensity", Unit::factor, Role::detail, "These operations per byte of DRAM.",
       [](const NcuKernelRow& row) { return row.point.intensity; }, optional},
      {"roof_flops_per_s", Unit::per_second, Role::detail,
       "The roof at that intensity: the lower of the peak and of what DRAM can feed.",
       [](const NcuKernelRow& row) { return row.point.roof; }, optional},
      {"roof_ratio", Unit::ratio, Role::detail,
       "`flops_per_s` as a part of it; nothing without a peak.",
       [](const NcuKernelRow& row) { return row.point.roof_ratio; }, optional},
      measure_columns<NcuKernelRow>(),
      {"fp32_intensity", Unit::factor, Role::detail,
       "Single-precision operations per byte of DRAM.",
       [](const NcuKernelRow& row) { return row.fp32.intensity; }, optional},
      {"fp32_ridge", Unit::factor, Role::detail,
       "The intensity where the peak of single precision and DRAM meet.",
       [](const NcuKernelRow& row) { return row.fp32.ridge; }, optional},
      {"fp32_roof_flops_per_s", Unit::per_second, Role::detail,
       "The roof of single precision at its intensity.",
       [](const NcuKernelRow& row) { return row.fp32.roof; }, optional},
      {"fp32_roof_ratio", Unit::ratio, Role::detail,
       "Single-precision operations per second as a part of it.",
       [](const NcuKernelRow& row) { return row.fp32.roof_ratio; }, optional},
      {"fp32_bound", Unit::text, Role::detail, "`memory` below the ridge, `compute` above it.",
       [](const NcuKernelRow& row) { return row.fp32.bound; }, optional},
      {"tensor_intensity", Unit::factor, Role::detail,
       "Operations of tensor cores per byte of DRAM.",
       [](const MeasuredKernel& kernel) {
         return point_of(kernel, ncu::Precision::tensor).intensity;
       },
       optional},
      {"occupancy_limiter", Unit::text, Role::detail,
       "What limits the theoretical occupancy: `registers`, `shared_memory`, `warps`, `blocks` or "
       "`barriers`.",
       &MeasuredKernel::limiter, optional},
      {"cc", Unit::text, Role::detail, "The compute capability.", &MeasuredKernel::cc, optional}}},
    needs<analyze::RunSummary>,
    add_ncu_kernels,
    not_measured_by_ncu};

const Definition ncu_labels_part = TableOf<NcuLabelRow>{
    {"ncu_labels",
     "labels as ncu measured them",
     "One row per run, dimension and label with kernels that ncu measured: means of these kernels, "
     "weighted by their time in the run.",
     {run_column,
      {head::dimension, &NcuLabelRow::dimension},
      {head::label, &NcuLabel::label},
      {head::total_of_kernels_ns, &ncu::RoofTime::total_ns},
      {"measured_ns", Unit::ns, Role::measure, "Of that, time of kernels that ncu measured.",
       &ncu::RoofTime::measured_ns},
      {"verdict", Unit::text, Role::measure, "By the means, as in `ncu_kernels`.", ncu::verdict,
       optional},
      measure_columns<NcuLabelRow>()},
     false,
     false},
    needs<analyze::RunSummary>,
    add_ncu_labels,
    not_measured_by_ncu};

const Definition ncu_stalls_table = TableOf<StallRow>{
    {"ncu_stalls",
     "warp stalls",
     "One row per measured kernel and reason why its warps did not issue an instruction.",
     {ncu_kernel_keys<StallRow>(),
      {"reason", Unit::text, Role::key,
       "The reason as ncu names it: `long_scoreboard` is waiting for memory.", &ncu::Stall::reason},
      {"cycles_per_instruction", Unit::factor, Role::measure,
       "Cycles that a warp waited for that reason per issued instruction.",
       [](const StallRow& row) {
         return cell_if(!row.of<MeasuredKernel>().stalls_are_samples, row.of<ncu::Stall>().value);
       },
       optional},
      {"samples", Unit::count, Role::measure, "Samples of warps with that reason, if ncu sampled.",
       [](const StallRow& row) {
         return cell_if(row.of<MeasuredKernel>().stalls_are_samples, row.of<ncu::Stall>().value);
       },
       optional},
      {"share", Unit::ratio, Role::measure, "Of all reasons.",
       [](const StallRow& row) {
         return cell_if(row.all > 0, row.of<ncu::Stall>().value / row.all);
       },
       optional | read_with("samples")}},
     false,
     false},
    needs<analyze::RunSummary>,
    add_ncu_stalls,
    not_measured_by_ncu};

const Definition ncu_rules_table = TableOf<NcuRuleRow>{
    {"ncu_rules",
     "advice of ncu",
     "One row per measured kernel and rule of ncu that said something of its longest instance, by "
     "descending estimate.",
     {run_column,
      {"kernel", Unit::id, Role::key,
       "The kernel: the place of its row among those of the run in `ncu_kernels`, from 0.",
       &NcuRuleRow::number},
      {"name", Unit::name, Role::measure, "Its name.", &MeasuredKernel::name},
      {"grid", Unit::text, Role::detail, "Its grid.", ncu_grid, optional},
      {"block", Unit::text, Role::detail, "Its block.", ncu_block, optional},
      {"section", Unit::text, Role::detail, "The section of ncu.", &NcuRule::section},
      {"rule", Unit::text, Role::key, "The rule of ncu.", &NcuRule::name},
      {"type", Unit::text, Role::detail,
       "`OPT`: to be optimized, `INF`: information, `WRN`: warning.", &NcuRule::type},
      {"speedup", Unit::ratio, Role::measure,
       "The part of the kernel's time that ncu estimates to be saved.",
       [](const NcuRule& rule) { return cell_if(!rule.speedup_type.empty(), rule.speedup / 100); },
       optional},
      {"speedup_type", Unit::text, Role::detail,
       "`global`: of the kernel; `local`: of what the rule looks at.", &NcuRule::speedup_type,
       optional},
      {"text", Unit::text, Role::measure, "What the rule says.", &NcuRule::text}},
     false,
     false},
    needs<analyze::RunSummary>,
    add_ncu_rules,
    not_measured_by_ncu};

const Definition ncu_kernels_table =
    scoped("ncu_kernels", "kernels as ncu measured them",
           "One row per run and kernel, or label with kernels, that ncu measured.",
           {{.part = ncu_kernels_part, .name = "kernel", .key = "name"},
            {.part = ncu_labels_part, .by = "dimension", .key = "label"}});

}  // namespace kr::tables

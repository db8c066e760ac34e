// What ncu measured: by kernel, by label, why warps stall, and ncu's own advice.
#include <algorithm>

#include "ncu/joined.hpp"
#include "tables/ncu_rows.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

Column optional_column(Column column) {
  column.optional = true;
  return column;
}

/// Time of each measured kernel in the run.
std::vector<int64_t> ncu_run_times(const ncu::Joined& joined) {
  std::vector<int64_t> times(joined.kernels.size());
  for (const ncu::RunKernel& one : joined.run) {
    for (const ncu::TimeShare& share : one.time.shares) times[share.kernel] += share.time_ns;
  }
  return times;
}

void add_ncu_kernels(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run* const measured : measured_by_ncu(source)) {
    const Run& run = *measured;
    const std::vector<int64_t> times = ncu_run_times(run.get<ncu::Joined>());
    for (uint32_t i = 0; i < run.get<ncu::Joined>().kernels.size(); ++i) {
      const ncu::MeasuredKernel& kernel = run.get<ncu::Joined>().kernels[i];
      const std::string grid = ncu::shape_text(kernel.grid);
      const std::string block = ncu::shape_text(kernel.block);
      row.assign({run.summary.id, kernel.name, table::cell_or_nothing(grid),
                  table::cell_or_nothing(block), ncu_shown_label(run, i)});
      for (const std::string& dimension : dimensions) row.push_back(ncu_label(run, i, dimension));
      const auto precision = ncu::main_precision(kernel.measures);
      const ncu::RooflinePoint point =
          precision ? ncu::roofline_point(kernel.measures, *precision) : ncu::RooflinePoint{};
      const auto near = ncu::is_near_limit(kernel.measures);
      row.insert(
          row.end(),
          {kernel.instances, ns_if(kernel.duration_ns.has_value(), kernel.duration_ns.value_or(0)),
           times[i], table::cell_or_nothing(ncu::verdict(kernel.measures)),
           near ? Cell(int64_t{*near}) : Cell(),
           precision ? Cell(ncu::to_string(*precision)) : Cell(), table::cell(point.flops_per_s),
           table::cell(point.intensity), table::cell(point.roof), table::cell(point.roof_ratio)});
      add_measures(row, kernel.measures);
      const ncu::RooflinePoint tensor =
          ncu::roofline_point(kernel.measures, ncu::Precision::tensor);
      const ncu::RooflinePoint fp32 = ncu::roofline_point(kernel.measures, ncu::Precision::fp32);
      row.insert(row.end(),
                 {table::cell(fp32.intensity), table::cell(fp32.ridge), table::cell(fp32.roof),
                  table::cell(fp32.roof_ratio), table::cell_or_nothing(fp32.bound),
                  table::cell(tensor.intensity), table::cell_or_nothing(kernel.limiter),
                  table::cell_or_nothing(kernel.cc)});
      sink.row(row);
    }
  }
}

void add_ncu_labels(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run* const run : measured_by_ncu(source)) {
    for (const auto& [dimension, label, time] : ncu_labels(*run, dimensions)) {
      if (time.measured_ns == 0) continue;
      const ncu::Measures means = time.mean.measures();
      row.assign({run->summary.id, dimensions[dimension], label, time.total_ns, time.measured_ns,
                  table::cell_or_nothing(ncu::verdict(means))});
      add_measures(row, means);
      sink.row(row);
    }
  }
}

void add_ncu_stalls(const Source& source, RowSink& sink) {
  for (const Run* const measured : measured_by_ncu(source)) {
    const Run& run = *measured;
    for (const ncu::MeasuredKernel& kernel : run.get<ncu::Joined>().kernels) {
      std::vector<ncu::Stall> stalls = kernel.stalls;
      std::stable_sort(stalls.begin(), stalls.end(),
                       [](const ncu::Stall& a, const ncu::Stall& b) { return a.value > b.value; });
      double all = 0;
      for (const ncu::Stall& stall : stalls) all += stall.value;
      const std::string grid = ncu::shape_text(kernel.grid);
      const std::string block = ncu::shape_text(kernel.block);
      for (const ncu::Stall& stall : stalls) {
        sink.row({run.summary.id, kernel.name, table::cell_or_nothing(grid),
                  table::cell_or_nothing(block), stall.reason,
                  kernel.stalls_are_samples ? Cell() : Cell(stall.value),
                  kernel.stalls_are_samples ? Cell(stall.value) : Cell(),
                  all > 0 ? Cell(stall.value / all) : Cell()});
      }
    }
  }
}

void add_ncu_rules(const Source& source, RowSink& sink) {
  for (const Run* const measured : measured_by_ncu(source)) {
    const Run& run = *measured;
    const auto& all = run.get<ncu::Joined>().pages->ncu->rules;
    for (size_t number = 0; number < run.get<ncu::Joined>().kernels.size(); ++number) {
      const ncu::MeasuredKernel& kernel = run.get<ncu::Joined>().kernels[number];
      std::vector<uint32_t> rules = kernel.rules;
      std::stable_sort(rules.begin(), rules.end(),
                       [&](uint32_t a, uint32_t b) { return all[a].speedup > all[b].speedup; });
      const std::string grid = ncu::shape_text(kernel.grid);
      const std::string block = ncu::shape_text(kernel.block);
      for (const uint32_t place : rules) {
        const trace::NcuProfile::Rule& rule = all[place];
        const bool estimated = !rule.speedup_type.empty();
        sink.row({run.summary.id, static_cast<int64_t>(number), kernel.name,
                  table::cell_or_nothing(grid), table::cell_or_nothing(block), rule.section,
                  rule.name, rule.type, estimated ? Cell(rule.speedup / 100) : Cell(),
                  table::cell_or_nothing(rule.speedup_type), rule.text});
      }
    }
  }
}

std::vector<Column> ncu_kernel_keys() {
  return {{"run", Unit::text, Role::key, "The run."},
          {"name", Unit::name, Role::key, "The kernel, as ncu names it."},
          optional_column({"grid", Unit::text, Role::key, "Its grid: `X`x`Y`x`Z` blocks."}),
          optional_column({"block", Unit::text, Role::key, "Its block: `X`x`Y`x`Z` threads."})};
}

std::vector<Column> with_measures(std::vector<Column> first, std::vector<Column> last = {}) {
  return columns_of_lists({std::move(first), measure_columns(), std::move(last)});
}

}  // namespace

const Definition ncu_kernels_part{
    {"ncu_kernels", "kernels as ncu measured them",
     "One row per run and distinct kernel, grid and block that ncu measured: means of its "
     "instances, weighted by time where they are rates or ratios.",
     columns_of_lists(
         {ncu_kernel_keys(),
          {optional_column(
               {"label", Unit::text, Role::short_form, "Its label in `substage`, or `kind`."}),
           {std::string(table::dimension_columns), Unit::text, Role::detail,
            "One column per dimension of the models, named after it: the label.", true},
           {"instances", Unit::count, Role::measure, "How many were measured."},
           optional_column(
               {"duration_ns", Unit::ns, Role::measure, "The sum of their durations under ncu."}),
           {"run_ns", Unit::ns, Role::detail,
            "Time of the run that is taken as that of this kernel: see `ncu_match`."},
           optional_column({"verdict", Unit::text, Role::measure,
                            "As ncu gives it: `latency` if compute and memory throughput are below "
                            "60 %, else the greater, `compute` or `memory`."}),
           optional_column(
               {"near_limit", Unit::boolean, Role::detail, "Whether one of them is over 80 %."}),
           optional_column(
               {"precision", Unit::text, Role::detail,
                "What most of its operations are: `fp16`, `fp32`, `fp64` or `tensor`."}),
           optional_column({"flops_per_s", Unit::per_second, Role::detail,
                            "Operations of that precision per second."}),
           optional_column(
               {"intensity", Unit::factor, Role::detail, "These operations per byte of DRAM."}),
           optional_column({"roof_flops_per_s", Unit::per_second, Role::detail,
                            "The roof at that intensity: the lower of the peak and of what DRAM "
                            "can feed."}),
           optional_column({"roof_ratio", Unit::ratio, Role::detail,
                            "`flops_per_s` as a part of it; nothing without a peak."})},
          measure_columns(),
          {optional_column({"fp32_intensity", Unit::factor, Role::detail,
                            "Single-precision operations per byte of DRAM."}),
           optional_column({"fp32_ridge", Unit::factor, Role::detail,
                            "The intensity where the peak of single precision and DRAM meet."}),
           optional_column({"fp32_roof_flops_per_s", Unit::per_second, Role::detail,
                            "The roof of single precision at its intensity."}),
           optional_column({"fp32_roof_ratio", Unit::ratio, Role::detail,
                            "Single-precision operations per second as a part of it."}),
           optional_column({"fp32_bound", Unit::text, Role::detail,
                            "`memory` below the ridge, `compute` above it."}),
           optional_column({"tensor_intensity", Unit::factor, Role::detail,
                            "Operations of tensor cores per byte of DRAM."}),
           optional_column({"occupancy_limiter", Unit::text, Role::detail,
                            "What limits the theoretical occupancy: `registers`, `shared_memory`, "
                            "`warps`, `blocks` or `barriers`."}),
           optional_column({"cc", Unit::text, Role::detail, "The compute capability."})}})},
    needs<analyze::RunSummary>,
    add_ncu_kernels,
    not_measured_by_ncu};

const Definition ncu_labels_part{
    {"ncu_labels", "labels as ncu measured them",
     "One row per run, dimension and label with kernels that ncu measured: means of these kernels, "
     "weighted by their time in the run.",
     with_measures(
         {{"run", Unit::text, Role::key, "The run."},
          {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
          {"label", Unit::text, Role::key, "The label."},
          {"total_ns", Unit::ns, Role::measure, "Time of the run's kernels with the label."},
          {"measured_ns", Unit::ns, Role::measure, "Of that, time of kernels that ncu measured."},
          optional_column(
              {"verdict", Unit::text, Role::measure, "By the means, as in `ncu_kernels`."})}),
     false, false},
    needs<analyze::RunSummary>,
    add_ncu_labels,
    not_measured_by_ncu};

const Definition ncu_stalls_table{
    {"ncu_stalls", "warp stalls",
     "One row per measured kernel and reason why its warps did not issue an instruction.",
     columns_of_lists(
         {ncu_kernel_keys(),
          {{"reason", Unit::text, Role::key,
            "The reason as ncu names it: `long_scoreboard` is waiting for memory."},
           optional_column({"cycles_per_instruction", Unit::factor, Role::measure,
                            "Cycles that a warp waited for that reason per issued instruction."}),
           optional_column({"samples", Unit::count, Role::measure,
                            "Samples of warps with that reason, if ncu sampled."}),
           optional_column({"share", Unit::ratio, Role::measure, "Of all reasons.", false, false,
                            "samples"})}}),
     false, false},
    needs<analyze::RunSummary>,
    add_ncu_stalls,
    not_measured_by_ncu};

const Definition ncu_rules_table{
    {"ncu_rules",
     "advice of ncu",
     "One row per measured kernel and rule of ncu that said something of its longest instance, by "
     "descending estimate.",
     {{"run", Unit::text, Role::key, "The run."},
      {"kernel", Unit::id, Role::key,
       "The kernel: the place of its row among those of the run in `ncu_kernels`, from 0."},
      {"name", Unit::name, Role::measure, "Its name."},
      optional_column({"grid", Unit::text, Role::detail, "Its grid."}),
      optional_column({"block", Unit::text, Role::detail, "Its block."}),
      {"section", Unit::text, Role::detail, "The section of ncu."},
      {"rule", Unit::text, Role::key, "The rule of ncu."},
      {"type", Unit::text, Role::detail,
       "`OPT`: to be optimized, `INF`: information, `WRN`: warning."},
      optional_column({"speedup", Unit::ratio, Role::measure,
                       "The part of the kernel's time that ncu estimates to be saved."}),
      optional_column({"speedup_type", Unit::text, Role::detail,
                       "`global`: of the kernel; `local`: of what the rule looks at."}),
      {"text", Unit::text, Role::measure, "What the rule says."}},
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

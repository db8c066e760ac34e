// The roofline model of what ncu measured, a point per kernel and per label; and of what was
// computed from the shapes of ops, a point per label.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "analyze/run.hpp"
#include "cost/scope_costs.hpp"
#include "ncu/gpus.hpp"
#include "ncu/joined.hpp"
#include "tables/costs.hpp"
#include "tables/ncu_rows.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

constexpr double ns_per_s = 1e9;

/// A point, or a part of the time of a label that is at none; nothing of what is not known.
struct RooflineRow : Parts<Run> {
  std::string_view scope;
  std::string_view key;
  std::string_view source;
  std::string grid = {}, block = {};
  Cell label = {};
  Cells labels = {};  // by dimension
  std::string precision = {};
  std::optional<int64_t> total_ns = {};
  std::optional<double> flops = {};
  std::optional<int64_t> bytes = {};
  std::optional<double> flops_per_s = {}, bytes_per_s = {};
  std::optional<double> intensity = {};
  std::optional<double> peak_flops_per_s = {}, peak_bytes_per_s = {};
  std::optional<double> ridge = {}, roof_flops_per_s = {}, peak_ratio = {};
  std::optional<double> measured_peak_ratio = {};
  std::optional<double> measured_peak_flops_per_s = {}, measured_peak_bytes_per_s = {};
  std::string_view bound = {};
  std::string_view verdict = {};
  std::optional<double> l2_bytes_per_s = {}, peak_l2_bytes_per_s = {};
  std::optional<int64_t> with_roof_ns = {}, at_roof_ns = {};
  std::string_view no_cost = {};
};

/// The point of what ncu measured. `total_ns`: of the run.
void set_point(RooflineRow& row, std::optional<int64_t> total_ns, const ncu::Measures& measures,
               const ncu::RoofTime& time) {
  using ncu::Measure;
  if (const auto precision = ncu::main_precision(measures)) {
    const ncu::RooflinePoint point = ncu::roofline_point(measures, *precision);
    row.precision = ncu::to_string(*precision);
    row.flops_per_s = point.flops_per_s;
    row.intensity = point.intensity;
    row.peak_flops_per_s = ncu::peak_per_s(measures, *precision);
    row.ridge = point.ridge;
    row.roof_flops_per_s = point.roof;
    row.peak_ratio = point.roof_ratio;
    row.bound = point.bound;
  }
  row.total_ns = total_ns;
  row.bytes_per_s = measures.get(Measure::dram_bytes_per_s);
  if (total_ns) {
    const auto amount = [&](double per_second) {
      return per_second * static_cast<double>(*total_ns) / ns_per_s;
    };
    if (row.flops_per_s) row.flops = amount(*row.flops_per_s);
    if (row.bytes_per_s) row.bytes = std::llround(amount(*row.bytes_per_s));
  }
  row.peak_bytes_per_s = measures.get(Measure::dram_peak_bytes_per_s);
  row.verdict = ncu::verdict(measures);
  row.l2_bytes_per_s = measures.get(Measure::l2_bytes_per_s);
  row.peak_l2_bytes_per_s = measures.get(Measure::l2_peak_bytes_per_s);
  if (time.with_roof_ns > 0) {
    row.with_roof_ns = time.with_roof_ns;
    row.at_roof_ns = time.at_roof_ns;
  }
}

/// Of what this GPU reached. `measures`: those of the point, `rates`: the same with measured peaks.
void set_measured_peaks(RooflineRow& row, const ncu::Measures& measures,
                        const ncu::Measures& rates) {
  row.measured_peak_bytes_per_s = rates.get(ncu::Measure::dram_peak_bytes_per_s);
  const auto precision = ncu::main_precision(measures);
  if (!precision) return;
  row.measured_peak_flops_per_s = ncu::peak_per_s(rates, *precision);
  row.measured_peak_ratio = ncu::roofline_point(rates, *precision).roof_ratio;
}

/// Measured kernels that are in the run, by descending time there.
std::vector<std::pair<uint32_t, std::optional<int64_t>>> kernels_in_run(const ncu::Joined& joined) {
  std::map<uint32_t, int64_t> times;
  for (const ncu::RunKernel& one : joined.run) {
    for (const ncu::TimeShare& share : one.time.shares) times[share.kernel] += share.time_ns;
  }
  // Pages without durations have points, too.
  std::vector<std::pair<uint32_t, std::optional<int64_t>>> out(times.begin(), times.end());
  for (const uint32_t kernel : joined.not_in_run) {
    if (!joined.kernels[kernel].duration_ns) out.emplace_back(kernel, std::nullopt);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

void add_kernel_points(const Run& run, const std::vector<std::string>& dimensions,
                       Rows<RooflineRow>& rows) {
  const ncu::Joined& joined = run.get<ncu::Joined>();
  const char* const shown = run.summary.dimension("stage") ? "stage" : "kind";
  for (const auto& [number, total_ns] : kernels_in_run(joined)) {
    const ncu::MeasuredKernel& kernel = joined.kernels[number];
    RooflineRow row{{run}, "kernel", kernel.name, "ncu"};
    row.grid = ncu::shape_text(kernel.grid);
    row.block = ncu::shape_text(kernel.block);
    row.label = ncu_label(run, number, shown);
    for (const std::string& dimension : dimensions) {
      row.labels.push_back(ncu_label(run, number, dimension));
    }
    ncu::RoofTime time;
    time.add(kernel, total_ns.value_or(0));
    set_point(row, total_ns, kernel.measures, time);
    if (joined.measured_peaks != nullptr) {
      set_measured_peaks(row, kernel.measures,
                         ncu::rates_with_peaks(kernel, *joined.measured_peaks));
    }
    rows.add(row);
  }
}

/// Means of what ncu measured of a label, with peaks that were measured on the GPU.
ncu::Measures label_rates(const Run& run, std::string_view dimension, std::string_view label,
                          const ncu::GpuPeaks& measured) {
  const ncu::Joined& joined = run.get<ncu::Joined>();
  const auto at = run.summary.dimension(dimension);
  ncu::Mean mean;
  for (const ncu::RunKernel& one : joined.run) {
    if (!at || run.summary.names[one.name].labels[*at].label != label) continue;
    for (const ncu::TimeShare& share : one.time.shares) {
      const ncu::MeasuredKernel& kernel = joined.kernels[share.kernel];
      mean.add(ncu::rates_with_peaks(kernel, measured), static_cast<double>(share.time_ns),
               static_cast<double>(kernel.instances));
    }
  }
  return mean.measures();
}

/// As roofs are called: `bf16 tensor`. Empty: not known.
std::string precision_of(const cost::CostSum& sum) {
  const std::string word(sum.is_mainly_tf32() ? "tf32" : word_of(sum.main_type()));
  const bool vector = word.empty() || word == "fp32" || word == "fp64";
  return vector ? word : word + " tensor";
}

/// The point of ops whose FLOPs and bytes are known.
void set_point(RooflineRow& row, const cost::CostSum& sum, const cost::CostedRun& costed) {
  const ncu::GpuPeaks* const gpu = costed.gpu;
  const ncu::GpuPeaks* const measured = costed.measured_peaks.get();
  row.precision = precision_of(sum);
  row.total_ns = sum.point_ns();
  row.flops = sum.point_flops();
  row.bytes = std::llround(sum.point_bytes());
  row.flops_per_s = sum.point_flops_per_s();
  row.bytes_per_s = sum.point_bytes() / (static_cast<double>(sum.point_ns()) / ns_per_s);
  row.intensity = sum.intensity();
  row.peak_flops_per_s = cost::peak_of(gpu, sum.main_type(), sum.is_mainly_tf32());
  if (gpu != nullptr && gpu->dram_bytes_per_s > 0) row.peak_bytes_per_s = gpu->dram_bytes_per_s;
  if (row.peak_flops_per_s && row.peak_bytes_per_s) {
    row.ridge = *row.peak_flops_per_s / *row.peak_bytes_per_s;
  }
  row.roof_flops_per_s = sum.roof_flops_per_s();
  row.peak_ratio = sum.peak_ratio();
  row.measured_peak_ratio = sum.measured_peak_ratio();
  row.measured_peak_flops_per_s = cost::peak_of(measured, sum.main_type(), sum.is_mainly_tf32());
  if (measured != nullptr && measured->dram_bytes_per_s > 0) {
    row.measured_peak_bytes_per_s = measured->dram_bytes_per_s;
  }
  row.bound = sum.bound();
}

/// Of a label: a point of its ops whose FLOPs and bytes are known, and a row for each reason why
/// others are not in it. `begin`: the row with its keys.
void add_cost_point(const RooflineRow& begin, const cost::KeyCosts& one,
                    const cost::CostedRun& costed, Rows<RooflineRow>& rows) {
  const bool is_point = one.sum.point_ns() > 0 && one.sum.point_flops() > 0;
  if (is_point) {
    RooflineRow row = begin;
    set_point(row, one.sum, costed);
    rows.add(row);
  }
  for (size_t i = 0; i < one.ns.size(); ++i) {
    const auto why = static_cast<cost::NoCost>(i);
    if (why == cost::NoCost::none) continue;
    RooflineRow row = begin;
    row.total_ns = one.ns[i];
    if (why == cost::NoCost::no_flops && !is_point) *row.total_ns += one.sum.point_ns();
    row.no_cost = cost::to_string(why);
    if (*row.total_ns != 0) rows.add(row);
  }
}

void add_cost_points(const Source& source, const Run& run,
                     const std::vector<std::string>& dimensions, Rows<RooflineRow>& rows) {
  const auto& costed = run.get<cost::CostedRun>();
  for (const cost::LevelCosts& level :
       cost::costs_by_label(*source.rules, run.get<analyze::LabelledTrace>(), costed)) {
    const auto at = std::find(dimensions.begin(), dimensions.end(), level.level);
    if (at == dimensions.end()) continue;
    for (const cost::KeyCosts& one : level.keys) {
      RooflineRow row{{run}, level.level, one.key, "shapes"};
      row.labels.resize(dimensions.size());
      row.labels[static_cast<size_t>(at - dimensions.begin())] = table::cell_or_nothing(one.key);
      add_cost_point(row, one, costed, rows);
    }
  }
}

using RoofRow = Parts<Run, ncu::Roof>;

/// Peaks of the precisions of points that are computed from shapes, by the name of the roof. `gpu`
/// may be null.
std::map<std::string, double> peaks_of_points(const Source& source, const Run& run,
                                              const ncu::GpuPeaks* gpu) {
  std::map<std::string, double> peaks;
  for (const cost::LevelCosts& level : cost::costs_by_label(
           *source.rules, run.get<analyze::LabelledTrace>(), run.get<cost::CostedRun>())) {
    for (const cost::KeyCosts& one : level.keys) {
      const auto peak = cost::peak_of(gpu, one.sum.main_type(), one.sum.is_mainly_tf32());
      if (one.sum.point_ns() == 0 || !peak) continue;
      std::string name = precision_of(one.sum);
      const size_t word = name.find(' ');
      for (size_t i = 0; i < std::min(word, name.size()); ++i) {
        if (name[i] >= 'a' && name[i] <= 'z') name[i] = static_cast<char>(name[i] - 'a' + 'A');
      }
      peaks[name] = *peak;
    }
  }
  return peaks;
}

/// Of the data sheet: of memory, and of the precisions of points.
void add_cost_roofs(const Source& source, const Run& run, Rows<RoofRow>& rows) {
  const ncu::GpuPeaks* const gpu = run.get<cost::CostedRun>().gpu;
  if (gpu == nullptr) return;
  const ncu::Joined* const joined = run.find<ncu::Joined>();
  const auto add = [&](bool memory, const std::string& name, double per_second) {
    const auto is_there = [&](const ncu::Roof& roof) { return roof.name == name; };
    if (joined != nullptr && std::ranges::any_of(joined->roofs, is_there)) return;
    if (per_second <= 0) return;
    rows.add({run, ncu::Roof{memory, name, per_second, "data sheet of " + gpu->name}});
  };
  for (const auto& [name, peak] : peaks_of_points(source, run, gpu)) add(false, name, peak);
  add(true, "DRAM", gpu->dram_bytes_per_s);
}

bool has_costs(const Run& run) {
  return run.find<cost::CostedRun>() != nullptr && run.find<analyze::LabelledTrace>() != nullptr &&
         run.get<analyze::LabelledTrace>().trace.host &&
         run.get<analyze::LabelledTrace>().trace.host->ops;
}

/// The measured peak of a roof of pages of ncu; 0: it was not measured.
double measured_peak(const ncu::GpuPeaks& measured, std::string_view roof) {
  const std::pair<std::string_view, double> peaks[] = {{"FP64", measured.fp64},
                                                       {"FP32", measured.fp32},
                                                       {"TF32 tensor", measured.tf32},
                                                       {"FP16 tensor", measured.fp16_tensor},
                                                       {"BF16 tensor", measured.bf16_tensor},
                                                       {"FP8 tensor", measured.fp8_tensor},
                                                       {"INT8 tensor", measured.int8_tensor},
                                                       {"DRAM", measured.dram_bytes_per_s}};
  for (const auto& [name, peak] : peaks) {
    if (name == roof) return peak;
  }
  return 0;
}

/// What the GPU reached: of the roofs of ncu, and of memory and the precisions of points.
void add_measured_roofs(const Source& source, const Run& run, Rows<RoofRow>& rows) {
  std::map<std::string, double> compute;
  std::shared_ptr<const ncu::GpuPeaks> measured;
  if (has_costs(run)) {
    measured = run.get<cost::CostedRun>().measured_peaks;
    compute = peaks_of_points(source, run, measured.get());
  }
  if (const auto* const joined = run.find<ncu::Joined>()) {
    if (joined->measured_peaks != nullptr) measured = joined->measured_peaks;
    for (const ncu::Roof& roof : joined->roofs) {
      if (measured == nullptr || roof.is_memory) continue;
      compute[roof.name] = measured_peak(*measured, roof.name);
    }
  }
  if (measured == nullptr) return;
  const auto add = [&](bool memory, const std::string& name, double per_second) {
    if (per_second <= 0) return;
    rows.add({run, ncu::Roof{memory, name + " reached", per_second,
                             "what this GPU reached: " + measured->source}});
  };
  for (const auto& [name, peak] : compute) add(false, name, peak);
  add(true, "DRAM", measured->dram_bytes_per_s);
}

/// Why there is no roofline; empty: there is.
std::string without_points(const Source& source) {
  if (std::any_of(source.runs.begin(), source.runs.end(), has_costs)) return {};
  const bool asked = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return run.find<cost::CostedRun>() != nullptr;
  });
  std::string why = not_measured_by_ncu(source);
  if (why.empty()) return why;
  return asked ? why + ", and there are no costs: " + without_costs(source)
               : why + ", or --costs computes points from the shapes of ops";
}

void add_roofline(const Source& source, Rows<RooflineRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run* const run : measured_by_ncu(source)) {
    add_kernel_points(*run, dimensions, rows);
    for (const auto& [dimension, label, time] : ncu_labels(*run, dimensions)) {
      if (time.measured_ns == 0) continue;
      RooflineRow row{{*run}, dimensions[dimension], label, "ncu"};
      row.labels.resize(dimensions.size());
      row.labels[dimension] = std::string_view(label);
      const ncu::Measures measures = time.mean.measures();
      set_point(row, time.measured_ns, measures, time);
      if (const auto& measured = run->get<ncu::Joined>().measured_peaks; measured != nullptr) {
        set_measured_peaks(row, measures,
                           label_rates(*run, dimensions[dimension], label, *measured));
      }
      rows.add(row);
    }
  }
  for (const Run& run : source.runs) {
    if (has_costs(run)) add_cost_points(source, run, dimensions, rows);
  }
}

void add_roofs(const Source& source, Rows<RoofRow>& rows) {
  for (const Run* const run : measured_by_ncu(source)) {
    for (const ncu::Roof& roof : run->get<ncu::Joined>().roofs) rows.add({*run, roof});
  }
  for (const Run& run : source.runs) {
    if (has_costs(run)) add_cost_roofs(source, run, rows);
  }
  for (const Run& run : source.runs) add_measured_roofs(source, run, rows);
}

}  // namespace

const Definition roofline_table = TableOf<RooflineRow>{
    {"roofline",
     "roofline",
     "One row per run and measured kernel, and one per label of each dimension: a point of the "
     "roofline model. Rates are those that ncu measured, times those of the run; or, where "
     "`source` is `shapes`, the declared costs of the label's ops by their time.",
     {run_column,
      {"scope", Unit::text, Role::key, "`kernel`, or the dimension.", &RooflineRow::scope},
      {"key", Unit::name, Role::key, "The kernel as ncu names it, or the label.",
       &RooflineRow::key},
      {"grid", Unit::text, Role::key, "The kernel's grid.", &RooflineRow::grid, optional},
      {"block", Unit::text, Role::key, "The kernel's block.", &RooflineRow::block, optional},
      {"label", Unit::text, Role::detail,
       "The kernel's label in the dimension `stage`, or `kind` if the model has none.",
       &RooflineRow::label, optional},
      {head::labels, Value<RooflineRow>::several([](const RooflineRow& row, Cells& cells) {
         cells.insert(cells.end(), row.labels.begin(), row.labels.end());
       })},
      {"precision", Unit::text, Role::measure,
       "What most operations are: `fp16`, `fp32`, `fp64` or `tensor`; of shapes the type of the "
       "operands: `bf16 tensor`.",
       &RooflineRow::precision, optional},
      {"total_ns", Unit::ns, Role::measure,
       "Time in the run that is taken as that of the point: see `ncu_match`; nothing of a kernel "
       "without a duration. Of shapes, the time of ops whose FLOPs and bytes are known.",
       &RooflineRow::total_ns, optional},
      {"flops", Unit::flop, Role::detail, "Operations of that precision in that time.",
       &RooflineRow::flops, optional},
      {"bytes", Unit::bytes, Role::detail, "Bytes of DRAM in that time.", &RooflineRow::bytes,
       optional},
      {"flops_per_s", Unit::per_second, Role::measure, "Operations of that precision per second.",
       &RooflineRow::flops_per_s, optional},
      {"bytes_per_s", Unit::per_second, Role::measure, "Bytes of DRAM per second.",
       &RooflineRow::bytes_per_s, optional},
      {"intensity", Unit::factor, Role::measure, "Operations per byte.", &RooflineRow::intensity,
       optional},
      {"peak_flops_per_s", Unit::per_second, Role::detail,
       "The peak of that precision; nothing if no page and no `--gpu` has it.",
       &RooflineRow::peak_flops_per_s, optional},
      {"peak_bytes_per_s", Unit::per_second, Role::detail, "The peak of DRAM.",
       &RooflineRow::peak_bytes_per_s, optional},
      {"ridge", Unit::factor, Role::detail, "The intensity where both meet.", &RooflineRow::ridge,
       optional},
      {"roof_flops_per_s", Unit::per_second, Role::detail,
       "The roof at the intensity of the point.", &RooflineRow::roof_flops_per_s, optional},
      {"peak_ratio", Unit::ratio, Role::measure,
       "`flops_per_s` as a part of the roof; nothing without a peak.", &RooflineRow::peak_ratio,
       optional},
      {"measured_peak_ratio", Unit::ratio, Role::measure,
       "The same of what this GPU reached: of the roof by the peaks of `--peaks`. Above 1 the "
       "point is faster than what was measured.",
       &RooflineRow::measured_peak_ratio, optional},
      {"measured_peak_flops_per_s", Unit::per_second, Role::detail,
       "The measured peak of that precision; nothing if `--peaks` does not have it.",
       &RooflineRow::measured_peak_flops_per_s, optional},
      {"measured_peak_bytes_per_s", Unit::per_second, Role::detail, "The measured peak of DRAM.",
       &RooflineRow::measured_peak_bytes_per_s, optional},
      {"bound", Unit::text, Role::measure,
       "`memory` below the ridge, `compute` above it; nothing if that is not known.",
       &RooflineRow::bound, optional},
      {"verdict", Unit::text, Role::detail, "As ncu gives it: see `ncu_kernels`.",
       &RooflineRow::verdict, optional},
      {"l2_bytes_per_s", Unit::per_second, Role::detail, "Bytes of the L2 cache per second.",
       &RooflineRow::l2_bytes_per_s, optional},
      {"peak_l2_bytes_per_s", Unit::per_second, Role::detail, "The peak of the L2 cache.",
       &RooflineRow::peak_l2_bytes_per_s, optional},
      {"with_roof_ns", Unit::ns, Role::detail, "Time of `total_ns` of which a roof is known.",
       &RooflineRow::with_roof_ns, optional},
      {"at_roof_ns", Unit::ns, Role::detail,
       "What that would be at the nearest roof: see `optimize_first`.", &RooflineRow::at_roof_ns,
       optional},
      {"source", Unit::text, Role::measure,
       "`ncu`: counters of the GPU measured FLOPs and bytes; `shapes`: they are computed from the "
       "shapes of ops, by the rules' `cost` blocks.",
       &RooflineRow::source},
      {"no_cost", Unit::text, Role::measure,
       "Of `shapes`: why this time of the label is not at its point: `no FLOPs`, `no bytes`, or a "
       "reason of `costs`. With these rows, a dimension adds up to the time of all operations.",
       &RooflineRow::no_cost, optional}},
     false,
     false},
    needs<analyze::RunSummary>,
    add_roofline,
    without_points};

const Definition roofline_roofs_table = TableOf<RoofRow>{
    {"roofline_roofs",
     "roofs",
     "One row per run and peak: the highest that pages of ncu have, or that of the data sheet; "
     "and what this GPU reached (`--peaks`). The "
     "roof of a single kernel may be lower, by its clocks: see `roofline`.",
     {run_column,
      {"kind", Unit::text, Role::key, "`compute`: operations, `memory`: bytes.",
       [](const ncu::Roof& roof) { return roof.is_memory ? "memory" : "compute"; }},
      {"name", Unit::text, Role::key,
       "`FP32`, `BF16 tensor`, `DRAM`, `L2` or another; `DRAM reached`: "
       "measured.",
       &ncu::Roof::name},
      {"per_second", Unit::per_second, Role::measure, "Operations or bytes per second.",
       &ncu::Roof::per_second},
      {"source", Unit::text, Role::measure,
       "The metrics of the profile, the data sheet, or what "
       "measured the peak.",
       &ncu::Roof::source}},
     false,
     false},
    needs<analyze::RunSummary>,
    add_roofs,
    without_points};

}  // namespace kr::tables

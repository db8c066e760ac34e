// The roofline model of what ncu measured, a point per kernel and per label; and of what was
// computed from the shapes of ops, a point per label.
#include <algorithm>
#include <cmath>
#include <map>
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

struct RooflineKey {
  std::string_view level;
  std::string_view key;
  std::string grid, block;
  Cell label;
};

void add_point(const Run& run, const RooflineKey& of, const Cells& labels,
               std::optional<int64_t> total_ns, const ncu::Measures& measures,
               const ncu::RoofTime& time, Cells& row, RowSink& sink) {
  const auto precision = ncu::main_precision(measures);
  const ncu::RooflinePoint point =
      precision ? ncu::roofline_point(measures, *precision) : ncu::RooflinePoint{};
  const auto bytes_per_s = measures.get(ncu::Measure::dram_bytes_per_s);
  const auto amount = [&](const std::optional<double>& per_second) -> Cell {
    if (!per_second || !total_ns) return {};
    return *per_second * static_cast<double>(*total_ns) / ns_per_s;
  };
  const auto whole_amount = [&](const std::optional<double>& per_second) -> Cell {
    const Cell bytes = amount(per_second);
    const auto* const number = std::get_if<double>(&bytes);
    return number != nullptr ? Cell(int64_t{std::llround(*number)}) : bytes;
  };
  const bool roof = time.with_roof_ns > 0;
  row.assign({run.summary.id, of.level, of.key, table::cell_or_nothing(of.grid),
              table::cell_or_nothing(of.block), of.label});
  row.insert(row.end(), labels.begin(), labels.end());
  row.insert(row.end(),
             {precision ? Cell(ncu::to_string(*precision)) : Cell(),
              ns_if(total_ns.has_value(), total_ns.value_or(0)),
              amount(point.flops_per_s),
              whole_amount(bytes_per_s),
              table::cell(point.flops_per_s),
              table::cell(bytes_per_s),
              table::cell(point.intensity),
              table::cell(precision ? ncu::peak_per_s(measures, *precision) : std::nullopt),
              table::cell(measures.get(ncu::Measure::dram_peak_bytes_per_s)),
              table::cell(point.ridge),
              table::cell(point.roof),
              table::cell(point.roof_ratio),
              table::cell_or_nothing(point.bound),
              table::cell_or_nothing(ncu::verdict(measures)),
              table::cell(measures.get(ncu::Measure::l2_bytes_per_s)),
              table::cell(measures.get(ncu::Measure::l2_peak_bytes_per_s)),
              ns_if(roof, time.with_roof_ns),
              ns_if(roof, time.at_roof_ns),
              "ncu",
              Cell()});
  sink.row(row);
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

void add_kernel_points(const Run& run, const std::vector<std::string>& dimensions, Cells& row,
                       RowSink& sink) {
  for (const auto& [number, total_ns] : kernels_in_run(run.get<ncu::Joined>())) {
    const ncu::MeasuredKernel& kernel = run.get<ncu::Joined>().kernels[number];
    Cells labels;
    labels.reserve(dimensions.size());
    for (const std::string& dimension : dimensions) {
      labels.push_back(ncu_label(run, number, dimension));
    }
    ncu::RoofTime time;
    time.add(kernel, total_ns.value_or(0));
    const bool stage = run.summary.dimension("stage").has_value();
    add_point(run,
              {"kernel", kernel.name, ncu::shape_text(kernel.grid), ncu::shape_text(kernel.block),
               ncu_label(run, number, stage ? "stage" : "kind")},
              labels, total_ns, kernel.measures, time, row, sink);
  }
}

/// As roofs are called: `bf16 tensor`. Empty: not known.
std::string precision_of(const cost::CostSum& sum) {
  const std::string word(sum.is_mainly_tf32() ? "tf32" : word_of(sum.main_type()));
  const bool vector = word.empty() || word == "fp32" || word == "fp64";
  return vector ? word : word + " tensor";
}

/// The cells of a point behind those that every row has. `gpu` may be null.
void add_point_cells(const cost::CostSum& sum, const ncu::GpuPeaks* gpu, Cells& row) {
  const double bandwidth = gpu == nullptr ? 0 : gpu->dram_bytes_per_s;
  const auto peak = cost::peak_of(gpu, sum.main_type(), sum.is_mainly_tf32());
  const std::string precision = precision_of(sum);
  const double seconds = static_cast<double>(sum.point_ns()) / ns_per_s;
  row.insert(row.end(), {table::cell_or_nothing(precision),
                         sum.point_ns(),
                         sum.point_flops(),
                         Cell(int64_t{std::llround(sum.point_bytes())}),
                         table::cell(sum.point_flops_per_s()),
                         sum.point_bytes() / seconds,
                         table::cell(sum.intensity()),
                         table::cell(peak),
                         bandwidth > 0 ? Cell(bandwidth) : Cell(),
                         peak && bandwidth > 0 ? Cell(*peak / bandwidth) : Cell(),
                         table::cell(sum.roof_flops_per_s()),
                         table::cell(sum.peak_ratio()),
                         table::cell_or_nothing(sum.bound()),
                         Cell(),
                         Cell(),
                         Cell(),
                         Cell(),
                         Cell(),
                         "shapes",
                         Cell()});
}

/// Of a label, whose place among the columns of dimensions is `place`: a point of its ops whose
/// FLOPs and bytes are known, and a row for each reason why others are not in it.
void add_cost_point(const Run& run, const std::string& dimension, size_t place, size_t dimensions,
                    const cost::KeyCosts& one, Cells& row, RowSink& sink) {
  Cells labels(dimensions);
  labels[place] = table::cell_or_nothing(one.key);
  const auto begin_row = [&] {
    row.assign({run.summary.id, std::string_view(dimension), std::string_view(one.key), Cell(),
                Cell(), Cell()});
    row.insert(row.end(), labels.begin(), labels.end());
  };
  const bool is_point = one.sum.point_ns() > 0 && one.sum.point_flops() > 0;
  if (is_point) {
    begin_row();
    add_point_cells(one.sum, run.get<cost::CostedRun>().gpu, row);
    sink.row(row);
  }
  for (size_t i = 0; i < one.ns.size(); ++i) {
    const auto why = static_cast<cost::NoCost>(i);
    if (why == cost::NoCost::none) continue;
    int64_t ns = one.ns[i];
    if (why == cost::NoCost::no_flops && !is_point) ns += one.sum.point_ns();
    if (ns == 0) continue;
    begin_row();
    row.insert(row.end(), {Cell(), ns});
    row.resize(row.size() + 16);
    row.insert(row.end(), {"shapes", cost::to_string(why)});
    sink.row(row);
  }
}

void add_cost_points(const Source& source, const Run& run,
                     const std::vector<std::string>& dimensions, Cells& row, RowSink& sink) {
  for (const cost::LevelCosts& level : cost::costs_by_label(
           *source.rules, run.get<analyze::LabelledTrace>(), run.get<cost::CostedRun>())) {
    const auto at = std::find(dimensions.begin(), dimensions.end(), level.level);
    if (at == dimensions.end()) continue;
    for (const cost::KeyCosts& one : level.keys) {
      add_cost_point(run, level.level, static_cast<size_t>(at - dimensions.begin()),
                     dimensions.size(), one, row, sink);
    }
  }
}

/// Of the data sheet: of memory, and of the precisions of points.
void add_cost_roofs(const Source& source, const Run& run, RowSink& sink) {
  const ncu::GpuPeaks* const gpu = run.get<cost::CostedRun>().gpu;
  if (gpu == nullptr) return;
  const std::string from = "data sheet of " + gpu->name;
  const auto add = [&](bool memory, const std::string& name, double per_second) {
    const auto is_there = [&](const ncu::Roof& roof) { return roof.name == name; };
    if (run.find<ncu::Joined>() != nullptr &&
        std::any_of(run.get<ncu::Joined>().roofs.begin(), run.get<ncu::Joined>().roofs.end(),
                    is_there))
      return;
    if (per_second <= 0) return;
    sink.row({run.summary.id, memory ? "memory" : "compute", std::string_view(name), per_second,
              std::string_view(from)});
  };
  std::map<std::string, double> peaks;  // by name
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
  for (const auto& [name, peak] : peaks) add(false, name, peak);
  add(true, "DRAM", gpu->dram_bytes_per_s);
}

bool has_costs(const Run& run) {
  return run.find<cost::CostedRun>() != nullptr && run.find<analyze::LabelledTrace>() != nullptr &&
         run.get<analyze::LabelledTrace>().trace.host &&
         run.get<analyze::LabelledTrace>().trace.host->ops;
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

void add_roofline(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run* const run : measured_by_ncu(source)) {
    add_kernel_points(*run, dimensions, row, sink);
    for (const auto& [dimension, label, time] : ncu_labels(*run, dimensions)) {
      if (time.measured_ns == 0) continue;
      Cells labels(dimensions.size());
      labels[dimension] = std::string_view(label);
      add_point(*run, {dimensions[dimension], label, {}, {}, {}}, labels, time.measured_ns,
                time.mean.measures(), time, row, sink);
    }
  }
  for (const Run& run : source.runs) {
    if (has_costs(run)) add_cost_points(source, run, dimensions, row, sink);
  }
}

void add_roofs(const Source& source, RowSink& sink) {
  for (const Run* const run : measured_by_ncu(source)) {
    for (const ncu::Roof& roof : run->get<ncu::Joined>().roofs) {
      sink.row({run->summary.id, roof.is_memory ? "memory" : "compute", roof.name, roof.per_second,
                roof.source});
    }
  }
  for (const Run& run : source.runs) {
    if (has_costs(run)) add_cost_roofs(source, run, sink);
  }
}

Column known_column(const char* id, Unit unit, Role role, const char* doc) {
  return {id, unit, role, doc, true};
}

}  // namespace

const Definition roofline_table{
    {"roofline",
     "roofline",
     "One row per run and measured kernel, and one per label of each dimension: a point of the "
     "roofline model. Rates are those that ncu measured, times those of the run; or, where "
     "`source` "
     "is `shapes`, the declared costs of the label's ops by their time.",
     {{"run", Unit::text, Role::key, "The run."},
      {"scope", Unit::text, Role::key, "`kernel`, or the dimension."},
      {"key", Unit::name, Role::key, "The kernel as ncu names it, or the label."},
      known_column("grid", Unit::text, Role::key, "The kernel's grid."),
      known_column("block", Unit::text, Role::key, "The kernel's block."),
      known_column("label", Unit::text, Role::detail,
                   "The kernel's label in the dimension `stage`, or `kind` if the model has none."),
      {std::string(table::dimension_columns), Unit::text, Role::detail,
       "One column per dimension of the models, named after it: the label.", true},
      known_column(
          "precision", Unit::text, Role::measure,
          "What most operations are: `fp16`, `fp32`, `fp64` or `tensor`; of shapes the type "
          "of the operands: `bf16 tensor`."),
      known_column(
          "total_ns", Unit::ns, Role::measure,
          "Time in the run that is taken as that of the point: see `ncu_match`; nothing of "
          "a kernel without a duration. Of shapes, the time of ops whose FLOPs and bytes are "
          "known."),
      known_column("flops", Unit::flop, Role::detail, "Operations of that precision in that time."),
      known_column("bytes", Unit::bytes, Role::detail, "Bytes of DRAM in that time."),
      known_column("flops_per_s", Unit::per_second, Role::measure,
                   "Operations of that precision per second."),
      known_column("bytes_per_s", Unit::per_second, Role::measure, "Bytes of DRAM per second."),
      known_column("intensity", Unit::factor, Role::measure, "Operations per byte."),
      known_column("peak_flops_per_s", Unit::per_second, Role::detail,
                   "The peak of that precision; nothing if no page and no `--gpu` has it."),
      known_column("peak_bytes_per_s", Unit::per_second, Role::detail, "The peak of DRAM."),
      known_column("ridge", Unit::factor, Role::detail, "The intensity where both meet."),
      known_column("roof_flops_per_s", Unit::per_second, Role::detail,
                   "The roof at the intensity of the point."),
      known_column("peak_ratio", Unit::ratio, Role::measure,
                   "`flops_per_s` as a part of the roof; nothing without a peak."),
      known_column("bound", Unit::text, Role::measure,
                   "`memory` below the ridge, `compute` above it; nothing if that is not known."),
      known_column("verdict", Unit::text, Role::detail, "As ncu gives it: see `ncu_kernels`."),
      known_column("l2_bytes_per_s", Unit::per_second, Role::detail,
                   "Bytes of the L2 cache per second."),
      known_column("peak_l2_bytes_per_s", Unit::per_second, Role::detail,
                   "The peak of the L2 cache."),
      known_column("with_roof_ns", Unit::ns, Role::detail,
                   "Time of `total_ns` of which a roof is known."),
      known_column("at_roof_ns", Unit::ns, Role::detail,
                   "What that would be at the nearest roof: see `optimize_first`."),
      {"source", Unit::text, Role::measure,
       "`ncu`: counters of the GPU measured FLOPs and bytes; `shapes`: they are computed from the "
       "shapes of ops, by the rules' `cost` blocks."},
      known_column("no_cost", Unit::text, Role::measure,
                   "Of `shapes`: why this time of the label is not at its point: `no FLOPs`, `no "
                   "bytes`, or a reason of `costs`. With these rows, a dimension adds up to the "
                   "time of all operations.")},
     false,
     false},
    needs<analyze::RunSummary>,
    add_roofline,
    without_points};

const Definition roofline_roofs_table{
    {"roofline_roofs",
     "roofs",
     "One row per run and peak: the highest that pages of ncu have, or that of the data sheet. The "
     "roof of a single kernel may be lower, by its clocks: see `roofline`.",
     {{"run", Unit::text, Role::key, "The run."},
      {"kind", Unit::text, Role::key, "`compute`: operations, `memory`: bytes."},
      {"name", Unit::text, Role::key, "`FP32`, `BF16 tensor`, `DRAM`, `L2` or another."},
      {"per_second", Unit::per_second, Role::measure, "Operations or bytes per second."},
      {"source", Unit::text, Role::measure, "The metrics of the profile, or the data sheet."}},
     false,
     false},
    needs<analyze::RunSummary>,
    add_roofs,
    without_points};

}  // namespace kr::tables

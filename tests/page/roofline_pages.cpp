// Reports with rooflines whose numbers are made up.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.hpp"
#include "make_pages.hpp"
#include "overview/overview.hpp"
#include "page/pages.hpp"
#include "render/render.hpp"
#include "support/reports.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace kr::test::roofline_pages {
namespace {

using kr::table::Role;
using kr::table::Unit;

const kr::table::Info roofline_info{
    "roofline",
    "roofline",
    "One row per run, scope and key.",
    {{"run", Unit::text, Role::key, "The run."},
     {"scope", Unit::text, Role::key, "What a row is."},
     {"key", Unit::name, Role::key, "The kernel."},
     {"label", Unit::text, Role::measure, "Its label.", true},
     {"precision", Unit::text, Role::key, "Of its operations.", true},
     {"total_ns", Unit::ns, Role::measure, "Its time.", true},
     {"flops_per_s", Unit::per_second, Role::measure, "What it achieves.", true},
     {"bytes_per_s", Unit::per_second, Role::measure, "Bytes of DRAM.", true},
     {"intensity", Unit::factor, Role::measure, "Operations per byte.", true},
     {"peak_ratio", Unit::ratio, Role::measure, "Part of its roof.", true},
     {"bound", Unit::text, Role::measure, "What limits it.", true},
     {"verdict", Unit::text, Role::measure, "What limits it by ncu.", true},
     {"peak_flops_per_s", Unit::per_second, Role::detail, "Its peak.", true},
     {"peak_bytes_per_s", Unit::per_second, Role::detail, "That of DRAM.", true},
     {"at_roof_ns", Unit::ns, Role::measure, "Its time at the roof.", true},
     {"source", Unit::text, Role::measure, "Where it is from."},
     {"no_cost", Unit::text, Role::measure, "Why it has no point.", true}}};

const kr::table::Info roofs_info{"roofline_roofs",
                                 "roofs",
                                 "One row per run, device and roof.",
                                 {{"run", Unit::text, Role::key, "The run."},
                                  {"device", Unit::text, Role::key, "The GPU."},
                                  {"kind", Unit::text, Role::key, "`compute` or `memory`."},
                                  {"name", Unit::text, Role::key, "The roof."},
                                  {"per_second", Unit::per_second, Role::measure, "Its height."},
                                  {"source", Unit::text, Role::measure, "Where it is from."}}};

struct Roof {
  const char* kind;
  const char* name;
  double per_second;
  const char* source;
};
const std::vector<Roof> h100{{"compute", "FP32", 66.9e12, "NVIDIA H100 white paper (2023)"},
                             {"compute", "FP64", 33.5e12, "NVIDIA H100 white paper (2023)"},
                             {"compute", "FP16 tensor", 989.4e12, "NVIDIA H100 white paper (2023)"},
                             {"compute", "BF16 tensor", 989.4e12, "NVIDIA H100 white paper (2023)"},
                             {"memory", "DRAM", 3.35e12, "metrics of the profile"},
                             {"memory", "L2", 9e12, "metrics of the profile"}};

struct Point {
  std::string level = "kernel";
  std::string key;
  std::string label;
  std::string precision = "tensor";
  int64_t total_ns = 0;
  double intensity = 0;  // 0: not known
  double flops_per_s = 0;
  std::string bound = {};
  std::string no_cost = {};
};

/// Whole-number hashes, so that the page is the same everywhere.
double fraction(uint64_t seed) {
  seed = (seed + 1) * 0x9e3779b97f4a7c15U;
  seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ seed >> 27) * 0x94d049bb133111ebU;
  return static_cast<double>((seed ^ seed >> 31) >> 11) / 9007199254740992.0;
}

std::vector<Point> points_of(const kr::analyze::RunSummary& run, size_t most) {
  const char* bounds[] = {"compute", "memory", "latency", ""};
  const auto substage =
      std::find_if(run.dimensions.begin(), run.dimensions.end(),
                   [](const auto& dimension) { return dimension.dimension == "substage"; });
  const std::vector<kr::analyze::LabelSum>& labels = substage->labels;
  std::vector<Point> points;
  for (size_t i = 0; i < most; ++i) {
    const double intensity = std::pow(10.0, -1 + 3.3 * fraction(4 * i));
    const double roof = std::min(989.4e12, intensity * 3.35e12);
    points.push_back({.key = fmt::format("void kernel_{}<__nv_bfloat16, {}>(float*)", i % 7, i),
                      .label = labels[i % labels.size()].label,
                      .total_ns = int64_t(1000 + 5e8 * std::pow(fraction(4 * i + 1), 6)),
                      .intensity = intensity,
                      .flops_per_s = roof * std::pow(10.0, -2.5 * fraction(4 * i + 2)),
                      .bound = bounds[i % 4]});
  }
  return points;
}

class Rooflines {
 public:
  void add(const std::string& run, const std::vector<Point>& points,
           const std::vector<Roof>& roofs) {
    runs_.push_back({run, points, roofs});
  }

  kr::table::Table roofline() const {
    return {roofline_info, roofline_info.columns, [this](kr::RowSink& sink) {
              for (const Run& run : runs_) {
                for (const Point& point : run.points) row(run.run, point, sink);
              }
            }};
  }
  bool has_roofs() const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [](const Run& run) { return !run.roofs.empty(); });
  }
  kr::table::Table roofs() const {
    return {roofs_info, roofs_info.columns, [this](kr::RowSink& sink) {
              for (const Run& run : runs_) {
                for (const Roof& roof : run.roofs) {
                  sink.row({run.run, "NVIDIA H100 80GB HBM3", roof.kind, roof.name, roof.per_second,
                            roof.source});
                }
              }
            }};
  }

 private:
  struct Run {
    std::string run;
    std::vector<Point> points;
    std::vector<Roof> roofs;
  };
  static void row(const std::string& run, const Point& point, kr::RowSink& sink) {
    const auto known = [](double value) { return value > 0 ? kr::Cell(value) : kr::Cell(); };
    const double roof = std::min(989.4e12, point.intensity * 3.35e12);
    const double ratio = roof > 0 ? point.flops_per_s / roof : 0;
    sink.row(
        {run, point.level, point.key, kr::table::cell_or_nothing(point.label), point.precision,
         point.total_ns > 0 ? kr::Cell(point.total_ns) : kr::Cell(), known(point.flops_per_s),
         known(point.intensity > 0 ? point.flops_per_s / point.intensity : 0),
         known(point.intensity), known(ratio),
         known(ratio) == kr::Cell() ? kr::Cell() : kr::Cell("memory"),
         kr::table::cell_or_nothing(point.bound), 66e12, 3.35e12,
         ratio > 0 ? kr::Cell(int64_t(ratio * static_cast<double>(point.total_ns))) : kr::Cell(),
         point.level == "kernel" ? "ncu" : "shapes", kr::table::cell_or_nothing(point.no_cost)});
  }
  std::vector<Run> runs_;
};

void write(const std::filesystem::path& folder, const std::string& name,
           std::vector<kr::analyze::RunSummary> runs, const Rooflines& rooflines) {
  kr::overview::Report report;
  report.runs = kept(std::move(runs));
  style(report);
  const kr::tables::Source source = source_of(report);
  std::vector<kr::table::Table> tables;
  for (const char* id : {"runs", "notes", "devices", "labels", "kernels"}) {
    tables.push_back(kr::tables::make(*kr::tables::find(id), source));
  }
  tables.push_back(rooflines.roofline());
  if (rooflines.has_roofs()) tables.push_back(rooflines.roofs());
  kr::write_file(folder / (name + ".html"), kr::page::report_html(source, tables, report));
}

}  // namespace

void make(const std::filesystem::path& folder) {
  const kr::analyze::RunSummary run = decode_run("llama_vllm_decode_0", 1, 100'000);
  const kr::analyze::RunSummary other = decode_run("llama_vllm_other_1", 2, 100'000);
  Rooflines one;
  one.add(run.id, points_of(run, 1), {});  // roofs are the peaks of the points
  write(folder, "roofline-one", {run}, one);

  Rooflines several;
  std::vector<Point> six = points_of(run, 6);
  six.push_back({.key = "copy_kernel", .label = "", .precision = "fp32", .total_ns = 5'000'000});
  six.push_back({.key = "<img src=x onerror=\"window.hacked = 1\">",
                 .label = "<b>",
                 .precision = "fp32",
                 .total_ns = 9'000'000,
                 .flops_per_s = 2e9});
  six.push_back({.level = "substage",
                 .key = "gemm",
                 .label = "gemm",
                 .total_ns = 80'000'000,
                 .intensity = 30,
                 .flops_per_s = 50e12,
                 .bound = "memory"});
  for (const char* label : {"gemm", "norm"}) {
    six.push_back({.level = "substage",
                   .key = label,
                   .label = label,
                   .total_ns = 10'000'000,
                   .no_cost = label == std::string_view("gemm") ? "above the peak" : "no FLOPs"});
  }
  several.add(run.id, six, h100);
  std::vector<Point> four = points_of(other, 4);
  four[2].total_ns = 0;  // not known
  several.add(other.id, four, {});
  write(folder, "roofline-six", {run, other}, several);

  Rooflines many;
  many.add(run.id, points_of(run, 200), h100);
  write(folder, "roofline-many", {run}, many);
}

}  // namespace kr::test::roofline_pages

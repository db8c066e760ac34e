#include "report/analysis_sections.hpp"

#include "base/check.hpp"

namespace kr {
namespace {

using Row = std::vector<SectionCell>;
using Rows = std::vector<Row>;

SectionCell optional_cell(const std::optional<int64_t>& number) {
  return number ? SectionCell(*number) : SectionCell();
}

void add_breakdown(const AnalyzedRun& run, Rows& rows) {
  for (const DeviceSum& device : run.summary.devices) {
    rows.push_back({run.summary.id, int64_t{device.device}, device.operations, device.span_ns,
                    device.busy_ns, device.compute_ns, device.communication_ns,
                    device.exposed_communication_ns, device.memory_ns, device.exposed_memory_ns,
                    device.idle_ns});
  }
}

void add_kernels(const AnalyzedRun& run, Rows& rows) {
  for (const KernelStatistics& kernel : run.statistics.kernels) {
    rows.push_back({run.summary.id, int64_t{kernel.device}, kernel.kind, kernel.instances,
                    kernel.total_ns, kernel.share, kernel.min_ns, kernel.max_ns, kernel.mean_ns,
                    kernel.stddev_ns, kernel.name});
  }
}

void add_activity(const AnalyzedRun& run, Rows& rows) {
  for (const ActivityStatistics& type : run.statistics.activity) {
    Row row{run.summary.id, type.type, type.instances, type.total_ns, type.min_ns, type.max_ns};
    for (const Longest& longest : type.longest) {
      row.insert(row.end(), {SectionCell(longest.share), SectionCell(longest.mean_ns)});
    }
    rows.push_back(std::move(row));
  }
}

void add_launches(const AnalyzedRun& run, Rows& rows) {
  if (!run.statistics.launches) return;
  for (const LaunchCalls& calls : run.statistics.launches->by_api) {
    rows.push_back({run.summary.id, calls.instances, calls.operations, calls.total_ns,
                    calls.delay_mean_ns, calls.short_kernels, calls.running_at_next_launch,
                    calls.api});
  }
}

void add_idle(const AnalyzedRun& run, Rows& rows) {
  if (!run.statistics.launches) return;
  const LaunchStatistics& launches = *run.statistics.launches;
  rows.push_back({run.summary.id, launches.linked, launches.orphans, launches.host_bound_ns,
                  launches.other_ns});
}

void add_attribution(const AnalyzedRun& run, Rows& rows) {
  const AttributionSums& sums = run.statistics.attribution;
  rows.push_back({run.summary.id, sums.module_ns, sums.layer_ns, sums.none_ns});
}

void add_phases(const AnalyzedRun& run, Rows& rows) {
  for (const PhasePart& phase : run.statistics.phases) {
    rows.push_back({run.summary.id, phase.instances, phase.total_ns, phase.phase});
  }
}

void add_steps(const AnalyzedRun& run, Rows& rows) {
  for (const PhasePart& step : run.statistics.steps) {
    rows.push_back({run.summary.id, step.phase, optional_cell(step.step), optional_cell(step.layer),
                    step.instances, step.total_ns, step.text});
  }
}

void add_layers(const AnalyzedRun& run, Rows& rows) {
  for (const LayerPart& layers : run.statistics.layers) {
    rows.push_back({run.summary.id, int64_t{layers.device}, static_cast<int64_t>(layers.run.period),
                    static_cast<int64_t>(layers.run.repeats),
                    static_cast<int64_t>(layers.run.level), layers.run.total_ns,
                    layers.per_layer_mean_ns, layers.evidence});
  }
}

struct Part {
  const char* name;
  const char* title;
  std::vector<SectionColumn> columns;  // after the run
  void (*add)(const AnalyzedRun& run, Rows& rows);
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all{
      {"breakdown",
       "devices",
       {{"device", Unit::text},
        {"operations", Unit::count},
        {"span_ns", Unit::time},
        {"busy_ns", Unit::time},
        {"compute_ns", Unit::time},
        {"communication_ns", Unit::time},
        {"exposed_communication_ns", Unit::time},
        {"memory_ns", Unit::time},
        {"exposed_memory_ns", Unit::time},
        {"idle_ns", Unit::time}},
       add_breakdown},
      {"kernels",
       "kernels",
       {{"device", Unit::text},
        {"kind", Unit::text},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"share", Unit::share},
        {"min_ns", Unit::time},
        {"max_ns", Unit::time},
        {"mean_ns", Unit::time},
        {"stddev_ns", Unit::time},
        {"name", Unit::text}},
       add_kernels},
      {"activity",
       "types of activity, with what the longest 1, 5 and 10 % of each take",
       {{"type", Unit::text},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"min_ns", Unit::time},
        {"max_ns", Unit::time},
        {"share_1", Unit::share},
        {"mean_1_ns", Unit::time},
        {"share_5", Unit::share},
        {"mean_5_ns", Unit::time},
        {"share_10", Unit::share},
        {"mean_10_ns", Unit::time}},
       add_activity},
      {"launches",
       "launches by call",
       {{"instances", Unit::count},
        {"operations", Unit::count},
        {"total_ns", Unit::time},
        {"delay_mean_ns", Unit::time},
        {"short_kernels", Unit::count},
        {"running_at_next_launch", Unit::count},
        {"api", Unit::text}},
       add_launches},
      {"idle",
       "operations with and without a launch, and why devices were idle",
       {{"linked", Unit::count},
        {"orphans", Unit::count},
        {"host_bound_ns", Unit::time},
        {"other_ns", Unit::time}},
       add_idle},
      {"attribution",
       "time in modules, in layers outside of modules, in neither",
       {{"module_ns", Unit::time}, {"layer_ns", Unit::time}, {"none_ns", Unit::time}},
       add_attribution},
      {"phases",
       "phases",
       {{"instances", Unit::count}, {"total_ns", Unit::time}, {"phase", Unit::text}},
       add_phases},
      {"steps",
       "steps",
       {{"phase", Unit::text},
        {"step", Unit::text},
        {"layer", Unit::text},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"text", Unit::text}},
       add_steps},
      {"layers",
       "layers, as repeating stretches of kernels",
       {{"device", Unit::text},
        {"period", Unit::count},
        {"repeats", Unit::count},
        {"level", Unit::count},
        {"total_ns", Unit::time},
        {"per_layer_mean_ns", Unit::time},
        {"evidence", Unit::text}},
       add_layers},
  };
  return all;
}

void add_names_only_in(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  std::vector<RunSummary> summaries;
  summaries.reserve(runs.size());
  for (const AnalyzedRun& run : runs) summaries.push_back(run.summary);
  for (const NameOnlyIn& one : names_only_in(summaries)) {
    rows.push_back({runs[one.run].summary.id, one.instances, one.total_ns, one.name});
  }
}

constexpr const char* only_in = "names_only_in";

}  // namespace

const std::vector<std::string>& analysis_parts() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Part& part : parts()) all.emplace_back(part.name);
    all.emplace_back(only_in);
    return all;
  }();
  return names;
}

Section section(const std::vector<AnalyzedRun>& runs, const std::string& part) {
  Section out;
  out.part = part;
  out.columns.push_back({"run", Unit::text});
  if (part == only_in) {
    out.title = "names that some runs have and others lack";
    out.columns.insert(
        out.columns.end(),
        {{"instances", Unit::count}, {"total_ns", Unit::time}, {"name", Unit::text}});
    add_names_only_in(runs, out.rows);
    return out;
  }
  for (const Part& one : parts()) {
    if (one.name != part) continue;
    out.title = one.title;
    out.columns.insert(out.columns.end(), one.columns.begin(), one.columns.end());
    for (const AnalyzedRun& run : runs) one.add(run, out.rows);
    return out;
  }
  KR_CHECK(false);
}

}  // namespace kr

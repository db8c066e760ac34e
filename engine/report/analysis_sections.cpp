#include "report/analysis_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "report/analysis_parts.hpp"

namespace kr {

double share_of(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

SectionCell optional_cell(const std::optional<int64_t>& number) {
  return number ? SectionCell(*number) : SectionCell();
}

namespace {

using Row = SectionRow;
using Rows = SectionRows;

void add_breakdown(const AnalyzedRun& run, Rows& rows) {
  for (const DeviceSum& device : run.summary.devices) {
    rows.push_back({run.summary.id, int64_t{device.device}, device.operations, device.span_ns,
                    device.busy_ns, device.compute_ns, device.communication_ns,
                    device.exposed_communication_ns, device.memory_ns, device.exposed_memory_ns,
                    device.idle_ns});
  }
}

void add_kernels(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  const std::vector<RankNumber> ranks = rank_numbers(summaries_of(runs));
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const KernelStatistics& kernel : runs[i].statistics.kernels) {
      rows.push_back({runs[i].summary.id, ranks[i].rank, int64_t{kernel.device}, kernel.kind,
                      kernel.instances, kernel.total_ns, kernel.share, kernel.min_ns, kernel.max_ns,
                      kernel.mean_ns, kernel.stddev_ns, kernel.name});
    }
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

void add_queues(const AnalyzedRun& run, Rows& rows) {
  if (!run.statistics.launches) return;
  for (const StreamQueue& queue : run.statistics.launches->queues) {
    rows.push_back({run.summary.id, int64_t{queue.device}, queue.stream, queue.launches,
                    queue.operations, queue.mean, queue.max, queue.time_weighted_mean});
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

constexpr size_t few_labels = 3;

/// `gemm 61 %, attention 20 %, norm 8 %`: of the dimension that reports use.
std::string largest_labels(const LabelParts& parts) {
  if (parts.empty()) return {};
  const auto named = std::find_if(parts.begin(), parts.end(),
                                  [](const auto& part) { return part.first == "substage"; });
  const std::vector<LabelPart>& labels = (named == parts.end() ? parts.begin() : named)->second;
  int64_t total_ns = 0;
  for (const LabelPart& label : labels) total_ns += label.total_ns;
  std::string out;
  for (size_t i = 0; i < std::min(few_labels, labels.size()); ++i) {
    out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", labels[i].label,
                       100 * share_of(labels[i].total_ns, total_ns));
  }
  return out;
}

void add_phases(const AnalyzedRun& run, Rows& rows) {
  for (const PhasePart& phase : run.statistics.steps.phases) {
    rows.push_back({run.summary.id, phase.phase, phase.steps, optional_cell(phase.batch),
                    optional_cell(phase.tokens), phase.instances, phase.total_ns, phase.busy_ns,
                    largest_labels(phase.labels)});
  }
}

void add_steps(const AnalyzedRun& run, Rows& rows) {
  for (const StepPart& step : run.statistics.steps.steps) {
    rows.push_back({run.summary.id, step.phase, optional_cell(step.step), optional_cell(step.layer),
                    optional_cell(step.batch), optional_cell(step.tokens), step.instances,
                    step.total_ns, step.time.span_ns, step.time.busy_ns,
                    step.time.exposed_communication_ns, step.time.idle_ns,
                    largest_labels(step.labels), step.text});
  }
}

/// A row a label, each behind the cells of `front`.
void add_labels(const Row& front, const LabelParts& parts, int64_t total_ns, Rows& rows) {
  for (const auto& [dimension, labels] : parts) {
    for (const LabelPart& label : labels) {
      Row& row = rows.emplace_back(front);
      row.insert(row.end(), {dimension, label.label, label.instances, label.total_ns,
                             share_of(label.total_ns, total_ns)});
    }
  }
}

void add_phase_labels(const AnalyzedRun& run, Rows& rows) {
  for (const PhasePart& phase : run.statistics.steps.phases) {
    add_labels({run.summary.id, phase.phase}, phase.labels, phase.total_ns, rows);
  }
}

void add_step_labels(const AnalyzedRun& run, Rows& rows) {
  for (const StepPart& step : run.statistics.steps.steps) {
    add_labels({run.summary.id, step.phase, optional_cell(step.step), step.text}, step.labels,
               step.total_ns, rows);
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

using Role = SectionColumn::Role;

/// Rows of one run after those of another.
template <void (*add)(const AnalyzedRun&, Rows&)>
void each(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  for (const AnalyzedRun& run : runs) add(run, rows);
}

}  // namespace

const std::vector<AnalysisPart>& all_parts() {
  static const std::vector<AnalysisPart> all{
      {"breakdown",
       "devices",
       true,
       {{"run", Unit::text, Role::run},
        {"device", Unit::text},
        {"operations", Unit::count},
        {"span_ns", Unit::time},
        {"busy_ns", Unit::time},
        {"compute_ns", Unit::time},
        {"communication_ns", Unit::time},
        {"exposed_communication_ns", Unit::time},
        {"memory_ns", Unit::time},
        {"exposed_memory_ns", Unit::time},
        {"idle_ns", Unit::time}},
       each<add_breakdown>},
      {"idle",
       "operations with and without a launch, and why devices were idle",
       true,
       {{"run", Unit::text, Role::run},
        {"linked", Unit::count},
        {"orphans", Unit::count},
        {"host_bound_ns", Unit::time},
        {"other_ns", Unit::time}},
       each<add_idle>},
      ranks_part(),
      balance_part(),
      rank_steps_part(),
      collectives_part(),
      {"phases",
       "phases",
       true,
       {{"run", Unit::text, Role::run},
        {"phase", Unit::text},
        {"steps", Unit::count},
        {"batch", Unit::count},
        {"tokens", Unit::count},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"busy_ns", Unit::time},
        {"labels", Unit::text, Role::sketch}},
       each<add_phases>},
      {"steps",
       "steps",
       true,
       {{"run", Unit::text, Role::run},
        {"phase", Unit::text},
        {"step", Unit::text},
        {"layer", Unit::text},
        {"batch", Unit::count},
        {"tokens", Unit::count},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"span_ns", Unit::time},
        {"busy_ns", Unit::time},
        {"exposed_communication_ns", Unit::time},
        {"idle_ns", Unit::time},
        {"labels", Unit::text, Role::sketch},
        {"text", Unit::text}},
       each<add_steps>},
      {"phase_labels",
       "phases by label",
       false,
       {{"run", Unit::text, Role::run},
        {"phase", Unit::text},
        {"dimension", Unit::text},
        {"label", Unit::text},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"share", Unit::share}},
       each<add_phase_labels>},
      {"step_labels",
       "steps by label",
       false,
       {{"run", Unit::text, Role::run},
        {"phase", Unit::text},
        {"step", Unit::text},
        {"text", Unit::text},
        {"dimension", Unit::text},
        {"label", Unit::text},
        {"instances", Unit::count},
        {"total_ns", Unit::time},
        {"share", Unit::share}},
       each<add_step_labels>},
      {"layers",
       "layers, as repeating stretches of kernels",
       true,
       {{"run", Unit::text, Role::run},
        {"device", Unit::text},
        {"period", Unit::count},
        {"repeats", Unit::count},
        {"level", Unit::count},
        {"total_ns", Unit::time},
        {"per_layer_mean_ns", Unit::time},
        {"evidence", Unit::text}},
       each<add_layers>},
      {"kernels",
       "kernels",
       true,
       {{"run", Unit::text, Role::run},
        {"rank", Unit::text, Role::run},
        {"device", Unit::text},
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
      {"launches",
       "launches by call",
       true,
       {{"run", Unit::text, Role::run},
        {"instances", Unit::count},
        {"operations", Unit::count},
        {"total_ns", Unit::time},
        {"delay_mean_ns", Unit::time},
        {"short_kernels", Unit::count},
        {"running_at_next_launch", Unit::count},
        {"api", Unit::text}},
       each<add_launches>},
      {"queues",
       "operations asked for and not yet begun, when the host asks for more",
       true,
       {{"run", Unit::text, Role::run},
        {"device", Unit::text},
        {"stream", Unit::text},
        {"launches", Unit::count},
        {"operations", Unit::count},
        {"mean", Unit::number},
        {"max", Unit::count},
        {"time_weighted_mean", Unit::number}},
       each<add_queues>},
      {"activity",
       "types of activity, with what the longest 1, 5 and 10 % of each take",
       true,
       {{"run", Unit::text, Role::run},
        {"type", Unit::text},
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
       each<add_activity>},
      compare_part(),
      {"attribution",
       "time in modules, in layers outside of modules, in neither",
       true,
       {{"run", Unit::text, Role::run},
        {"module_ns", Unit::time},
        {"layer_ns", Unit::time},
        {"none_ns", Unit::time}},
       each<add_attribution>},
      names_only_in_part(),
  };
  return all;
}

const std::vector<std::string>& analysis_parts() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const AnalysisPart& part : all_parts()) all.push_back(part.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& default_parts() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const AnalysisPart& part : all_parts()) {
      if (part.by_default) all.push_back(part.name);
    }
    return all;
  }();
  return names;
}

Section section(const std::vector<AnalyzedRun>& runs, const std::string& part) {
  const auto found = std::find_if(all_parts().begin(), all_parts().end(),
                                  [&](const AnalysisPart& one) { return one.name == part; });
  KR_CHECK(found != all_parts().end());
  Section out{part, found->title, found->columns, {}};
  found->add(runs, out.rows);
  return out;
}

}  // namespace kr

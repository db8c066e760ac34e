#include "export/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/printable.hpp"
#include "overview/efficiency_text.hpp"
#include "overview/health_line.hpp"
#include "overview/phases_text.hpp"
#include "page/pages.hpp"
#include "tables/registry.hpp"
#include "tables/tree.hpp"

namespace kr::exports {

const View& view_named(std::string_view verb) {
  static const std::array views{
      View{"report",
           "result",
           {"verdicts",
            "optimize_first",
            "ncu_match",
            "ncu_kernels",
            "roofline",
            "roofline_roofs",
            "fusions",
            "overlaps",
            "order_kernels",
            "devices",
            "phases",
            "idle",
            "coverage",
            "labels",
            "label_balance",
            "ranks",
            "rank_balance",
            "efficiency",
            "efficiency_labels",
            "scaling",
            "kernels",
            "kernel_balance"},
           {"steps", "phase_labels", "step_labels", "found_phases", "found_agreement", "layers",
            "idle_calls", "memory", "memory_phases", "memory_modules"}},
      View{"analyze",
           "analysis",
           {"verdicts",
            "optimize_first",
            "optimize_labels",
            "fusions",
            "overlaps",
            "order_kernels",
            "order_coverage",
            "ncu_match",
            "ncu_kernels",
            "roofline",
            "roofline_roofs",
            "devices",
            "launch_matching",
            "idle",
            "idle_calls",
            "synchronizations",
            "os_waits",
            "ranks",
            "rank_balance",
            "efficiency",
            "efficiency_steps",
            "efficiency_labels",
            "efficiency_host",
            "scaling",
            "rank_step_balance",
            "rank_steps",
            "clocks",
            "collective_balance",
            "collective_bandwidth",
            "collectives",
            "point_to_point",
            "collective_overlap",
            "collective_overlap_labels",
            "collective_overlap_layers",
            "collective_overlap_phases",
            "collective_overlap_steps",
            "moe_exchange_sums",
            "moe_exchange_balance",
            "moe_exchange_labels",
            "moe_exchanges",
            "phases",
            "steps",
            "phase_labels",
            "step_labels",
            "gpu_utilization",
            "gpu_clock",
            "gpu_power",
            "gpu_metrics",
            "gpu_metric_balance",
            "gpu_metric_label_balance",
            "gpu_metric_phase_balance",
            "gpu_metric_labels",
            "gpu_metric_phases",
            "memory",
            "memory_phases",
            "found_phases",
            "found_steps",
            "found_phase_labels",
            "found_agreement",
            "layers",
            "kernels_by_device",
            "launches",
            "launch_queue",
            "activity",
            "activity_longest",
            "activity_ratios",
            "attribution",
            "names_only_in",
            "trace_health"},
           {"coverage", "labels", "label_balance", "kernels", "kernel_balance", "memory_modules"}},
      View{"tree",
           "tree",
           {"tree", "tree_steps", "tree_trends", "tree_layers", "tree_attribution", "tree_context",
            "module_costs", "module_devices"}},
      View{"diff",
           "difference",
           {"comparison", "conditions", "phase_changes", "label_changes", "substitutions",
            "name_changes", "rule_changes", "model_changes", "setting_changes", "changed_names"}},
      View{"coverage",
           "coverage",
           {"coverage", "unexplained", "unexplained_names", "unexplained_runs", "cost_coverage",
            "cost_gaps"}},
      View{"why",
           "explanations",
           {"explanations", "explanation_alternatives", "explanation_costs", "explanation_tools"}},
  };
  const auto* const at = std::ranges::find(views, verb, &View::verb);
  if (at != views.end()) return *at;
  std::vector<std::string> verbs;
  verbs.reserve(views.size());
  for (const View& one : views) verbs.emplace_back(one.verb);
  throw Error("", fmt::format("`{}` is not a view", verb),
              fmt::format("choose from {}", join(verbs, ", ")));
}

void report_markdown(const tables::Source& source, const overview::Report& report,
                     std::span<const Table> tables, const render::Bytes& out) {
  out(overview::markdown_health(source));
  out(overview::markdown_efficiency(source));
  out(overview::markdown_found_phases(source));
  render::markdown(tables, out);
  if (const auto next = overview::next_step(report)) {
    out(fmt::format("\n{}\n\n    {}\n", next->text, printable(next->command)));
  }
}

std::string all_sections_text(const tables::Source& source, const overview::Report& report,
                              overview::TableOptions look) {
  return overview::answer_text(source, report, look) + '\n' +
         overview::efficiency_text(source, look);
}

std::string tree_page(const tables::Source& source, const trees::TreeView& view,
                      trees::Metric metric) {
  std::vector<Table> costs;
  for (const char* const id : {"module_costs", "module_devices"}) {
    const tables::Definition& one = *tables::find(id);
    if (tables::absent(one, source).empty()) costs.push_back(tables::make(one, source));
  }
  const tables::Tree& tree = *source.tree;
  return page::to_tree_html(source.rules->program(), view, {tree.run, tree.engine, tree.model},
                            metric, {}, std::move(costs));
}

void tree_text(const tables::Source& source, const trees::TreeView& view, trees::Metric metric,
               overview::TableOptions look, const render::Bytes& out) {
  const tables::Tree& tree = *source.tree;
  overview::write_tree_text(view, {tree.run, tree.engine, tree.model}, metric, look, out);
  out(overview::module_costs_text(source, look));
}

}  // namespace kr::exports

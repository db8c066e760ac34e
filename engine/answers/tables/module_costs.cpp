// What a profile of module trees itself says of FLOPs and bytes, and of its devices.
#include "cost/module_costs.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"
#include "cost/costed_run.hpp"
#include "ncu/gpus.hpp"
#include "tables/columns.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"
#include "trees/names.hpp"

namespace kr::tables {
namespace {

using cost::Peaks;
using cost::SubtreeCost;

const trace::ModuleTrace& recorded_tree(const Source& source) {
  return source.tree->view->modules().trace;
}

/// `16`, or `8 and 16`; empty: no width is known.
std::string operand_bits(const SubtreeCost& sum) {
  constexpr std::array<const char*, trace::flop_widths> texts{"", "8", "16", "32", "64"};
  std::string bits;
  for (const trace::FlopWidth width : trace::all_flop_widths) {
    const std::string text = texts[static_cast<size_t>(width)];
    if (sum.flops(width).value_or(0) == 0 || text.empty()) continue;
    bits += (bits.empty() ? "" : " and ") + text;
  }
  return bits;
}

/// Whole where it is.
Cell amount(const std::optional<double>& number) {
  constexpr double max_exact = 9007199254740992;  // 2^53
  if (!number || *number > max_exact || *number != std::floor(*number)) return table::cell(number);
  return static_cast<int64_t>(*number);
}

std::string above_peak(const SubtreeCost& sum) {
  const auto above = [](const std::optional<double>& ratio) { return ratio && *ratio > 1; };
  const bool flops = above(sum.flops_peak_ratio());
  if (!flops && !above(sum.bytes_peak_ratio())) return {};
  return fmt::format("above the peak: the recorded {} or the peak are wrong",
                     flops ? "FLOPs" : "bytes");
}

struct ModuleCostRow : Parts<Tree, trace::ModuleNode, SubtreeCost> {
  size_t step;
  size_t node;
  std::string_view path;
  std::string_view name;
  std::string_view label;
};

void add_module_costs(const Source& source, Rows<ModuleCostRow>& rows) {
  const trees::TreeView& view = *source.tree->view;
  const trace::ModuleTrace& trace = recorded_tree(source);
  std::vector<trace::ModuleNode> nodes;
  for (const trees::ViewStep& shown : view.steps()) {
    const size_t step = shown.of[0];
    trace.expand(step, nodes);
    const std::vector<SubtreeCost> sums = cost::subtree_costs(trace, step, nodes, source.tree->gpu);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const SubtreeCost& sum = sums[i];
      if (!sum.flops() && !sum.bytes_per_s() && !sum.bytes()) continue;
      const trace::ModuleNode& node = nodes[i];
      rows.add({{*source.tree, node, sum},
                step,
                i,
                trees::path_text(trace, node.path),
                trace.name(node.path),
                view.label(view.merged_of(node.path))});
    }
  }
}

std::string without_module_costs(const Source& source) {
  const trace::ModuleTrace& trace = recorded_tree(source);
  if (!trace.costs) {
    return "only profiles of Proton record FLOPs and bytes of nodes; of traces with shapes of ops, "
           "`kr analyze --tables cost_rates` has them by module";
  }
  if (trace.costs->has_amounts) return {};
  return "the profile records neither FLOPs nor bytes: give them to Proton with a kernel's "
         "`launch_metadata`, or a scope's metrics";
}

using trace::ProfiledDevice;

Cell hertz(const std::optional<int64_t>& khz) {
  return khz ? amount(static_cast<double>(*khz) * 1000) : Cell();
}

using ModuleDeviceRow = Parts<Tree, ProfiledDevice>;
void add_module_devices(const Source& source, Rows<ModuleDeviceRow>& rows) {
  for (const ProfiledDevice& one : recorded_tree(source).costs->devices) {
    rows.add({*source.tree, one});
  }
}

std::string without_module_devices(const Source& source) {
  const trace::ModuleTrace& trace = recorded_tree(source);
  if (!trace.costs) return "only profiles of Proton describe their devices so";
  return trace.costs->devices.empty() ? "the profile describes no device" : "";
}

}  // namespace

const Definition module_costs_table = TableOf<ModuleCostRow>{
    {"module_costs",
     "costs of modules",
     "One row per run, step and node whose FLOPs or bytes the profile records, for it or for nodes "
     "below it: what they are, per second and against the peak. In the order of the trees.",
     {{head::run, &Tree::run},
      {head::step_of_trees, &ModuleCostRow::step},
      {"node", Unit::id, Role::key, "The number of the node in its step, from 0.",
       &ModuleCostRow::node},
      {"path", Unit::text, Role::key,
       "All names from the root to the node, joined with ` > `. Equal paths are different nodes.",
       &ModuleCostRow::path},
      {"name", Unit::name, Role::key, "The name of the node.", &ModuleCostRow::name},
      {"label", Unit::text, Role::measure,
       "The label of the node in the chosen dimension, or its name if no rule labels it.",
       &ModuleCostRow::label, optional},
      {"launches", Unit::count, Role::measure,
       "How many kernels were launched in the node, those below it included.",
       &trace::ModuleNode::invocations},
      {"total_ns", Unit::ns, Role::measure, "The time of all kernels in the node.",
       &trace::ModuleNode::total_ns},
      {"flops", Unit::flop, Role::measure,
       "The sum of the recorded FLOPs; nothing if none are recorded.",
       [](const SubtreeCost& sum) { return amount(sum.flops()); }, optional},
      {"operand_bits", Unit::text, Role::measure,
       "The width of the operands of these FLOPs, as recorded: `16`, or several as `8 and 16`; "
       "nothing if it is not recorded.",
       operand_bits, optional},
      {"flops_ns", Unit::ns, Role::detail,
       "The time of the nodes that record FLOPs, with all below them: `flops_per_s` divides by it.",
       [](const SubtreeCost& sum) { return cell_if(sum.flops().has_value(), sum.flops_ns()); },
       optional},
      {"bytes", Unit::bytes, Role::measure,
       "The sum of the recorded bytes; nothing if none are recorded.", &SubtreeCost::bytes,
       optional},
      {"bytes_ns", Unit::ns, Role::detail, "The same time for `bytes_per_s`.",
       [](const SubtreeCost& sum) { return cell_if(sum.bytes().has_value(), sum.bytes_ns()); },
       optional},
      {"flops_per_s", Unit::per_second, Role::measure, "FLOPs per second of `flops_ns`.",
       &SubtreeCost::flops_per_s, optional},
      {"flops_peak_ratio", Unit::ratio, Role::measure,
       "The same as a part of the peak of the GPU that `--gpu` names, for operands of this width; "
       "nothing if the peaks of the types of this width differ: 8 bits are FP8 or INT8, 32 bits "
       "FP32 or TF32.",
       [](const SubtreeCost& sum) { return sum.flops_peak_ratio(); }, optional},
      {"measured_flops_peak_ratio", Unit::ratio, Role::measure,
       "The same of what this GPU reached: of the peak that was measured (`--peaks`), if `--gpu` "
       "names that GPU. Above 1 the node is faster than what was measured.",
       [](const SubtreeCost& sum) { return sum.flops_peak_ratio(Peaks::measured); }, optional},
      {"bytes_per_s", Unit::per_second, Role::measure, "Bytes per second of `bytes_ns`.",
       &SubtreeCost::bytes_per_s, optional},
      {"bytes_peak_ratio", Unit::ratio, Role::measure,
       "The same as a part of the bandwidth of the device's memory: see `peak_bytes_per_s`.",
       [](const SubtreeCost& sum) { return sum.bytes_peak_ratio(); }, optional},
      {"measured_bytes_peak_ratio", Unit::ratio, Role::measure,
       "The same of what this GPU reached: of the bandwidth that was measured (`--peaks`).",
       [](const SubtreeCost& sum) { return sum.bytes_peak_ratio(Peaks::measured); }, optional},
      {"intensity", Unit::factor, Role::measure,
       "FLOPs per byte, if both are recorded for the same nodes.", &SubtreeCost::intensity,
       optional},
      {"bound", Unit::text, Role::measure,
       "What the roof is at this intensity: `compute` or `memory`.", &SubtreeCost::bound, optional},
      {"peak_flops_per_s", Unit::per_second, Role::detail,
       "The peak that `flops_peak_ratio` compares with; of several widths by their FLOPs.",
       [](const SubtreeCost& sum) { return sum.peak_flops_per_s(); }, optional},
      {"measured_peak_flops_per_s", Unit::per_second, Role::detail,
       "The same of `measured_flops_peak_ratio`.",
       [](const SubtreeCost& sum) { return sum.peak_flops_per_s(Peaks::measured); }, optional},
      {"peak_bytes_per_s", Unit::per_second, Role::detail,
       "The bandwidth by the bus width and memory clock in the profile, two transfers per clock "
       "(see `module_devices`), or else by the data sheet of the GPU that `--gpu` names; nothing "
       "if the node's devices differ.",
       [](const SubtreeCost& sum) { return sum.peak_bytes_per_s(); }, optional},
      {"measured_peak_bytes_per_s", Unit::per_second, Role::detail,
       "The bandwidth that was measured; nothing if the node's devices differ.",
       [](const SubtreeCost& sum) { return sum.peak_bytes_per_s(Peaks::measured); }, optional},
      {"check", Unit::text, Role::measure,
       "That a rate is above the peak, so what is recorded or the peak is wrong; nothing if it is "
       "not.",
       above_peak, optional}}},
    needs<Tree>,
    add_module_costs,
    without_module_costs,
    facts::Reads::nothing,
    nullptr,
    "total_ns"};

const Definition module_devices_table = TableOf<ModuleDeviceRow>{
    {"module_devices",
     "devices of the profile",
     "One row per run and device that the profile of module trees describes.",
     {{head::run, &Tree::run},
      {"type", Unit::text, Role::key, "`CUDA` or `HIP`.", &ProfiledDevice::type},
      {"device", Unit::text, Role::key, "Its number, as the profile has it.", &ProfiledDevice::id},
      {"arch", Unit::text, Role::measure,
       "Its architecture: `90` is compute capability 9.0; `gfx942`.", &ProfiledDevice::arch,
       optional},
      {"sms", Unit::count, Role::measure, "How many multiprocessors it has.", &ProfiledDevice::sms,
       optional},
      {"clock_hz", Unit::hz, Role::measure, "The highest clock of these.",
       [](const ProfiledDevice& one) { return hertz(one.clock_khz); }, optional},
      {"memory_clock_hz", Unit::hz, Role::measure, "The highest clock of its memory.",
       [](const ProfiledDevice& one) { return hertz(one.memory_clock_khz); }, optional},
      {"bus_bits", Unit::count, Role::measure, "The width of the bus to its memory.",
       &ProfiledDevice::bus_width_bits, optional},
      {"peak_bytes_per_s", Unit::per_second, Role::measure,
       "2 × `bus_bits` × `memory_clock_hz` ÷ 8. Memory that transfers more than twice per clock "
       "has a higher bandwidth.",
       &ProfiledDevice::peak_bytes_per_s, optional}}},
    needs<Tree>,
    add_module_devices,
    without_module_devices};

}  // namespace kr::tables

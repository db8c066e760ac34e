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
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"
#include "trees/names.hpp"

namespace kr::tables {
namespace {

const trace::ModuleTrace& recorded_tree(const Source& source) {
  return source.tree->view->modules().trace;
}

/// `16`, or `8 and 16`; empty: no width is known.
std::string operand_bits(const cost::SubtreeCost& sum) {
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

std::string above_peak(const cost::SubtreeCost& sum) {
  const auto above = [](const std::optional<double>& ratio) { return ratio && *ratio > 1; };
  const bool flops = above(sum.flops_peak_ratio());
  if (!flops && !above(sum.bytes_peak_ratio())) return {};
  return fmt::format("above the peak: the recorded {} or the peak are wrong",
                     flops ? "FLOPs" : "bytes");
}

void add_module_costs(const Source& source, RowSink& sink) {
  const trees::TreeView& view = *source.tree->view;
  const trace::ModuleTrace& trace = recorded_tree(source);
  std::vector<trace::ModuleNode> nodes;
  for (const trees::ViewStep& shown : view.steps()) {
    const size_t step = shown.of[0];
    trace.expand(step, nodes);
    const std::vector<cost::SubtreeCost> sums =
        cost::subtree_costs(trace, step, nodes, source.tree->gpu);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const cost::SubtreeCost& sum = sums[i];
      const std::optional<double> flops = sum.flops();
      const std::optional<int64_t> bytes = sum.bytes();
      if (!flops && !sum.bytes_per_s() && !bytes) continue;
      const trace::ModuleNode& node = nodes[i];
      const std::string path = trees::path_text(trace, node.path);
      const std::string bits = operand_bits(sum);
      const std::string check = above_peak(sum);
      sink.row({source.tree->run,
                static_cast<int64_t>(step),
                static_cast<int64_t>(i),
                std::string_view(path),
                trace.name(node.path),
                table::cell_or_nothing(view.label(view.merged_of(node.path))),
                node.invocations,
                node.total_ns,
                amount(flops),
                table::cell_or_nothing(bits),
                flops ? Cell(sum.flops_ns()) : Cell(),
                table::cell(bytes),
                bytes ? Cell(sum.bytes_ns()) : Cell(),
                table::cell(sum.flops_per_s()),
                table::cell(sum.flops_peak_ratio()),
                table::cell(sum.bytes_per_s()),
                table::cell(sum.bytes_peak_ratio()),
                table::cell(sum.intensity()),
                table::cell_or_nothing(sum.bound()),
                table::cell(sum.peak_flops_per_s()),
                table::cell(sum.peak_bytes_per_s()),
                table::cell_or_nothing(check)});
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

void add_module_devices(const Source& source, RowSink& sink) {
  for (const trace::ProfiledDevice& one : recorded_tree(source).costs->devices) {
    const auto hertz = [](const std::optional<int64_t>& khz) {
      return khz ? amount(static_cast<double>(*khz) * 1000) : Cell();
    };
    sink.row({source.tree->run, one.type, one.id, table::cell_or_nothing(one.arch),
              table::cell(one.sms), hertz(one.clock_khz), hertz(one.memory_clock_khz),
              table::cell(one.bus_width_bits), table::cell(one.peak_bytes_per_s())});
  }
}

std::string without_module_devices(const Source& source) {
  const trace::ModuleTrace& trace = recorded_tree(source);
  if (!trace.costs) return "only profiles of Proton describe their devices so";
  return trace.costs->devices.empty() ? "the profile describes no device" : "";
}

Column if_known(const char* id, Unit unit, Role role, const char* doc) {
  return {id, unit, role, doc, true};
}

}  // namespace

const Definition module_costs_table{
    {"module_costs",
     "costs of modules",
     "One row per run, step and node whose FLOPs or bytes the profile records, for it or for nodes "
     "below it: what they are, per second and against the peak. In the order of the trees.",
     {{"run", Unit::text, Role::key, "The run."},
      {"step_id", Unit::id, Role::key, "The number of the step among all steps, from 0."},
      {"node", Unit::id, Role::key, "The number of the node in its step, from 0."},
      {"path", Unit::text, Role::key,
       "All names from the root to the node, joined with ` > `. Equal paths are different nodes."},
      {"name", Unit::name, Role::key, "The name of the node."},
      if_known("label", Unit::text, Role::measure,
               "The label of the node in the chosen dimension, or its name if no rule labels it."),
      {"launches", Unit::count, Role::measure,
       "How many kernels were launched in the node, those below it included."},
      {"total_ns", Unit::ns, Role::measure, "The time of all kernels in the node."},
      if_known("flops", Unit::flop, Role::measure,
               "The sum of the recorded FLOPs; nothing if none are recorded."),
      if_known("operand_bits", Unit::text, Role::measure,
               "The width of the operands of these FLOPs, as recorded: `16`, or several as `8 and "
               "16`; nothing if it is not recorded."),
      if_known("flops_ns", Unit::ns, Role::detail,
               "The time of the nodes that record FLOPs, with all below them: `flops_per_s` "
               "divides by it."),
      if_known("bytes", Unit::bytes, Role::measure,
               "The sum of the recorded bytes; nothing if none are recorded."),
      if_known("bytes_ns", Unit::ns, Role::detail, "The same time for `bytes_per_s`."),
      if_known("flops_per_s", Unit::per_second, Role::measure, "FLOPs per second of `flops_ns`."),
      if_known("flops_peak_ratio", Unit::ratio, Role::measure,
               "The same as a part of the peak of the GPU that `--gpu` names, for operands of this "
               "width; nothing if the peaks of the types of this width differ: 8 bits are FP8 or "
               "INT8, 32 bits FP32 or TF32."),
      if_known("bytes_per_s", Unit::per_second, Role::measure, "Bytes per second of `bytes_ns`."),
      if_known("bytes_peak_ratio", Unit::ratio, Role::measure,
               "The same as a part of the bandwidth of the device's memory: see "
               "`peak_bytes_per_s`."),
      if_known("intensity", Unit::factor, Role::measure,
               "FLOPs per byte, if both are recorded for the same nodes."),
      if_known("bound", Unit::text, Role::measure,
               "What the roof is at this intensity: `compute` or `memory`."),
      if_known("peak_flops_per_s", Unit::per_second, Role::detail,
               "The peak that `flops_peak_ratio` compares with; of several widths by their FLOPs."),
      if_known("peak_bytes_per_s", Unit::per_second, Role::detail,
               "The bandwidth by the bus width and memory clock in the profile, two transfers per "
               "clock (see `module_devices`), or else by the data sheet of the GPU that `--gpu` "
               "names; nothing if the node's devices differ."),
      if_known("check", Unit::text, Role::measure,
               "That a rate is above the peak, so what is recorded or the peak is wrong; nothing "
               "if it is not.")}},
    needs<Tree>,
    add_module_costs,
    without_module_costs,
    facts::Reads::nothing,
    nullptr,
    "total_ns"};

const Definition module_devices_table{
    {"module_devices",
     "devices of the profile",
     "One row per run and device that the profile of module trees describes.",
     {{"run", Unit::text, Role::key, "The run."},
      {"type", Unit::text, Role::key, "`CUDA` or `HIP`."},
      {"device", Unit::text, Role::key, "Its number, as the profile has it."},
      if_known("arch", Unit::text, Role::measure,
               "Its architecture: `90` is compute capability 9.0; `gfx942`."),
      if_known("sms", Unit::count, Role::measure, "How many multiprocessors it has."),
      if_known("clock_hz", Unit::hz, Role::measure, "The highest clock of these."),
      if_known("memory_clock_hz", Unit::hz, Role::measure, "The highest clock of its memory."),
      if_known("bus_bits", Unit::count, Role::measure, "The width of the bus to its memory."),
      if_known("peak_bytes_per_s", Unit::per_second, Role::measure,
               "2 × `bus_bits` × `memory_clock_hz` ÷ 8. Memory that transfers more than twice per "
               "clock has a higher bandwidth.")}},
    needs<Tree>,
    add_module_devices,
    without_module_devices};

}  // namespace kr::tables

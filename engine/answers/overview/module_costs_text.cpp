// Costs of modules for a terminal.
#include <string>
#include <vector>

#include "overview/overview.hpp"
#include "overview/part.hpp"
#include "render/render.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
#include "tables/tree.hpp"

namespace kr::overview {
namespace {

constexpr size_t max_costs = 20;

}  // namespace

std::string module_costs_text(const tables::Source& source, TableOptions options) {
  const tables::Definition& costs = *tables::find("module_costs");
  if (!tables::absent(costs, source).empty()) return {};
  const size_t most = options.all_rows ? 0 : max_costs;
  const table::Table table =
      part_of(tables::slowest_first(tables::make(costs, source), costs, max_costs),
              {.columns = {"name", "total_ns", "flops_per_s", "flops_peak_ratio",
                           "measured_flops_peak_ratio", "bytes_per_s", "bytes_peak_ratio",
                           "measured_bytes_peak_ratio", "intensity", "bound", "check"}});
  std::string out = "\n";
  render::terminal(std::span(&table, 1), [&](std::string_view piece) { out += piece; },
                   {.color = options.color, .width = options.width, .max_rows = most});
  if (source.tree->gpu.sheet == nullptr) {
    out += text::wrapped("parts of the peak FLOP/s need the GPU: --gpu NAME (`kr list gpus`)",
                         options.columns(), 0);
  }
  return out;
}

}  // namespace kr::overview

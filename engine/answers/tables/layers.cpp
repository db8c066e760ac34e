// Blocks of kernels that repeat.
#include "analyze/layers.hpp"

#include "analyze/kernels.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::LayerPart;

using LayerRow = Parts<Run, LayerPart>;
void add_repeated_blocks(const Source& source, Rows<LayerRow>& rows) {
  for (const Run& run : source.runs) {
    for (const LayerPart& one : run.get<analyze::Layers>().parts) {
      rows.add({run, one});
    }
  }
}

std::string only_counted_layers(const Source& source) {
  for (const Run& run : source.runs) {
    if (run.get<analyze::Layers>().only_counted) {
      return "a saved run has only the number of its layers: name its trace";
    }
  }
  return {};
}

}  // namespace

const Definition layers_table = TableOf<LayerRow>{
    {.id = "layers",
     .title = "repeated blocks",
     .doc = "One row per repeated block in the kernels of a graph launch, of a step, or of a "
            "stream: the "
            "same kernels one after the other. They may be layers of a model, or turns of any "
            "other loop: "
            "`found_phases` has the layers of a step.",
     .columns = {run_column,
                 {"device", Unit::id, Role::key,
                  "The number of the device that the kernels ran on.", &LayerPart::device},
                 {"level", Unit::id, Role::key,
                  "0; 1 and more if the block is inside one repeat of the block before.",
                  [](const LayerPart& one) { return &one.block.level; }},
                 {"first", Unit::id, Role::detail,
                  "The place of its first kernel among the `kernels`, from 0.",
                  [](const LayerPart& one) { return &one.block.first; }},
                 {"period", Unit::count, Role::measure,
                  "Kernels of one repeat: the least number of kernels after which all repeat.",
                  [](const LayerPart& one) { return &one.block.period; }},
                 {"repeats", Unit::count, Role::measure, "How often these kernels repeat.",
                  [](const LayerPart& one) { return &one.block.repeats; }},
                 {"kernels", Unit::count, Role::detail,
                  "Kernels of the graph launch, step or stream on the device, in the block or not.",
                  [](const LayerPart& one) { return &one.block.unit; }},
                 {"total_ns", Unit::ns, Role::measure,
                  "The sum of the durations of the block's kernels.",
                  [](const LayerPart& one) { return &one.block.total_ns; }},
                 {"mean_ns", Unit::ns, Role::measure,
                  "`total_ns` divided by `repeats`: one repeat.", &LayerPart::per_layer_mean_ns},
                 {"evidence", Unit::text, Role::measure,
                  "A text for people: period, repeats, and the part of the time of the `kernels`.",
                  &LayerPart::evidence}}},
    needs<analyze::Layers>,
    add_repeated_blocks,
    only_counted_layers};

}  // namespace kr::tables

// Blocks of kernels that repeat.
#include "analyze/layers.hpp"

#include "analyze/kernels.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_repeated_blocks(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::LayerPart& one : run.get<analyze::Layers>().parts) {
      sink.row({run.summary.id, int64_t{one.device}, int64_t{one.block.level},
                static_cast<int64_t>(one.block.first), static_cast<int64_t>(one.block.period),
                static_cast<int64_t>(one.block.repeats), static_cast<int64_t>(one.block.unit),
                one.block.total_ns, one.per_layer_mean_ns, one.evidence});
    }
  }
}

}  // namespace

const Definition layers_table{
    {.id = "layers",
     .title = "repeated blocks",
     .doc = "One row per repeated block in the kernels of a graph launch, of a step, or of a "
            "stream: the "
            "same kernels one after the other. They may be layers of a model, or turns of any "
            "other loop: "
            "`found_phases` has the layers of a step.",
     .columns =
         {{"run", Unit::text, Role::key, "The run."},
          {"device", Unit::id, Role::key, "The number of the device that the kernels ran on."},
          {"level", Unit::id, Role::key,
           "0; 1 and more if the block is inside one repeat of the block before."},
          {"first", Unit::id, Role::detail,
           "The place of its first kernel among the `kernels`, from 0."},
          {"period", Unit::count, Role::measure,
           "Kernels of one repeat: the least number of kernels after which all repeat."},
          {"repeats", Unit::count, Role::measure, "How often these kernels repeat."},
          {"kernels", Unit::count, Role::detail,
           "Kernels of the graph launch, step or stream on the device, in the block or not."},
          {"total_ns", Unit::ns, Role::measure, "The sum of the durations of the block's kernels."},
          {"mean_ns", Unit::ns, Role::measure, "`total_ns` divided by `repeats`: one repeat."},
          {"evidence", Unit::text, Role::measure,
           "A text for people: period, repeats, and the part of the time of the `kernels`."}}},
    needs<analyze::Layers>,
    add_repeated_blocks};

}  // namespace kr::tables

// Blocks of kernels that repeat: layers, where no module encloses their launches.
#include "analyze/statistics.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_layers(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::LayerPart& one : run.statistics->layers) {
      sink.row({run.summary.id, int64_t{one.device}, int64_t{one.block.level},
                static_cast<int64_t>(one.block.first), static_cast<int64_t>(one.block.period),
                static_cast<int64_t>(one.block.repeats), static_cast<int64_t>(one.block.unit),
                one.block.total_ns, one.per_layer_mean_ns, one.evidence});
    }
  }
}

}  // namespace

const Definition layers_table{
    {"layers",
     "repeated kernel sequences",
     "One row per repeated block in the kernels of a graph launch, of a step, or of a stream: the "
     "same kernels one after the other, layer by layer.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device that the kernels ran on."},
      {"level", Unit::id, Role::key,
       "0; 1 and more if the block is inside one layer of the block before."},
      {"first", Unit::id, Role::detail,
       "The place of its first kernel among the `kernels`, from 0."},
      {"period", Unit::count, Role::measure, "Kernels of one layer."},
      {"repeats", Unit::count, Role::measure, "Layers: how often these kernels repeat."},
      {"kernels", Unit::count, Role::detail,
       "Kernels of the graph launch, step or stream on the device, in the block or not."},
      {"total_ns", Unit::ns, Role::measure, "The sum of the durations of the block's kernels."},
      {"mean_ns", Unit::ns, Role::measure, "`total_ns` divided by `repeats`: one layer."},
      {"evidence", Unit::text, Role::measure,
       "A text for people: period, repeats, and the part of the time of the `kernels`."}}},
    Needs::statistics,
    add_layers};

}  // namespace kr::tables

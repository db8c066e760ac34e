// The repeats of the block that takes most of the time of a run without steps.

#include "analyze/repeats.hpp"

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::BlockRepeat;

using RepeatRow = Parts<Run, BlockRepeat>;
void add_repeats(const Source& source, Rows<RepeatRow>& rows) {
  for (const Run& run : source.runs) {
    for (const BlockRepeat& one : run.get<analyze::Repeats>().all) {
      rows.add({run, one});
    }
  }
}

std::string without_repeats(const Source& source) {
  bool any = false;
  for (const Run& run : source.runs) {
    const auto& repeats = run.get<analyze::Repeats>();
    if (repeats.is_sample()) return "a saved run has only a sample of its repeats: name its trace";
    any |= !repeats.all.empty();
  }
  if (any) return {};
  return "no run without steps has a repeated block with half of its time";
}

}  // namespace

const Definition repeats_table = TableOf<RepeatRow>{
    {.id = "repeats",
     .title = "repeats of blocks",
     .doc =
         "One row per repeat of the repeated block (table `layers`) that has most of the time of a "
         "run without steps, if that is half of it or more. `kr diff` compares their wall times, "
         "as "
         "it does those of steps.",
     .columns = {run_column,
                 {"device", Unit::id, Role::key, "The number of the device that it ran on.",
                  &BlockRepeat::device},
                 {"start_ns", Unit::ns, Role::key, "When its first kernel starts.",
                  &BlockRepeat::start_ns},
                 {"period", Unit::count, Role::measure, "Its kernels.", &BlockRepeat::period},
                 {"wall_ns", Unit::ns, Role::measure,
                  "To the start of the next repeat; nothing of the last one in a row.",
                  &BlockRepeat::wall_ns, optional},
                 {"busy_ns", Unit::ns, Role::measure,
                  "The time in which at least one of its kernels ran.", &BlockRepeat::busy_ns},
                 {head::total_ns, &BlockRepeat::total_ns}}},
    needs<analyze::Repeats>,
    add_repeats,
    without_repeats};

}  // namespace kr::tables

// The repeats of the block that takes most of the time of a run without steps.

#include "analyze/repeats.hpp"

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_repeats(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::BlockRepeat& one : run.get<analyze::Repeats>().all) {
      sink.row({run.summary.id, int64_t{one.device}, one.start_ns, one.period,
                table::cell(one.wall_ns), one.busy_ns, one.total_ns});
    }
  }
}

std::string without_repeats(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<analyze::Repeats>().all.empty()) return {};
  }
  return "no run without steps has a repeated block with half of its time";
}

}  // namespace

const Definition repeats_table{
    {.id = "repeats",
     .title = "repeats of blocks",
     .doc =
         "One row per repeat of the repeated block (table `layers`) that has most of the time of a "
         "run without steps, if that is half of it or more. `kr diff` compares their wall times, "
         "as "
         "it does those of steps.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device that it ran on."},
                 {"start_ns", Unit::ns, Role::key, "When its first kernel starts."},
                 {"period", Unit::count, Role::measure, "Its kernels."},
                 {"wall_ns", Unit::ns, Role::measure,
                  "To the start of the next repeat; nothing of the last one in a row.", true},
                 {"busy_ns", Unit::ns, Role::measure,
                  "The time in which at least one of its kernels ran."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."}}},
    needs<analyze::Repeats>,
    add_repeats,
    without_repeats};

}  // namespace kr::tables

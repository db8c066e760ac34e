// Each collective on each rank.
#include <algorithm>

#include "job/instances.hpp"
#include "job/job.hpp"
#include "job/member.hpp"
#include "tables/collective_notes.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_rank_collectives(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  const std::vector<job::GroupTimes>& all = source.job()->collectives;
  const bool any =
      std::any_of(all.begin(), all.end(), [](const job::GroupTimes& one) { return one.matched; });
  return any ? "" : "no collective is compared between devices";
}

void add_rank_collectives(const Source& source, RowSink& sink) {
  const job::Job& job = *source.job();
  std::vector<job::JobRun> runs;
  runs.reserve(source.runs.size());
  for (const Run& run : source.runs)
    runs.push_back({run.get<job::Members>().all, run.summary.clock});
  const std::vector<CollectiveKey> keys = keys_of(job);
  for (size_t i = 0; i < keys.size(); ++i) {
    job::each_instance(runs, job, i, [&](size_t k, std::span<const job::InstanceTime> members) {
      for (const job::InstanceTime& one : members) {
        sink.row({keys[i].group, keys[i].kind, static_cast<int64_t>(k), source.rank(one.run),
                  int64_t{one.device}, one.duration_ns, one.waiting_ns, table::cell(one.late_ns),
                  one.late_ns ? Cell(int64_t{one.last}) : Cell()});
      }
    });
  }
}

}  // namespace

const Definition rank_collectives_table{
    {.id = "rank_collectives",
     .title = "each collective by rank",
     .doc = "One row per collective that is compared between devices, and device that has it.",
     .columns =
         {{"group", Unit::text, Role::key, "The process group, as in `collectives`."},
          {"kind", Unit::name, Role::key, "What it does, as in `collectives`."},
          {"number", Unit::id, Role::key,
           "Its place among those of the group and kind, in order of launch, from 0."},
          {"rank", Unit::id, Role::key, "The rank."},
          {"device", Unit::id, Role::key, "The device."},
          {"duration_ns", Unit::ns, Role::measure, "Its duration on the device."},
          {"waiting_ns", Unit::ns, Role::measure,
           "From its start to that of the last member; what it takes longer than the shortest of "
           "any member if the ranks have no common clock."},
          {"late_ns", Unit::ns, Role::measure,
           "How much later than the first member it starts; empty without a common clock.", true},
          {"last", Unit::boolean, Role::measure,
           "Whether it is the last to arrive, the first of several; empty without a common clock.",
           true}},
     .in_short_form = false,
     .many_rows = true},
    needs<job::Members>,
    add_rank_collectives,
    without_rank_collectives};

}  // namespace kr::tables

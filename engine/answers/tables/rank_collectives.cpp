// Each collective on each rank.
#include <algorithm>

#include "job/instances.hpp"
#include "job/job.hpp"
#include "job/member.hpp"
#include "tables/collective_notes.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::InstanceTime;

std::string without_rank_collectives(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  const std::vector<job::GroupTimes>& all = source.job()->collectives;
  const bool any =
      std::any_of(all.begin(), all.end(), [](const job::GroupTimes& one) { return one.matched; });
  return any ? "" : "no collective is compared between devices";
}

struct RankCollectiveRow : Parts<CollectiveKey, InstanceTime> {
  int64_t occurrence;
  int64_t rank;
};

void add_rank_collectives(const Source& source, Rows<RankCollectiveRow>& rows) {
  const job::Job& job = *source.job();
  std::vector<job::JobRun> runs;
  runs.reserve(source.runs.size());
  for (const Run& run : source.runs)
    runs.push_back({run.get<job::Members>().all, run.summary.clock});
  const std::vector<CollectiveKey> keys = keys_of(job);
  for (size_t i = 0; i < keys.size(); ++i) {
    job::each_instance(runs, job, i, [&](size_t k, std::span<const InstanceTime> members) {
      for (const InstanceTime& one : members) {
        rows.add({{keys[i], one}, static_cast<int64_t>(k), source.rank(one.run)});
      }
    });
  }
}

}  // namespace

const Definition rank_collectives_table = TableOf<RankCollectiveRow>{
    {.id = "rank_collectives",
     .title = "each collective by rank",
     .doc = "One row per collective that is compared between devices, and device that has it.",
     .columns =
         {{"group", Unit::text, Role::key, "The process group, as in `collectives`.",
           &CollectiveKey::group},
          {"kind", Unit::name, Role::key, "What it does, as in `collectives`.",
           &CollectiveKey::kind},
          {"number", Unit::id, Role::key,
           "Its place among those of the group and kind, in order of launch, from 0.",
           &RankCollectiveRow::occurrence},
          {head::rank, &RankCollectiveRow::rank},
          {head::the_device, &InstanceTime::device},
          {"duration_ns", Unit::ns, Role::measure, "Its duration on the device.",
           &InstanceTime::duration_ns},
          {"waiting_ns", Unit::ns, Role::measure,
           "From its start to that of the last member; what it takes longer than the shortest of "
           "any member if the ranks have no common clock.",
           &InstanceTime::waiting_ns},
          {"late_ns", Unit::ns, Role::measure,
           "How much later than the first member it starts; empty without a common clock.",
           &InstanceTime::late_ns, optional},
          {"last", Unit::boolean, Role::measure,
           "Whether it is the last to arrive, the first of several; empty without a common clock.",
           [](const InstanceTime& one) { return one.late_ns ? Cell(int64_t{one.last}) : Cell(); },
           optional}},
     .in_short_form = false,
     .many_rows = true},
    needs<job::Members>,
    add_rank_collectives,
    without_rank_collectives};

}  // namespace kr::tables

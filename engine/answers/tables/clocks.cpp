// The clocks of ranks: those of the traces, their bounds from collectives, and the corrections.
#include "job/job.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::RankClock;

struct ClockRow : Parts<RankClock> {
  std::string_view run;
  int64_t rank;
  int64_t clock;
  int64_t reference;
};

void add_clocks(const Source& source, Rows<ClockRow>& rows) {
  const std::vector<RankClock>& ranks = source.job()->clocks.ranks;
  for (size_t run = 0; run < ranks.size(); ++run) {
    const RankClock& one = ranks[run];
    rows.add({{one},
              source.runs[run].summary.id,
              source.rank(run),
              source.rank(one.clock),
              source.rank(one.reference)});
  }
}

}  // namespace

const Definition clocks_table = TableOf<ClockRow>{
    {"clocks",
     "clocks of ranks",
     "One row per rank: what its collectives say of its clock, and what is added to it. A "
     "collective that needs data of all ends on no rank before the last has begun.",
     {{"run", Unit::text, Role::detail, "The run.", &ClockRow::run},
      {head::rank, &ClockRow::rank},
      {"clock_rank", Unit::id, Role::measure,
       "The rank whose clock it is brought to. Times of ranks with the same may be compared.",
       &ClockRow::clock},
      {"clock_from", Unit::text, Role::measure,
       "What brings it there: `utc`, the clocks that the traces contain; `collectives`, which "
       "show that these differ, or the traces contain none; `own`, nothing.",
       &RankClock::from},
      {"reference_rank", Unit::id, Role::detail,
       "The rank that the following columns compare with; itself if there is nothing to compare.",
       &ClockRow::reference},
      {"collectives", Unit::count, Role::measure,
       "Collectives that were compared, with that rank or with one that is between them.",
       [](const RankClock& one) { return one.estimate ? Cell(one.estimate->collectives) : Cell(); },
       optional},
      {"low_ns", Unit::ns, Role::measure,
       "The least that may be added to the rank's clock: less, and a collective would end before "
       "all have begun.",
       [](const RankClock& one) { return one.estimate ? Cell(one.estimate->low_ns) : Cell(); },
       optional},
      {"high_ns", Unit::ns, Role::measure,
       "The most that may be added. Less than `low_ns`: the clock drifts, or the collectives are "
       "not the same.",
       [](const RankClock& one) { return one.estimate ? Cell(one.estimate->high_ns) : Cell(); },
       optional},
      {"offset_ns", Unit::ns, Role::measure,
       "The estimate: the median of the differences of their ends, between these bounds.",
       [](const RankClock& one) { return one.estimate ? Cell(one.estimate->offset_ns) : Cell(); },
       optional},
      {"deviation_ns", Unit::ns, Role::measure, "The median deviation from that.",
       [](const RankClock& one) {
         return one.estimate ? Cell(one.estimate->deviation_ns) : Cell();
       },
       optional},
      {"drift_ns_per_s", Unit::factor, Role::detail,
       "How much the offset grows per second; empty if it is less than noise.",
       [](const RankClock& one) {
         return one.estimate ? table::cell(one.estimate->drift_ns_per_s) : Cell();
       },
       optional},
      {"applied_ns", Unit::ns, Role::measure,
       "What is added to its times: 0 if the traces contain their clocks, 0 is within the bounds, "
       "and `offset_ns` is no more than noise: with fewer than 8 collectives, up to 3 "
       "`deviation_ns`, and up to 1,000 (50,000 if it is of alltoalls or sendrecvs).",
       &RankClock::applied_ns},
      {"applied_ns_per_s", Unit::factor, Role::detail,
       "What is added, too, for each second after the middle of the run: the drift, where no "
       "constant is within the bounds, or it makes more than 6 deviations and as much as an offset "
       "needs.",
       [](const RankClock& one) { return one.applied_drift * 1e9; }}}},
    needs<job::Members>,
    add_clocks,
    not_several_ranks};

}  // namespace kr::tables

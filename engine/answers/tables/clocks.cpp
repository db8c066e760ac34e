// The clocks of ranks: those of the traces, their bounds from collectives, and the corrections.
#include "job/job.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_clocks(const Source& source, RowSink& sink) {
  const std::vector<job::RankClock>& ranks = source.job()->clocks.ranks;
  for (size_t run = 0; run < ranks.size(); ++run) {
    const job::RankClock& one = ranks[run];
    const job::RankClock::Estimate* const said = one.estimate ? &*one.estimate : nullptr;
    const auto if_said = [said](const auto& cell) {
      return said != nullptr ? Cell(cell(*said)) : Cell();
    };
    sink.row({source.runs[run].summary.id, source.rank(run), source.rank(one.clock),
              job::to_string(one.from), source.rank(one.reference),
              if_said([](const auto& of) { return of.collectives; }),
              if_said([](const auto& of) { return of.low_ns; }),
              if_said([](const auto& of) { return of.high_ns; }),
              if_said([](const auto& of) { return of.offset_ns; }),
              if_said([](const auto& of) { return of.deviation_ns; }),
              said != nullptr ? table::cell(said->drift_ns_per_s) : Cell(), one.applied_ns,
              one.applied_drift * 1e9});
  }
}

}  // namespace

const Definition clocks_table{
    {"clocks",
     "clocks of ranks",
     "One row per rank: what its collectives say of its clock, and what is added to it. A "
     "collective that needs data of all ends on no rank before the last has begun.",
     {{"run", Unit::text, Role::detail, "The run."},
      {"rank", Unit::id, Role::key, "The rank."},
      {"clock_rank", Unit::id, Role::measure,
       "The rank whose clock it is brought to. Times of ranks with the same may be compared."},
      {"clock_from", Unit::text, Role::measure,
       "What brings it there: `utc`, the clocks that the traces contain; `collectives`, which "
       "show that these differ, or the traces contain none; `own`, nothing."},
      {"reference_rank", Unit::id, Role::detail,
       "The rank that the following columns compare with; itself if there is nothing to compare."},
      {"collectives", Unit::count, Role::measure,
       "Collectives that were compared, with that rank or with one that is between them.", true},
      {"low_ns", Unit::ns, Role::measure,
       "The least that may be added to the rank's clock: less, and a collective would end before "
       "all have begun.",
       true},
      {"high_ns", Unit::ns, Role::measure,
       "The most that may be added. Less than `low_ns`: the clock drifts, or the collectives are "
       "not the same.",
       true},
      {"offset_ns", Unit::ns, Role::measure,
       "The estimate: the median of the differences of their ends, between these bounds.", true},
      {"deviation_ns", Unit::ns, Role::measure, "The median deviation from that.", true},
      {"drift_ns_per_s", Unit::factor, Role::detail,
       "How much the offset grows per second; empty if it is less than noise.", true},
      {"applied_ns", Unit::ns, Role::measure,
       "What is added to its times: 0 if the traces contain their clocks, 0 is within the bounds, "
       "and `offset_ns` is no more than noise: with fewer than 8 collectives, up to 3 "
       "`deviation_ns`, and up to 1,000 (50,000 if it is of alltoalls or sendrecvs)."},
      {"applied_ns_per_s", Unit::factor, Role::detail,
       "What is added, too, for each second after the middle of the run: the drift, where no "
       "constant is within the bounds, or it makes more than 6 deviations and as much as an offset "
       "needs."}}},
    needs<job::Members>,
    add_clocks,
    not_several_ranks};

}  // namespace kr::tables

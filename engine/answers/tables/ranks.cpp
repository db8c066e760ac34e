// The runs as ranks of one distributed job: how even their devices are.
#include "analyze/ranks.hpp"

#include <fmt/format.h>

#include <utility>

#include "analyze/steps.hpp"
#include "job/job.hpp"
#include "tables/collective_notes.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::Balance;
using analyze::Breakdown;
using analyze::RankDevice;
using analyze::RankOfRun;
using job::Job;

std::string without_rank_devices(const Source& source) {
  const std::string why = not_ranks(source);
  const bool few = source.ranks().devices.size() < 2;
  return why.empty() && few ? "there are fewer than two devices" : why;
}

struct RankDeviceRow
    : Parts<analyze::RunSummary, RankOfRun, RankDevice, Breakdown, Job::RunWaiting> {
  bool first;
};

void add_ranks(const Source& source, Rows<RankDeviceRow>& rows) {
  const analyze::Ranks& ranks = source.ranks();
  const Job* const job = source.runs.size() > 1 ? source.job() : nullptr;
  const auto waiting = job != nullptr ? job->waiting_of(source.runs.size())
                                      : std::vector<Job::RunWaiting>(source.runs.size());
  for (size_t i = 0; i < ranks.devices.size(); ++i) {
    const RankDevice& one = ranks.devices[i];
    const RankOfRun& rank = ranks.runs[one.run];
    const analyze::RunSummary& run = source.runs[one.run].summary;
    // What is known of the whole rank is in the row of its first device.
    const bool first = i == 0 || ranks.devices[i - 1].run != one.run;

    rows.add({{run, rank, one, one.time, waiting[one.run]}, first});
  }
}

struct RankBalanceRow : Parts<Balance, RankDevice> {
  std::string_view what;
  int64_t min_rank;
  int64_t max_rank;
  int64_t max_device;
};

void add_rank_balance(const Source& source, Rows<RankBalanceRow>& rows) {
  const analyze::Ranks& ranks = source.ranks();
  for (const Balance& one : ranks.balance) {
    const RankDevice& least = ranks.devices[one.least];
    const RankDevice& most = ranks.devices[one.most];
    std::string_view what = one.what;
    what.remove_suffix(std::string_view("_ns").size());
    rows.add({{one, least}, what, source.rank(least.run), source.rank(most.run), most.device});
  }
}

}  // namespace

std::string not_ranks(const Source& source) {
  const std::string& reason = source.ranks().not_comparable_reason;
  return reason.empty() ? reason : "the runs are not ranks of one job: " + reason;
}

std::string not_several_ranks(const Source& source) {
  const std::string why = not_ranks(source);
  return why.empty() && source.runs.size() < 2 ? "there is one run only" : why;
}

std::vector<Note> rank_notes(const Source& source) {
  std::vector<Note> notes;
  if (source.runs.size() < 2) return notes;
  const analyze::Ranks& ranks = source.ranks();
  if (!ranks.not_comparable_reason.empty()) {
    notes.push_back(
        {"", "info", "not-one-job",
         "the runs are not compared as ranks of one job: " + ranks.not_comparable_reason});
  }
  if (!ranks.forced_although.empty()) {
    notes.push_back({"", "info", "job-forced",
                     "the runs are compared as ranks of one job, as requested, although " +
                         ranks.forced_although});
  }
  add_collective_notes(source, notes);
  if (std::string text = collective_headline(source); !text.empty()) {
    notes.push_back({"", "info", "collectives", std::move(text)});
  }
  return notes;
}

const Definition ranks_table = TableOf<RankDeviceRow>{
    {"ranks",
     "time breakdown by rank and device",
     "One row per rank and device: parts of its span, and facts about the rank.",
     {run_column,
      {"rank", Unit::id, Role::key, "The rank of the run in the distributed job.",
       [](const RankOfRun& rank) { return &rank.number.rank; }},
      {"rank_from", Unit::text, Role::measure,
       "The source of the rank: `trace`, `name` of the file or folder, or `order` of the runs.",
       [](const RankOfRun& rank) { return &rank.number.from; }},
      {"world_size", Unit::count, Role::detail,
       "The number of processes of the job, if the trace contains it.",
       [](const analyze::RunSummary& run) { return &run.distributed.world_size; }, optional},
      {head::device, &RankDevice::device},
      {head::span_ns, &Breakdown::span_ns},
      {"own_ns", Unit::ns, Role::measure,
       "The time that it needs itself: `span_ns` without exposed communication, in which it waits "
       "for others or transfers.",
       [](const Breakdown& time) { return time.span_ns - time.exposed_communication_ns; }},
      {"compute", Unit::ratio, Role::measure, "The part of the span in which a compute kernel ran.",
       [](const Breakdown& time) { return ratio_of(time.compute_ns, time.span_ns); },
       read_with("span_ns")},
      {"exposed_communication", Unit::ratio, Role::measure,
       "The part of the span in which communication ran and no compute.",
       [](const Breakdown& time) { return ratio_of(time.exposed_communication_ns, time.span_ns); },
       read_with("span_ns")},
      {"exposed_memory", Unit::ratio, Role::measure,
       "The part of the span in which a copy or set ran, and neither compute nor communication.",
       [](const Breakdown& time) { return ratio_of(time.exposed_memory_ns, time.span_ns); },
       read_with("span_ns")},
      {"idle", Unit::ratio, Role::measure, "The part of the span in which nothing ran.",
       [](const Breakdown& time) { return ratio_of(time.idle_ns, time.span_ns); },
       read_with("span_ns")},
      {"waiting_ns", Unit::ns, Role::measure,
       "In the row of the rank's first device: what it waits in `collectives`, as in "
       "`collective_balance`.",
       [](const RankDeviceRow& row) {
         return row.first ? table::cell(row.of<Job::RunWaiting>().waiting_ns) : Cell();
       },
       optional},
      {"waited_for_ns", Unit::ns, Role::measure,
       "In the same row: what all ranks wait in the collectives that this rank is the last to "
       "arrive at, as in `collectives`.",
       [](const RankDeviceRow& row) {
         return row.first ? table::cell(row.of<Job::RunWaiting>().waited_for_ns) : Cell();
       },
       optional},
      {"slowest_in_steps", Unit::count, Role::measure,
       "In the row of the rank's first device: the number of steps in which it is the slowest, "
       "as in `rank_steps`.",
       [](const RankDeviceRow& row) {
         return row.first ? table::cell(row.of<RankOfRun>().slowest_steps) : Cell();
       },
       optional}}},
    needs<analyze::RunSummary>,
    add_ranks,
    without_rank_devices,
    facts::Reads::nothing,
    nullptr,
    "own_ns",
    {},
    needs<analyze::StepSums>};

Definition rank_balance_part() {
  return TableOf<RankBalanceRow>{
      {"rank_balance",
       "load balance of ranks and devices",
       "One row per time of a device: its smallest, mean and largest value over all devices of all "
       "ranks.",
       {{"what", Unit::text, Role::key,
         "The time, as in `devices`, without `_ns`: `span`, `busy`, `compute` and so on.",
         &RankBalanceRow::what},
        {"min_ns", Unit::ns, Role::measure, "The smallest value.", &Balance::min_ns},
        {"mean_ns", Unit::ns, Role::measure, "The mean.", &Balance::mean_ns},
        {"max_ns", Unit::ns, Role::measure, "The largest value.", &Balance::max_ns},
        {"max_over_mean", Unit::factor, Role::measure,
         "`max_ns` divided by `mean_ns`: 1 if all are equal, 0 if all are 0.",
         &Balance::max_over_mean},
        {head::min_rank, &RankBalanceRow::min_rank},
        {"min_device", Unit::id, Role::measure, "Its device with `min_ns`.", &RankDevice::device},
        {head::max_rank, &RankBalanceRow::max_rank},
        {"max_device", Unit::id, Role::measure, "Its device with `max_ns`.",
         &RankBalanceRow::max_device}}},
      needs<analyze::RunSummary>,
      add_rank_balance,
      without_rank_devices};
}

}  // namespace kr::tables

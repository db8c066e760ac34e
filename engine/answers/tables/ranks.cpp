// The runs as ranks of one distributed job: how even their devices are.
#include "analyze/ranks.hpp"

#include <fmt/format.h>

#include <utility>

#include "job/job.hpp"
#include "tables/collective_notes.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_rank_devices(const Source& source) {
  const std::string why = not_ranks(source);
  const bool few = source.ranks().devices.size() < 2;
  return why.empty() && few ? "there are fewer than two devices" : why;
}

void add_ranks(const Source& source, RowSink& sink) {
  const analyze::Ranks& ranks = source.ranks();
  const job::Job* const job = source.runs.size() > 1 ? source.job() : nullptr;
  const auto waiting = job != nullptr ? job->waiting_of(source.runs.size())
                                      : std::vector<job::Job::RunWaiting>(source.runs.size());
  for (size_t i = 0; i < ranks.devices.size(); ++i) {
    const analyze::RankDevice& one = ranks.devices[i];
    const analyze::RankOfRun& rank = ranks.runs[one.run];
    const analyze::RunSummary& run = source.runs[one.run].summary;
    // What is known of the whole rank is in the row of its first device.
    const bool first = i == 0 || ranks.devices[i - 1].run != one.run;
    const int64_t span_ns = one.time.span_ns;
    sink.row({run.id, rank.number.rank, analyze::to_string(rank.number.from),
              table::cell(run.distributed.world_size), int64_t{one.device}, span_ns,
              span_ns - one.time.exposed_communication_ns, ratio_of(one.time.compute_ns, span_ns),
              ratio_of(one.time.exposed_communication_ns, span_ns),
              ratio_of(one.time.exposed_memory_ns, span_ns), ratio_of(one.time.idle_ns, span_ns),
              first ? table::cell(waiting[one.run].waiting_ns) : Cell(),
              first ? table::cell(waiting[one.run].waited_for_ns) : Cell(),
              first ? table::cell(rank.slowest_steps) : Cell()});
  }
}

void add_rank_balance(const Source& source, RowSink& sink) {
  const analyze::Ranks& ranks = source.ranks();
  for (const analyze::Balance& one : ranks.balance) {
    const analyze::RankDevice& least = ranks.devices[one.least];
    const analyze::RankDevice& most = ranks.devices[one.most];
    std::string_view what = one.what;
    what.remove_suffix(std::string_view("_ns").size());
    sink.row({what, one.min_ns, one.mean_ns, one.max_ns, one.max_over_mean, source.rank(least.run),
              int64_t{least.device}, source.rank(most.run), int64_t{most.device}});
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

const Definition ranks_table{
    {"ranks",
     "time breakdown by rank and device",
     "One row per rank and device: parts of its span, and facts about the rank.",
     {{"run", Unit::text, Role::key, "The run."},
      {"rank", Unit::id, Role::key, "The rank of the run in the distributed job."},
      {"rank_from", Unit::text, Role::measure,
       "The source of the rank: `trace`, `name` of the file or folder, or `order` of the runs."},
      {"world_size", Unit::count, Role::detail,
       "The number of processes of the job, if the trace contains it.", true},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"span_ns", Unit::ns, Role::measure, "From its first start to its last end."},
      {"own_ns", Unit::ns, Role::measure,
       "The time that it needs itself: `span_ns` without exposed communication, in which it waits "
       "for others or transfers."},
      {"compute", Unit::ratio, Role::measure, "The part of the span in which a compute kernel ran.",
       false, false, "span_ns"},
      {"exposed_communication", Unit::ratio, Role::measure,
       "The part of the span in which communication ran and no compute.", false, false, "span_ns"},
      {"exposed_memory", Unit::ratio, Role::measure,
       "The part of the span in which a copy or set ran, and neither compute nor communication.",
       false, false, "span_ns"},
      {"idle", Unit::ratio, Role::measure, "The part of the span in which nothing ran.", false,
       false, "span_ns"},
      {"waiting_ns", Unit::ns, Role::measure,
       "In the row of the rank's first device: what it waits in `collectives`, as in "
       "`collective_balance`.",
       true},
      {"waited_for_ns", Unit::ns, Role::measure,
       "In the same row: what all ranks wait in the collectives that this rank is the last to "
       "arrive at, as in `collectives`.",
       true},
      {"slowest_in_steps", Unit::count, Role::measure,
       "In the row of the rank's first device: the number of steps in which it is the slowest, "
       "as in `rank_step_balance`.",
       true}}},
    needs<analyze::RunSummary>,
    add_ranks,
    without_rank_devices,
    facts::Reads::nothing,
    nullptr,
    "own_ns"};

const Definition rank_balance_table{
    {"rank_balance",
     "load balance of ranks and devices",
     "One row per time of a device: its smallest, mean and largest value over all devices of all "
     "ranks.",
     {{"what", Unit::text, Role::key,
       "The time, as in `devices`, without `_ns`: `span`, `busy`, `compute` and so on."},
      {"min_ns", Unit::ns, Role::measure, "The smallest value."},
      {"mean_ns", Unit::ns, Role::measure, "The mean."},
      {"max_ns", Unit::ns, Role::measure, "The largest value."},
      {"max_over_mean", Unit::factor, Role::measure,
       "`max_ns` divided by `mean_ns`: 1 if all are equal, 0 if all are 0."},
      {"min_rank", Unit::id, Role::measure, "The rank with `min_ns`; the first of several."},
      {"min_device", Unit::id, Role::measure, "Its device with `min_ns`."},
      {"max_rank", Unit::id, Role::measure, "The rank with `max_ns`; the first of several."},
      {"max_device", Unit::id, Role::measure, "Its device with `max_ns`."}}},
    needs<analyze::RunSummary>,
    add_rank_balance,
    without_rank_devices};

}  // namespace kr::tables

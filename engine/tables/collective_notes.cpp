// What collectives tell in words.
#include "tables/collective_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "job/job.hpp"
#include "job/member.hpp"
#include "table/numbers.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string name_of(const Source& source, size_t run, int32_t device) {
  return source.runs.size() > 1 ? fmt::format("rank {}", source.rank(run))
                                : fmt::format("device {}", device);
}

/// The largest part of the delay, and what it means.
std::string reason(const job::Delay& delay) {
  struct Part {
    int64_t ns;
    std::string_view text;
  };
  const Part parts[] = {{delay.device_ns, "its device is busy for longer"},
                        {delay.host_ns, "its device gets work later"},
                        {delay.before_ns, "the collective before ends later on it"}};
  const Part* most = &parts[0];
  int64_t all = 0;  // that make it later
  for (const Part& one : parts) {
    all = add_saturated(all, std::max<int64_t>(0, one.ns));
    if (one.ns > most->ns) most = &one;
  }
  if (most->ns <= 0) return {};
  return fmt::format("; {} % of what makes the last one late is that {}",
                     table::percent(most->ns, all, 0), most->text);
}

std::string_view verdict(job::Bound bound) {
  switch (bound) {
    case job::Bound::transfer:
      return "transfer-bound";
    case job::Bound::skew:
      return "skewed";
    case job::Bound::host:
      return "host-bound";
    case job::Bound::waiting:
      break;
  }
  return "bound by waiting";
}

}  // namespace

std::string collective_headline(const Source& source) {
  const job::Job* const job = source.job();
  const auto found = job != nullptr ? job::headline_of(*job) : std::nullopt;
  if (!found || found->total_ns <= 0) return {};
  std::string text = fmt::format(
      "collectives are {}: {} % of their time on {} is waiting", verdict(found->bound),
      table::percent(found->waiting_ns, found->total_ns, 0), plural(found->members, "device"));
  if (found->latest) {
    const auto& [run, device] = *found->latest;
    text += fmt::format(", most for {} ({} % of the waiting; the last in {} of {})",
                        name_of(source, run, device),
                        table::percent(found->latest_ns, found->waiting_ns, 0), found->latest_last,
                        found->arrivals);
    text += reason(found->delay);
  }
  if (found->bandwidth_of != nullptr) {
    const job::GroupTimes& of = *found->bandwidth_of;
    const double bus = *of.bus_bytes_per_s();
    text += fmt::format("; {} at {}", job::to_string(of.group.kind), table::in_si(bus, "B/s"));
    if (const auto& link = source.job_options.link_bytes_per_s) {
      text += fmt::format(", {} % of the link", table::short_percent(100 * bus / *link));
    }
  }
  return text;
}

void add_collective_notes(const Source& source, std::vector<Note>& notes) {
  const job::Job* const job = source.job();
  if (job == nullptr) return;
  const std::vector<job::GroupTimes>& all = job->collectives;
  const auto is_uneven = [](const job::GroupTimes& one) { return !one.why_not.empty(); };
  if (const auto count = std::count_if(all.begin(), all.end(), is_uneven); count > 0) {
    const job::GroupTimes& first = *std::find_if(all.begin(), all.end(), is_uneven);
    const job::CollectiveGroup& group = first.group;
    const std::string kind = group.kernel.empty() ? job::to_string(group.kind) : group.kernel;
    notes.push_back(
        {"", "warning", "uneven-collectives",
         fmt::format("{} not compared between devices; the first is `{}`{}: {}",
                     count == 1 ? "1 kind of collective is"
                                : fmt::format("{} kinds of collectives are", count),
                     printable(std::string_view(kind).substr(0, 100)),
                     group.name.empty() ? "" : " of group " + printable(group.name), first.why_not),
         static_cast<int64_t>(count)});
  }
  int64_t instances = 0, not_kept = 0;
  for (const Run& run : source.runs) {
    for (const job::Member& member : *run.members) {
      instances = add_saturated(instances, static_cast<int64_t>(member.collectives.size()));
      for (const job::CollectiveRest& rest : member.rest) {
        instances = add_saturated(instances, rest.instances);
        not_kept = add_saturated(not_kept, rest.instances);
      }
    }
  }
  if (not_kept > 0) {
    notes.push_back(
        {"", "warning", "collectives-not-saved",
         fmt::format("{} of {} collectives are known as sums only and not compared: a saved run "
                     "keeps the first of each device one by one, in 256 KiB",
                     not_kept, instances),
         not_kept});
  }
  const std::vector<job::RankClock>& clocks = job->clocks.ranks;
  const auto contradicts = [](const job::RankClock& one) {
    return one.estimate && one.estimate->low_ns > one.estimate->high_ns;
  };
  if (const auto count = std::count_if(clocks.begin(), clocks.end(), contradicts); count > 0) {
    const auto first = std::find_if(clocks.begin(), clocks.end(), contradicts);
    notes.push_back(
        {"", "warning", "clocks-contradict",
         fmt::format("no clock fits the collectives of {}, the first of them rank {}: they are "
                     "perhaps of different process groups that the traces do not name, and "
                     "waiting in them is not to be relied on",
                     plural(static_cast<size_t>(count), "rank"),
                     source.rank(static_cast<size_t>(first - clocks.begin()))),
         static_cast<int64_t>(count)});
  }
}

}  // namespace kr::tables

// Notes about collectives, in words.
#include "tables/collective_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "job/job.hpp"
#include "job/member.hpp"
#include "tables/source.hpp"
#include "text/numbers.hpp"

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
                     text::percent(most->ns, all, 0), most->text);
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

/// `2 of 8 ranks`, between two texts; nothing if all ranks are here.
std::string here_of_job(const Source& source, std::string_view before, std::string_view after) {
  const auto all = source.larger_job();
  if (!all) return {};
  return fmt::format("{}{} of {} ranks{}", before, source.runs.size(), *all, after);
}

std::string name_of_group(const job::CollectiveGroup& group) {
  std::string name = printable(group.name);
  if (!group.ranks.empty()) name += " " + printable(group.ranks);
  return name;
}

std::string name_of_latest(const Source& source, const job::Waits& waits) {
  return name_of(source, waits.latest->first, waits.latest->second);
}

/// How much of `what` is for the latest.
std::string share_of_latest(const job::Waits& waits, std::string_view what) {
  return fmt::format("({} % of {}; the last in {} of {})",
                     text::percent(waits.latest_ns, waits.waiting_ns, 0), what, waits.latest_last,
                     waits.arrivals);
}

/// The verdict.
std::string of_all_members(const Source& source, const job::Headline& found) {
  const job::Waits& all = found.all;
  const job::Waits& waits = found.decided_by();
  const bool of_one = &waits != &all;
  const std::string share = text::percent(all.waiting_ns, all.total_ns, 0);
  const auto of_group = [&] {
    return text::percent(found.of_group.waiting_ns, found.of_group.total_ns, 0);
  };
  std::string text = fmt::format("collectives are {}: ", verdict(*found.bound));
  if (of_one) {
    text += fmt::format(
        "{} % of the time in group {} is waiting ({} % of their time in {} groups together)",
        of_group(), name_of_group(*found.group), share, found.groups);
  } else {
    text += fmt::format("{} % of their time on {} is waiting", share,
                        plural(all.members.size(), "device"));
    if (found.group != nullptr) {
      text += fmt::format(" (at most {} % in one of {} groups, {})", of_group(), found.groups,
                          name_of_group(*found.group));
    }
  }
  if (waits.latest && waits.chance && *found.bound == job::Bound::transfer) {
    text += ", for no rank in particular";
  } else if (waits.latest) {
    text += fmt::format(", most for {} {}", name_of_latest(source, waits),
                        share_of_latest(waits, of_one ? "its waiting" : "the waiting"));
    if (waits.chance) text += ", which may be chance";
    text += reason(waits.delay);
  }
  if (found.others_waiting > 0) {
    text += fmt::format("; {} mostly {}, too", plural(found.others_waiting, "other group"),
                        found.others_waiting == 1 ? "waits" : "wait");
  }
  return text;
}

/// What is known without the others: no verdict.
std::string of_some_members(const Source& source, const job::Headline& found) {
  const job::Waits& waits = found.all;
  std::string here = here_of_job(source, "", "");
  if (here.empty()) {
    here = fmt::format("{} of the members of a larger process group",
                       plural(waits.members.size(), "device"));
  }
  std::string text = fmt::format(
      "no verdict on collectives: only {} are here, and the others may arrive later; at least {} % "
      "of the time in collectives on these {} is waiting",
      here, text::percent(waits.waiting_ns, waits.total_ns, 0),
      plural(waits.members.size(), "device"));
  if (waits.latest && waits.chance) {
    text += "; none of these is late in particular";
  } else if (waits.latest) {
    text += fmt::format("; the latest of these is {} {}", name_of_latest(source, waits),
                        share_of_latest(waits, "that waiting"));
  }
  return text;
}

std::string bandwidth(const Source& source, const job::Headline& found) {
  const job::GroupTimes& of = *found.bandwidth_of;
  const double bus = *of.bus_bytes_per_s();
  std::string text =
      fmt::format("; bus bandwidth of {}{} {}{}", job::to_string(of.group.kind),
                  found.groups > 1 ? " in group " + name_of_group(of.group) : "",
                  of.bandwidth->with_waiting ? "at least " : "", text::in_si(bus, "B/s"));
  if (const auto& link = source.job_options.link_bytes_per_s) {
    text += fmt::format(", {} % of the link", text::short_percent(100 * bus / *link));
  }
  return text;
}

}  // namespace

std::string collective_headline(const Source& source) {
  const job::Job* const job = source.job();
  const auto found = job != nullptr ? job::headline_of(*job) : std::nullopt;
  if (!found || found->all.total_ns <= 0) return {};
  std::string text =
      found->bound ? of_all_members(source, *found) : of_some_members(source, *found);
  if (found->bandwidth_of != nullptr) text += bandwidth(source, *found);
  if (found->bound && found->incomplete > 0) {
    text += fmt::format("; not all members of {} are here{}, and nothing is known of their waiting",
                        found->incomplete == 1 ? "another process group"
                                               : plural(found->incomplete, "other process group"),
                        here_of_job(source, " (", ")"));
  }
  return text;
}

void add_collective_notes(const Source& source, std::vector<Note>& notes) {
  if (const std::string here = here_of_job(source, "", ""); !here.empty()) {
    notes.push_back(
        {"", "info", "ranks-missing",
         fmt::format(
             "only {} of the job are here: the load balance and efficiencies of the job are "
             "not known, those shown are of these ranks; in process groups with missing members, "
             "waiting and bandwidths are lower bounds",
             here),
         *source.larger_job() - static_cast<int64_t>(source.runs.size())});
  }
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
    for (const job::Member& member : run.get<job::Members>().all) {
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

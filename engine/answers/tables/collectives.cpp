// Operations that communicate, on several devices: how long each waits in them for the others, why,
// and how fast they are.
#include <algorithm>
#include <set>

#include "job/job.hpp"
#include "tables/collective_notes.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::GroupTimes;
using job::PartTimes;

}  // namespace

std::vector<CollectiveKey> keys_of(const job::Job& job) {
  std::vector<job::CollectiveGroup> groups;
  groups.reserve(job.collectives.size());
  for (const GroupTimes& one : job.collectives) groups.push_back(one.group);
  return keys_of_groups(groups);
}

namespace {

template <class Add>
void each_group(const Source& source, const Add& add) {
  const job::Job& job = *source.job();
  const std::vector<CollectiveKey> keys = keys_of(job);
  for (size_t i = 0; i < keys.size(); ++i) add(keys[i], job.collectives[i]);
}

std::string without_several_members(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  std::set<std::pair<size_t, int32_t>> members;
  for (const GroupTimes& one : source.job()->collectives) {
    for (const PartTimes& part : one.parts) members.emplace(part.run, part.device);
  }
  if (members.empty()) return "no operation communicates";
  return members.size() < 2 ? "one device only communicates" : "";
}

std::string without_bandwidth(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  const std::vector<GroupTimes>& all = source.job()->collectives;
  const bool any =
      std::any_of(all.begin(), all.end(), [](const GroupTimes& one) { return one.bandwidth; });
  return any ? "" : "no trace contains how much its operations communicate";
}

Cell size_cell(const GroupTimes& one) {
  return one.group.size == job::CollectiveGroup::unknown ? Cell() : Cell(one.group.size);
}

void add_collective_balance(const Source& source, RowSink& sink) {
  each_group(source, [&](const CollectiveKey& key, const GroupTimes& one) {
    if (!one.matched) return;
    const auto most = std::max_element(one.parts.begin(), one.parts.end(),
                                       [&](const PartTimes& a, const PartTimes& b) {
                                         return one.waiting_ns(a) < one.waiting_ns(b);
                                       });
    const PartTimes* const late = one.waited_for();
    const bool uneven = late != nullptr || !one.one_clock;
    const auto often =
        std::max_element(one.parts.begin(), one.parts.end(),
                         [](const PartTimes& a, const PartTimes& b) { return a.last < b.last; });
    const job::Delay delay = one.delay();
    const auto on_clock = [&](int64_t value) { return one.one_clock ? Cell(value) : Cell(); };
    int64_t total_ns = 0;
    for (const PartTimes& part : one.parts) total_ns = add_saturated(total_ns, part.matched_ns);
    sink.row({key.group,
              key.kind,
              table::cell_or_nothing(one.group.description),
              static_cast<int64_t>(one.parts.size()),
              size_cell(one),
              one.instances,
              total_ns,
              one.waiting_ns(),
              ratio_of(one.waiting_ns(), total_ns),
              uneven ? Cell(source.rank(most->run)) : Cell(),
              uneven ? Cell(int64_t{most->device}) : Cell(),
              late != nullptr ? Cell(source.rank(late->run)) : Cell(),
              late != nullptr ? Cell(int64_t{late->device}) : Cell(),
              late != nullptr ? Cell(late->waited_for_ns) : Cell(),
              on_clock(source.rank(often->run)),
              on_clock(often->device),
              on_clock(often->last),
              on_clock(delay.before_ns),
              on_clock(delay.device_ns),
              on_clock(delay.host_ns),
              int64_t{!one.complete}});
  });
}

void add_collective_bandwidth(const Source& source, RowSink& sink) {
  const auto& link = source.job_options.link_bytes_per_s;
  each_group(source, [&](const CollectiveKey& key, const GroupTimes& one) {
    if (!one.bandwidth) return;
    const auto bus = one.bus_bytes_per_s();
    sink.row({key.group, key.kind, static_cast<int64_t>(one.parts.size()), size_cell(one),
              one.bandwidth->instances, one.bandwidth->bytes, one.bandwidth->time_ns,
              int64_t{one.bandwidth->with_waiting}, table::cell(one.bandwidth->bytes_per_s()),
              table::cell(bus), link && bus ? Cell(*bus / *link) : Cell()});
  });
}

void add_collectives(const Source& source, RowSink& sink) {
  each_group(source, [&](const CollectiveKey& key, const GroupTimes& one) {
    for (const PartTimes& part : one.parts) {
      const auto if_matched = [&](int64_t value) { return one.matched ? Cell(value) : Cell(); };
      const auto on_clock = [&](int64_t value) { return one.one_clock ? Cell(value) : Cell(); };
      sink.row({key.group, key.kind, source.rank(part.run), int64_t{part.device}, part.instances,
                part.matched, part.total_ns, on_clock(part.matched_ns - part.waiting_ns),
                on_clock(part.waiting_ns), if_matched(part.beyond_shortest_ns), on_clock(part.last),
                on_clock(part.waited_for_ns), table::cell(part.bytes)});
    }
  });
}

const Column group_column{"group", Unit::text, Role::key,
                          "The name of the process group, with its ranks where several groups "
                          "have one name; empty if the traces do not contain it."};
const Column kind_column{"kind", Unit::name, Role::key,
                         "What it does: `allreduce`, `sendrecv` and so on; the name of the kernel "
                         "if neither the trace nor that name shows it."};
const Column members_column{"members", Unit::count, Role::measure,
                            "Devices of the runs that have it."};
const Column group_size_column{"group_size", Unit::count, Role::detail,
                               "Members of the process group, if the traces contain it.", true};

}  // namespace

const Definition collective_balance_table{
    {"collective_balance",
     "collectives: waiting for the last to arrive",
     "One row per process group and kind of collective that is compared between devices.",
     {group_column,
      kind_column,
      {"description", Unit::text, Role::detail,
       "The description of the process group, if the traces contain it.", true},
      members_column,
      group_size_column,
      {"instances", Unit::count, Role::measure, "Collectives that are compared."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations, over all members."},
      {"waiting_ns", Unit::ns, Role::measure,
       "`waiting_ns` of `collectives`, over all members; `beyond_shortest_ns` if their ranks have "
       "no common clock."},
      {"waiting", Unit::ratio, Role::measure, "`waiting_ns` as a part of `total_ns`."},
      {"waits_most_rank", Unit::id, Role::measure,
       "The rank that waits most; the first of several. Empty where `waited_for_rank` is, although "
       "the ranks have a common clock: then they wait for each other.",
       true},
      {"waits_most_device", Unit::id, Role::detail, "Its device.", true},
      {"waited_for_rank", Unit::id, Role::measure,
       "The rank that the others wait for the longest: that with the most `waited_for_ns` in "
       "`collectives`; the first of several. Empty if its share of the waiting may be chance, or "
       "the ranks have no common clock.",
       true},
      {"waited_for_device", Unit::id, Role::detail, "Its device.", true},
      {"waited_for_ns", Unit::ns, Role::measure,
       "The waiting of all members in the collectives that it is the last to arrive at.", true},
      {"most_often_last_rank", Unit::id, Role::detail,
       "The rank that is the last to arrive in the most collectives, however late; the first of "
       "several.",
       true},
      {"most_often_last_device", Unit::id, Role::detail, "Its device.", true},
      {"most_often_last_count", Unit::count, Role::detail, "How often.", true},
      {"before_ns", Unit::ns, Role::measure,
       "Why the last is later than the first: on its device, the collective before ended later by "
       "this. Summed over all; the three parts add up to the difference of the starts.",
       true},
      {"device_ns", Unit::ns, Role::measure, "Since then, its device was busy for longer by this.",
       true},
      {"host_ns", Unit::ns, Role::measure, "Since then, its device was idle for longer by this.",
       true},
      {"partial", Unit::boolean, Role::measure,
       "Whether members of the process group are not in the runs. Then they may arrive later than "
       "all others: `waiting_ns` is a lower bound, and who is the last is only known of those "
       "present."}}},
    needs<job::Members>,
    add_collective_balance,
    without_several_members};

const Definition collective_bandwidth_table{
    {"collective_bandwidth",
     "bandwidth of collectives",
     "One row per process group and kind of collective whose sizes the traces contain.",
     {group_column,
      kind_column,
      members_column,
      group_size_column,
      {"instances", Unit::count, Role::measure, "Collectives with a size."},
      {"bytes", Unit::bytes, Role::measure,
       "The sum of their sizes, of the member with most: what goes in; of an allgather, what comes "
       "out."},
      {"time_ns", Unit::ns, Role::measure,
       "The sum of the least transfer of any member: duration without waiting."},
      {"with_waiting", Unit::boolean, Role::measure,
       "Whether `time_ns` may contain waiting, since members of the process group are not in the "
       "runs or are not compared: the bandwidths are lower bounds."},
      {"algorithm_bytes_per_s", Unit::per_second, Role::measure, "`bytes` divided by `time_ns`.",
       true},
      {"bus_bytes_per_s", Unit::per_second, Role::measure,
       "What a link carries: the same, × 2(n-1)/n of an allreduce, × (n-1)/n of an allgather, "
       "reducescatter or alltoall, × 1 of others, with n members of the group.",
       true},
      {"link", Unit::ratio, Role::measure,
       "`bus_bytes_per_s` as a part of what `--link` says; empty without it.", true}}},
    needs<job::Members>,
    add_collective_bandwidth,
    without_bandwidth};

const Definition collectives_table{
    {.id = "collectives",
     .title = "collectives by rank",
     .doc = "One row per process group, kind of collective, and device that has it.",
     .columns = {group_column,
                 kind_column,
                 {"rank", Unit::id, Role::key, "The rank."},
                 {"device", Unit::id, Role::key, "The device."},
                 {"instances", Unit::count, Role::measure, "Operations on the device."},
                 {"matched", Unit::count, Role::measure,
                  "Those that all members have, which are compared."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of the durations of all."},
                 {"transfer_ns", Unit::ns, Role::measure,
                  "Of those that are compared, duration without `waiting_ns`; an upper bound where "
                  "`partial` in `collective_balance`. Empty if nothing is compared, or the ranks "
                  "have no common clock.",
                  true},
                 {"waiting_ns", Unit::ns, Role::measure,
                  "From their start to that of the last member that is in the runs.", true},
                 {"beyond_shortest_ns", Unit::ns, Role::detail,
                  "What they take longer than the shortest of any member, which needs no clock; "
                  "empty if nothing is compared.",
                  true},
                 {"last_count", Unit::count, Role::measure, "How often it was the last to arrive.",
                  true},
                 {"waited_for_ns", Unit::ns, Role::measure,
                  "The waiting of all members in those that it was the last to arrive at.", true},
                 {"bytes", Unit::bytes, Role::detail,
                  "The sum of the sizes of all, as in `collective_bandwidth`; empty if one is not "
                  "known.",
                  true}},
     .in_short_form = false},
    needs<job::Members>,
    add_collectives,
    without_several_members};

}  // namespace kr::tables

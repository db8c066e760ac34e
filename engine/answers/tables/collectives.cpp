// Operations that communicate, on several devices: how long each waits in them for the others, why,
// and how fast they are.
#include <algorithm>
#include <set>

#include "job/job.hpp"
#include "tables/collective_notes.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::Bandwidth;

using job::Delay;

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

Cell if_matched(const GroupTimes& one, int64_t value) {
  return one.matched ? Cell(value) : Cell();
}

Cell on_clock(const GroupTimes& one, int64_t value) {
  return one.one_clock ? Cell(value) : Cell();
}

/// Members of a group, by rank and device; nothing where there is none.
struct MemberOfGroup {
  std::optional<int64_t> rank = {};
  std::optional<int64_t> device = {};
};

struct CollectiveBalanceRow : Parts<CollectiveKey, GroupTimes, Delay> {
  int64_t total_ns;
  MemberOfGroup waits_most;
  const PartTimes* late;  // null: none is
  std::optional<int64_t> late_rank;
  const PartTimes& often;
  int64_t often_rank;
};

void add_collective_balance(const Source& source, Rows<CollectiveBalanceRow>& rows) {
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
    int64_t total_ns = 0;
    for (const PartTimes& part : one.parts) total_ns = add_saturated(total_ns, part.matched_ns);
    rows.add({{key, one, one.delay()},
              total_ns,
              uneven ? MemberOfGroup{source.rank(most->run), most->device} : MemberOfGroup{},
              late,
              late != nullptr ? std::optional(source.rank(late->run)) : std::nullopt,
              *often,
              source.rank(often->run)});
  });
}

struct BandwidthRow : Parts<CollectiveKey, GroupTimes, Bandwidth> {
  std::optional<double> bus;
  std::optional<double> link;
};

void add_collective_bandwidth(const Source& source, Rows<BandwidthRow>& rows) {
  const auto& link = source.job_options.link_bytes_per_s;
  each_group(source, [&](const CollectiveKey& key, const GroupTimes& one) {
    if (!one.bandwidth) return;
    const auto bus = one.bus_bytes_per_s();
    rows.add({{key, one, *one.bandwidth}, bus, link});
  });
}

struct CollectiveRow : Parts<CollectiveKey, GroupTimes, PartTimes> {
  int64_t rank;
};

void add_collectives(const Source& source, Rows<CollectiveRow>& rows) {
  each_group(source, [&](const CollectiveKey& key, const GroupTimes& one) {
    for (const PartTimes& part : one.parts) {
      rows.add({{key, one, part}, source.rank(part.run)});
    }
  });
}

constexpr table::Head group_column{
    "group", Unit::text, Role::key,
    "The name of the process group, with its ranks where several groups "
    "have one name; empty if the traces do not contain it."};
constexpr table::Head kind_column{
    "kind", Unit::name, Role::key,
    "What it does: `allreduce`, `sendrecv` and so on; the name of the kernel "
    "if neither the trace nor that name shows it."};
constexpr table::Head members_column{"members", Unit::count, Role::measure,
                                     "Devices of the runs that have it."};
constexpr table::Head group_size_column{"group_size", Unit::count, Role::detail,
                                        "Members of the process group, if the traces contain it.",
                                        optional};

}  // namespace

const Definition collective_balance_table = TableOf<CollectiveBalanceRow>{
    {"collective_balance",
     "collectives: waiting for the last to arrive",
     "One row per process group and kind of collective that is compared between devices.",
     {{group_column, &CollectiveKey::group},
      {kind_column, &CollectiveKey::kind},
      {"description", Unit::text, Role::detail,
       "The description of the process group, if the traces contain it.",
       [](const GroupTimes& one) { return std::string_view(one.group.description); }, optional},
      {members_column, [](const GroupTimes& one) { return one.parts.size(); }},
      {group_size_column, size_cell},
      {"instances", Unit::count, Role::measure, "Collectives that are compared.",
       &GroupTimes::instances},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations, over all members.",
       &CollectiveBalanceRow::total_ns},
      {"waiting_ns", Unit::ns, Role::measure,
       "`waiting_ns` of `collectives`, over all members; `beyond_shortest_ns` if their ranks have "
       "no common clock.",
       [](const GroupTimes& one) { return one.waiting_ns(); }},
      {"waiting", Unit::ratio, Role::measure, "`waiting_ns` as a part of `total_ns`.",
       [](const CollectiveBalanceRow& row) {
         return ratio_of(row.of<GroupTimes>().waiting_ns(), row.total_ns);
       }},
      {"waits_most_rank", Unit::id, Role::measure,
       "The rank that waits most; the first of several. Empty where `waited_for_rank` is, although "
       "the ranks have a common clock: then they wait for each other.",
       [](const CollectiveBalanceRow& row) { return row.waits_most.rank; }, optional},
      {"waits_most_device", Unit::id, Role::detail, "Its device.",
       [](const CollectiveBalanceRow& row) { return row.waits_most.device; }, optional},
      {"waited_for_rank", Unit::id, Role::measure,
       "The rank that the others wait for the longest: that with the most `waited_for_ns` in "
       "`collectives`; the first of several. Empty if its share of the waiting may be chance, or "
       "the ranks have no common clock.",
       &CollectiveBalanceRow::late_rank, optional},
      {"waited_for_device", Unit::id, Role::detail, "Its device.",
       [](const CollectiveBalanceRow& row) {
         return row.late != nullptr ? Cell(int64_t{row.late->device}) : Cell();
       },
       optional},
      {"waited_for_ns", Unit::ns, Role::measure,
       "The waiting of all members in the collectives that it is the last to arrive at.",
       [](const CollectiveBalanceRow& row) {
         return row.late != nullptr ? Cell(row.late->waited_for_ns) : Cell();
       },
       optional},
      {"most_often_last_rank", Unit::id, Role::detail,
       "The rank that is the last to arrive in the most collectives, however late; the first of "
       "several.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.often_rank); }, optional},
      {"most_often_last_device", Unit::id, Role::detail, "Its device.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.often.device); }, optional},
      {"most_often_last_count", Unit::count, Role::detail, "How often.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.often.last); }, optional},
      {"before_ns", Unit::ns, Role::measure,
       "Why the last is later than the first: on its device, the collective before ended later by "
       "this. Summed over all; the three parts add up to the difference of the starts.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.of<Delay>().before_ns); },
       optional},
      {"device_ns", Unit::ns, Role::measure, "Since then, its device was busy for longer by this.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.of<Delay>().device_ns); },
       optional},
      {"host_ns", Unit::ns, Role::measure, "Since then, its device was idle for longer by this.",
       [](const CollectiveBalanceRow& row) { return on_clock(row, row.of<Delay>().host_ns); },
       optional},
      {"partial", Unit::boolean, Role::measure,
       "Whether members of the process group are not in the runs. Then they may arrive later than "
       "all others: `waiting_ns` is a lower bound, and who is the last is only known of those "
       "present.",
       [](const GroupTimes& one) { return !one.complete; }}}},
    needs<job::Members>,
    add_collective_balance,
    without_several_members};

const Definition collective_bandwidth_table = TableOf<BandwidthRow>{
    {"collective_bandwidth",
     "bandwidth of collectives",
     "One row per process group and kind of collective whose sizes the traces contain.",
     {{group_column, &CollectiveKey::group},
      {kind_column, &CollectiveKey::kind},
      {members_column, [](const GroupTimes& one) { return one.parts.size(); }},
      {group_size_column, size_cell},
      {"instances", Unit::count, Role::measure, "Collectives with a size.", &Bandwidth::instances},
      {"bytes", Unit::bytes, Role::measure,
       "The sum of their sizes, of the member with most: what goes in; of an allgather or gather, "
       "what comes out; of a sendrecv both.",
       &Bandwidth::bytes},
      {"time_ns", Unit::ns, Role::measure,
       "The sum of the least transfer of any member: duration without waiting.",
       &Bandwidth::time_ns},
      {"with_waiting", Unit::boolean, Role::measure,
       "Whether `time_ns` may contain waiting, since members of the process group are not in the "
       "runs or are not compared: the bandwidths are lower bounds.",
       &Bandwidth::with_waiting},
      {"algorithm_bytes_per_s", Unit::per_second, Role::measure, "`bytes` divided by `time_ns`.",
       &Bandwidth::bytes_per_s, optional},
      {"bus_bytes_per_s", Unit::per_second, Role::measure,
       "What a link carries: the same, × 2(n-1)/n of an allreduce, × (n-1)/n of an allgather, "
       "reducescatter, alltoall, gather or scatter, × 1 of others, with n members of the group.",
       &BandwidthRow::bus, optional},
      {"link", Unit::ratio, Role::measure,
       "`bus_bytes_per_s` as a part of what `--link` says; empty without it.",
       [](const BandwidthRow& row) {
         return row.link && row.bus ? Cell(*row.bus / *row.link) : Cell();
       },
       optional}}},
    needs<job::Members>,
    add_collective_bandwidth,
    without_bandwidth};

const Definition collectives_table = TableOf<CollectiveRow>{
    {.id = "collectives",
     .title = "collectives by rank",
     .doc = "One row per process group, kind of collective, and device that has it.",
     .columns = {{group_column, &CollectiveKey::group},
                 {kind_column, &CollectiveKey::kind},
                 {head::rank, &CollectiveRow::rank},
                 {head::the_device, &PartTimes::device},
                 {head::instances_on_device, &PartTimes::instances},
                 {"matched", Unit::count, Role::measure,
                  "Those that all members have, which are compared.", &PartTimes::matched},
                 {"total_ns", Unit::ns, Role::measure, "The sum of the durations of all.",
                  &PartTimes::total_ns},
                 {"transfer_ns", Unit::ns, Role::measure,
                  "Of those that are compared, duration without `waiting_ns`; an upper bound where "
                  "`partial` in `collective_balance`. Empty if nothing is compared, or the ranks "
                  "have no common clock.",
                  [](const CollectiveRow& row) {
                    return on_clock(row.of<GroupTimes>(), row.of<PartTimes>().matched_ns -
                                                              row.of<PartTimes>().waiting_ns);
                  },
                  optional},
                 {"waiting_ns", Unit::ns, Role::measure,
                  "From their start to that of the last member that is in the runs.",
                  [](const CollectiveRow& row) {
                    return on_clock(row.of<GroupTimes>(), row.of<PartTimes>().waiting_ns);
                  },
                  optional},
                 {"beyond_shortest_ns", Unit::ns, Role::detail,
                  "What they take longer than the shortest of any member, which needs no clock; "
                  "empty if nothing is compared.",
                  [](const CollectiveRow& row) {
                    return if_matched(row.of<GroupTimes>(), row.of<PartTimes>().beyond_shortest_ns);
                  },
                  optional},
                 {"last_count", Unit::count, Role::measure, "How often it was the last to arrive.",
                  [](const CollectiveRow& row) {
                    return on_clock(row.of<GroupTimes>(), row.of<PartTimes>().last);
                  },
                  optional},
                 {"waited_for_ns", Unit::ns, Role::measure,
                  "The waiting of all members in those that it was the last to arrive at.",
                  [](const CollectiveRow& row) {
                    return on_clock(row.of<GroupTimes>(), row.of<PartTimes>().waited_for_ns);
                  },
                  optional},
                 {"bytes", Unit::bytes, Role::detail,
                  "The sum of the sizes of all, as in `collective_bandwidth`; empty if one is not "
                  "known.",
                  &PartTimes::bytes, optional}},
     .in_short_form = false},
    needs<job::Members>,
    add_collectives,
    without_several_members};

}  // namespace kr::tables

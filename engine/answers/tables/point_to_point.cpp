// Sends with their receives, by pair of ranks.
#include <algorithm>

#include "job/job.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::PeerTimes;

/// Whether kernels send and receive at once.
bool any_joined(const Source& source) {
  return std::ranges::any_of(source.runs, [](const Run& run) {
    const auto* const members = run.find<job::Members>();
    return members != nullptr && std::ranges::any_of(members->all, [](const job::Member& one) {
             return std::ranges::any_of(one.groups, [](const job::CollectiveGroup& group) {
               return group.kind == job::CollectiveKind::send_receive;
             });
           });
  });
}

std::string without_point_to_point(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  if (!source.job()->peers.empty()) return {};
  return any_joined(source) ? "a kernel of NCCL does all sends and receives of a group of calls at "
                              "once, between several ranks; where payloads of NVTX say so, "
                              "`nccl_calls` has them by peer"
                            : "no trace has sends or receives by themselves";
}

Cell if_matched(const PeerTimes& one, int64_t value) {
  return one.matched > 0 ? Cell(value) : Cell();
}

Cell on_clock(const PeerTimes& one, int64_t value) {
  return one.matched > 0 && one.one_clock ? Cell(value) : Cell();
}

struct PeerRow : Parts<PeerTimes> {
  std::string_view group;
};

void add_point_to_point(const Source& source, Rows<PeerRow>& rows) {
  for (const PeerTimes& one : source.job()->peers) {
    std::string group = one.group;
    if (!one.ranks.empty()) group += " " + one.ranks;
    rows.add({{one}, group});
  }
}

}  // namespace

const Definition point_to_point_table = TableOf<PeerRow>{
    {"point_to_point",
     "sends with their receives",
     "One row per process group, sending and receiving rank.",
     {{"group", Unit::text, Role::key, "The process group, with its ranks.", &PeerRow::group},
      {"from_rank", Unit::id, Role::key, "The rank that sends; empty: it is not known.",
       &PeerTimes::from, optional},
      {"to_rank", Unit::id, Role::key, "The rank that receives; empty: it is not known.",
       &PeerTimes::to, optional},
      {"sends", Unit::count, Role::measure, "Operations of the sender.", &PeerTimes::sends},
      {"receives", Unit::count, Role::measure, "Operations of the receiver.", &PeerTimes::receives},
      {"matched", Unit::count, Role::measure, "Sends that have their receive.",
       &PeerTimes::matched},
      {"bytes", Unit::bytes, Role::measure,
       "The sum of the sizes of those that are matched; empty if one is not known.",
       &PeerTimes::bytes, optional},
      {"send_ns", Unit::ns, Role::measure, "The durations of their sends.",
       [](const PeerTimes& one) { return if_matched(one, one.send_ns); }, optional},
      {"receive_ns", Unit::ns, Role::measure, "The durations of their receives.",
       [](const PeerTimes& one) { return if_matched(one, one.receive_ns); }, optional},
      {"send_waiting_ns", Unit::ns, Role::measure,
       "Of `send_ns`, until the receive has begun; empty if the ranks have no common clock.",
       [](const PeerTimes& one) { return on_clock(one, one.send_waiting_ns); }, optional},
      {"receive_waiting_ns", Unit::ns, Role::measure, "Of `receive_ns`, until the send has begun.",
       [](const PeerTimes& one) { return on_clock(one, one.receive_waiting_ns); }, optional},
      {"not_matched_reason", Unit::text, Role::detail, "Why some or all are not matched.",
       &PeerTimes::why_not, optional}}},
    needs<job::Members>,
    add_point_to_point,
    without_point_to_point};

}  // namespace kr::tables

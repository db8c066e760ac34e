// Sends with their receives, by pair of ranks.
#include "job/job.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::string without_point_to_point(const Source& source) {
  if (std::string why = not_ranks(source); !why.empty()) return why;
  return source.job()->peers.empty() ? "no trace has sends or receives by themselves" : "";
}

void add_point_to_point(const Source& source, RowSink& sink) {
  for (const job::PeerTimes& one : source.job()->peers) {
    const auto if_matched = [&](int64_t value) { return one.matched > 0 ? Cell(value) : Cell(); };
    const auto on_clock = [&](int64_t value) {
      return one.matched > 0 && one.one_clock ? Cell(value) : Cell();
    };
    std::string group = one.group;
    if (!one.ranks.empty()) group += " " + one.ranks;
    sink.row({group, table::cell(one.from), table::cell(one.to), one.sends, one.receives,
              one.matched, table::cell(one.bytes), if_matched(one.send_ns),
              if_matched(one.receive_ns), on_clock(one.send_waiting_ns),
              on_clock(one.receive_waiting_ns), table::cell_or_nothing(one.why_not)});
  }
}

}  // namespace

const Definition point_to_point_table{
    {"point_to_point",
     "sends with their receives",
     "One row per process group, sending and receiving rank.",
     {{"group", Unit::text, Role::key, "The process group, with its ranks."},
      {"from_rank", Unit::id, Role::key, "The rank that sends; empty: it is not known.", true},
      {"to_rank", Unit::id, Role::key, "The rank that receives; empty: it is not known.", true},
      {"sends", Unit::count, Role::measure, "Operations of the sender."},
      {"receives", Unit::count, Role::measure, "Operations of the receiver."},
      {"matched", Unit::count, Role::measure, "Sends that have their receive."},
      {"bytes", Unit::bytes, Role::measure,
       "The sum of the sizes of those that are matched; empty if one is not known.", true},
      {"send_ns", Unit::ns, Role::measure, "The durations of their sends.", true},
      {"receive_ns", Unit::ns, Role::measure, "The durations of their receives.", true},
      {"send_waiting_ns", Unit::ns, Role::measure,
       "Of `send_ns`, until the receive has begun; empty if the ranks have no common clock.", true},
      {"receive_waiting_ns", Unit::ns, Role::measure, "Of `receive_ns`, until the send has begun.",
       true},
      {"not_matched_reason", Unit::text, Role::detail, "Why some or all are not matched.", true}}},
    needs<job::Members>,
    add_point_to_point,
    without_point_to_point};

}  // namespace kr::tables

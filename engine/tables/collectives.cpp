// Kernels that communicate, on several ranks: how long each rank waits in them for the others.
#include <algorithm>
#include <numeric>

#include "tables/definition.hpp"

namespace kr::tables {
namespace {

void add_collective_balance(const Source& source, RowSink& sink) {
  for (const analyze::Collective& one : source.ranks().collectives) {
    const std::vector<int64_t>& waiting = one.waiting_ns;
    const auto least = std::min_element(waiting.begin(), waiting.end());
    const auto most = std::max_element(waiting.begin(), waiting.end());
    const int64_t total_ns = std::accumulate(one.total_ns.begin(), one.total_ns.end(), int64_t{0});
    const auto rank = [&](auto at) {
      return source.rank(static_cast<size_t>(at - waiting.begin()));
    };
    sink.row({one.name, one.instances, total_ns, one.waited_ns(),
              ratio_of(one.waited_ns(), total_ns), rank(most), rank(least)});
  }
}

void add_collectives(const Source& source, RowSink& sink) {
  const analyze::Ranks& ranks = source.ranks();
  for (const analyze::Collective& one : ranks.collectives) {
    for (size_t run = 0; run < ranks.runs.size(); ++run) {
      sink.row({one.name, source.rank(run), one.instances, one.total_ns[run], one.waiting_ns[run]});
    }
  }
  for (const std::string& name : ranks.uneven) {
    for (size_t run = 0; run < ranks.runs.size(); ++run) {
      for (const analyze::CommunicationTimes& one : source.runs[run].statistics->communication) {
        if (one.name != name) continue;
        const std::vector<int64_t>& all = one.durations_ns;
        sink.row({name, source.rank(run), static_cast<int64_t>(all.size()),
                  std::accumulate(all.begin(), all.end(), int64_t{0}), Cell()});
      }
    }
  }
}

}  // namespace

const Definition collective_balance_table{
    {"collective_balance",
     "collectives: waiting for other ranks",
     "One row per name of a communication kernel that all ranks have equally many of.",
     {{"name", Unit::name, Role::key, "The name of the kernel."},
      {"instances", Unit::count, Role::measure, "Kernels of that name on each rank."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations, over all ranks."},
      {"waiting_ns", Unit::ns, Role::measure, "`waiting_ns` of `collectives`, over all ranks."},
      {"waiting", Unit::ratio, Role::measure, "`waiting_ns` as a part of `total_ns`."},
      {"waits_most_rank", Unit::id, Role::measure,
       "The rank with the largest `waiting_ns`; the first of several."},
      {"waits_least_rank", Unit::id, Role::measure,
       "The rank with the smallest `waiting_ns`; the first of several."}}},
    Needs::statistics,
    add_collective_balance,
    not_several_ranks};

const Definition collectives_table{
    {.id = "collectives",
     .title = "collectives by rank",
     .doc = "One row per name of a communication kernel and rank that has it.",
     .columns = {{"name", Unit::name, Role::key, "The name of the kernel."},
                 {"rank", Unit::id, Role::key, "The rank."},
                 {"instances", Unit::count, Role::measure, "Kernels of that name on the rank."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"waiting_ns", Unit::ns, Role::measure,
                  "What the k-th kernel takes longer than the shortest k-th of any rank, summed; "
                  "empty if the ranks do not have equally many.",
                  true}},
     .in_short_form = false},
    Needs::statistics,
    add_collectives,
    not_several_ranks};

}  // namespace kr::tables

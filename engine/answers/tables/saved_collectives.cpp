// What saved runs keep of collectives.
#include "changes/saved_collectives.hpp"

#include "job/member.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

template <class Add>
void each_member(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    for (const job::Member& member : run.get<job::Members>().all) {
      add(run.summary.id, member, changes::pack_collectives(member));
    }
  }
}

void add_saved_groups(const Source& source, RowSink& sink) {
  each_member(source, [&](const std::string& run, const job::Member& member,
                          const changes::PackedCollectives& packed) {
    for (size_t i = 0; i < member.groups.size(); ++i) {
      const job::CollectiveGroup& group = member.groups[i];
      const job::CollectiveRest& all = packed.all[i];
      sink.row({run, int64_t{member.device}, static_cast<int64_t>(i),
                table::cell_or_nothing(group.name), table::cell_or_nothing(group.ranks),
                table::cell_or_nothing(group.description), job::to_string(group.kind),
                table::cell_or_nothing(group.kernel),
                group.size == job::CollectiveGroup::unknown ? Cell() : Cell(group.size),
                all.instances, all.total_ns, table::cell(all.bytes)});
    }
  });
}

void add_saved_collectives(const Source& source, RowSink& sink) {
  each_member(source, [&](const std::string& run, const job::Member& member,
                          const changes::PackedCollectives& packed) {
    sink.row({run, int64_t{member.device}, packed.text});
  });
}

}  // namespace

const Definition saved_collective_groups_table{
    {.id = "saved_collective_groups",
     .title = "saved groups of collectives",
     .doc = "One row per run, device, process group and kind of collective, of saved runs; "
            "`collectives` is made from it.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"group_id", Unit::id, Role::key,
                  "The number of the group on the device, from 0."},
                 {"group", Unit::text, Role::measure, "The name of the process group.", true},
                 {"ranks", Unit::text, Role::measure, "Its ranks, as the trace spells them.", true},
                 {"description", Unit::text, Role::measure, "Its description.", true},
                 {"kind", Unit::text, Role::measure, "What the collective does."},
                 {"kernel", Unit::name, Role::measure,
                  "The name of the kernel, if the kind is not known.", true},
                 {"group_size", Unit::count, Role::measure, "Members of the process group.", true},
                 {"instances", Unit::count, Role::measure, "Operations on the device."},
                 {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
                 {"bytes", Unit::bytes, Role::measure,
                  "The sum of their sizes; empty if one is not known.", true}},
     .in_short_form = false},
    needs<job::Members>,
    add_saved_groups,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    true};

const Definition saved_collectives_table{
    {.id = "saved_collectives",
     .title = "saved collectives",
     .doc = "One row per run and device that communicates, of saved runs: its collectives one by "
            "one, those that fit in 256 KiB; `collectives` and `clocks` are made from it.",
     .columns = {{"run", Unit::text, Role::key, "The run."},
                 {"device", Unit::id, Role::key, "The number of the device."},
                 {"collectives", Unit::text, Role::measure,
                  "A word for each, in order of launch: `g` and the number of the group, `b` and "
                  "the bytes, `s` and the sequence number, where these are not as before; then "
                  "the time from the end of the one before, the duration, and the part of the "
                  "former in which the device was idle, in ns."}},
     .in_short_form = false},
    needs<job::Members>,
    add_saved_collectives,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    true};

}  // namespace kr::tables

// What saved runs keep of collectives.
#include "changes/saved_collectives.hpp"

#include "job/member.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using changes::PackedCollectives;
using job::CollectiveGroup;
using job::CollectiveRest;

using job::Member;

template <class Add>
void each_member(const Source& source, const Add& add) {
  for (const Run& run : source.runs) {
    for (const Member& member : run.get<job::Members>().all) {
      add(run.summary.id, member, changes::pack_collectives(member));
    }
  }
}

struct SavedGroupRow : Parts<Member, CollectiveGroup, CollectiveRest> {
  std::string_view run;
  size_t place;
};

void add_saved_groups(const Source& source, Rows<SavedGroupRow>& rows) {
  each_member(source,
              [&](const std::string& run, const Member& member, const PackedCollectives& packed) {
                for (size_t i = 0; i < member.groups.size(); ++i) {
                  const CollectiveGroup& group = member.groups[i];
                  const CollectiveRest& all = packed.all[i];
                  rows.add({{member, group, all}, run, i});
                }
              });
}

struct SavedCollectiveRow : Parts<Member, PackedCollectives> {
  std::string_view run;
};

void add_saved_collectives(const Source& source, Rows<SavedCollectiveRow>& rows) {
  each_member(source,
              [&](const std::string& run, const Member& member, const PackedCollectives& packed) {
                rows.add({{member, packed}, run});
              });
}

}  // namespace

const Definition saved_collective_groups_table = TableOf<SavedGroupRow>{
    {.id = "saved_collective_groups",
     .title = "saved groups of collectives",
     .doc = "One row per run, device, process group and kind of collective, of saved runs; "
            "`collectives` is made from it.",
     .columns =
         {{"run", Unit::text, Role::key, "The run.", &SavedGroupRow::run},
          {head::device, &Member::device},
          {"group_id", Unit::id, Role::key, "The number of the group on the device, from 0.",
           &SavedGroupRow::place},
          {"group", Unit::text, Role::measure, "The name of the process group.",
           &CollectiveGroup::name, optional},
          {"ranks", Unit::text, Role::measure, "Its ranks, as the trace spells them.",
           &CollectiveGroup::ranks, optional},
          {"description", Unit::text, Role::measure, "Its description.",
           &CollectiveGroup::description, optional},
          {"kind", Unit::text, Role::measure, "What the collective does.", &CollectiveGroup::kind},
          {"kernel", Unit::name, Role::measure, "The name of the kernel, if the kind is not known.",
           &CollectiveGroup::kernel, optional},
          {"group_size", Unit::count, Role::measure, "Members of the process group.",
           [](const CollectiveGroup& group) {
             return group.size == CollectiveGroup::unknown ? Cell() : Cell(group.size);
           },
           optional},
          {head::instances_on_device, &CollectiveRest::instances},
          {head::total_ns, &CollectiveRest::total_ns},
          {"bytes", Unit::bytes, Role::measure,
           "The sum of their sizes; empty if one is not known.", &CollectiveRest::bytes, optional}},
     .in_short_form = false},
    needs<job::Members>,
    add_saved_groups,
    nullptr,
    facts::Reads::nothing,
    nullptr,
    nullptr,
    nullptr,
    true};

const Definition saved_collectives_table = TableOf<SavedCollectiveRow>{
    {.id = "saved_collectives",
     .title = "saved collectives",
     .doc = "One row per run and device that communicates, of saved runs: its collectives one by "
            "one, those that fit in 256 KiB; `collectives` and `clocks` are made from it.",
     .columns = {{"run", Unit::text, Role::key, "The run.", &SavedCollectiveRow::run},
                 {head::device, &Member::device},
                 {"collectives", Unit::text, Role::measure,
                  "A word for each, in order of launch: `g` and the number of the group, `b` and "
                  "the bytes, `s` and the sequence number, where these are not as before; then "
                  "the time from the end of the one before, the duration, and the part of the "
                  "former in which the device was idle, in ns.",
                  &PackedCollectives::text}},
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

// Collectives below and outside of compute: by process group and kind, label, layer, phase, step.
#include "job/member.hpp"
#include "tables/collective_keys.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::Member;
using job::OverlapTimes;

using job::CollectiveOverlap;

std::string without_overlap(const Source& source) {
  for (const Run& run : source.runs) {
    if (!run.get<job::Members>().all.empty()) return {};
  }
  return "no operation communicates";
}

using OverlapRows = std::vector<CollectiveOverlap::Row> CollectiveOverlap::*;

/// Why no run has rows of that kind; empty: one has.
std::string without_rows(const Source& source, OverlapRows rows, std::string_view reason) {
  if (std::string why = without_overlap(source); !why.empty()) return why;
  for (const Run& run : source.runs) {
    for (const Member& member : run.get<job::Members>().all) {
      if (member.overlap && !((*member.overlap).*rows).empty()) return {};
    }
  }
  return std::string(reason);
}

using OverlapRow = Parts<Run, Member, CollectiveOverlap::Row, OverlapTimes, CollectiveKey>;

template <OverlapRows of>
void add_overlap(const Source& source, Rows<OverlapRow>& rows) {
  for (const Run& run : source.runs) {
    for (const Member& member : run.get<job::Members>().all) {
      if (!member.overlap) continue;
      const std::vector<CollectiveKey> keys = keys_of_groups(member.overlap->groups);
      for (const CollectiveOverlap::Row& row : (*member.overlap).*of) {
        rows.add({run, member, row, row.times, keys[row.group]});
      }
    }
  }
}

std::string without_overlap_layers(const Source& source) {
  if (std::string why = without_overlap(source); !why.empty()) return why;
  for (const Run& run : source.runs) {
    for (const Member& member : run.get<job::Members>().all) {
      if (!member.overlap) continue;
      for (const CollectiveOverlap::Row& row : member.overlap->layers) {
        if (row.number) return {};
      }
    }
  }
  return "no operation that communicates is in a repeated layer";
}

std::string without_overlap_steps(const Source& source) {
  return without_rows(source, &CollectiveOverlap::steps,
                      "no annotation of a trace that the `phases` of its model match encloses "
                      "the launch of an operation that communicates");
}

/// `own`: between the device and the group.
Columns<OverlapRow> overlap_columns(const Columns<OverlapRow>& own) {
  return {
      run_column,
      {head::the_device, &Member::device},
      own,
      {"group", Unit::text, Role::key,
       "The name of the process group, as in `collectives`; empty if the trace does not "
       "contain it.",
       &CollectiveKey::group},
      {"kind", Unit::name, Role::key, "What it does, as in `collectives`.", &CollectiveKey::kind},
      {"instances", Unit::count, Role::measure, "Operations.", &OverlapTimes::instances},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them runs.",
       &OverlapTimes::busy_ns},
      {"exposed_ns", Unit::ns, Role::measure,
       "Of this, the time in which no compute kernel of the device runs, of whatever step or "
       "label.",
       &OverlapTimes::exposed_ns},
      {"overlapped_ns", Unit::ns, Role::measure,
       "The rest: `exposed_ns` and `overlapped_ns` add up to `busy_ns`.",
       &OverlapTimes::overlapped_ns},
      {"exposed", Unit::ratio, Role::measure, "`exposed_ns` as a part of `busy_ns`.",
       [](const OverlapTimes& times) { return ratio_of(times.exposed_ns, times.busy_ns); },
       read_with("exposed_ns")}};
}

}  // namespace

const Definition collective_overlap_part =
    TableOf<OverlapRow>{{.id = "collective_overlap",
                         .title = "collectives below compute and exposed",
                         .doc = "One row per device, process group and kind of collective.",
                         .columns = overlap_columns({})},
                        needs<job::Members, job::Overlaps>,
                        add_overlap<&CollectiveOverlap::whole>,
                        without_overlap};

const Definition collective_overlap_labels_part = TableOf<OverlapRow>{
    {.id = "collective_overlap_labels",
     .title = "exposed collectives by label",
     .doc = "One row per device, label, process group and kind of collective.",
     .columns = overlap_columns(
         {{head::the_dimension, &CollectiveOverlap::Row::dimension},
          {"label", Unit::text, Role::key, "The label of the operations that communicate.",
           &CollectiveOverlap::Row::label}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap<&CollectiveOverlap::labels>,
    without_overlap};

const Definition collective_overlap_layers_part = TableOf<OverlapRow>{
    {.id = "collective_overlap_layers",
     .title = "exposed collectives by layer",
     .doc = "One row per device, layer, process group and kind of collective. Layers of all steps "
            "with one number are one.",
     .columns = overlap_columns({{"layer", Unit::id, Role::key,
                                  "The layer in a repeated block, as in `operations`; empty: in "
                                  "none.",
                                  &CollectiveOverlap::Row::number, optional}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap<&CollectiveOverlap::layers>,
    without_overlap_layers};

const Definition collective_overlap_phases_part = TableOf<OverlapRow>{
    {.id = "collective_overlap_phases",
     .title = "exposed collectives by phase",
     .doc = "One row per device, phase, process group and kind of collective: of all steps of the "
            "phase.",
     .columns = overlap_columns({{"phase", Unit::text, Role::key,
                                  "The phase; `(outside steps)` for operations in no step.",
                                  &CollectiveOverlap::Row::label}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap<&CollectiveOverlap::phases>,
    without_overlap_steps};

const Definition collective_overlap_steps_part = TableOf<OverlapRow>{
    {.id = "collective_overlap_steps",
     .title = "exposed collectives by step",
     .doc = "One row per device, step, process group and kind of collective. A step includes those "
            "inside it.",
     .columns = overlap_columns(
         {{"step_id", Unit::id, Role::key, "The step, as in `steps`.",
           &CollectiveOverlap::Row::step_id},
          {"phase", Unit::text, Role::measure, "Its phase.", &CollectiveOverlap::Row::label},
          {"step", Unit::id, Role::measure, "Its number, if the annotation has one.",
           &CollectiveOverlap::Row::number, optional},
          {"layer", Unit::id, Role::detail, "Its layer, if the annotation has one.",
           &CollectiveOverlap::Row::step_layer, optional}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap<&CollectiveOverlap::steps>,
    without_overlap_steps};

const Definition collective_overlap_table =
    scoped("collective_overlap", "collectives below compute and exposed",
           "One row per run, device, process group, kind of collective, and what it is about.",
           {{.part = collective_overlap_part, .name = "device"},
            {.part = collective_overlap_labels_part, .by = "dimension", .key = "label"},
            {.part = collective_overlap_layers_part, .name = "layer", .key = "layer"},
            {.part = collective_overlap_phases_part, .name = "phase", .key = "phase"},
            {.part = collective_overlap_steps_part, .name = "step", .key = "step_id"}});

}  // namespace kr::tables

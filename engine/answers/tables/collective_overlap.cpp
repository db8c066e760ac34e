// Collectives below and outside of compute: by process group and kind, label, layer, phase, step.
#include <functional>

#include "job/member.hpp"
#include "tables/collective_keys.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

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
    for (const job::Member& member : run.get<job::Members>().all) {
      if (member.overlap && !((*member.overlap).*rows).empty()) return {};
    }
  }
  return std::string(reason);
}

/// `own`: appends the cells between the device and the group.
void add_rows(const Source& source, RowSink& sink, OverlapRows rows,
              const std::function<void(const CollectiveOverlap::Row&, Cells&)>& own) {
  Cells cells;
  for (const Run& run : source.runs) {
    for (const job::Member& member : run.get<job::Members>().all) {
      if (!member.overlap) continue;
      const std::vector<CollectiveKey> keys = keys_of_groups(member.overlap->groups);
      for (const CollectiveOverlap::Row& row : (*member.overlap).*rows) {
        cells.assign({run.summary.id, int64_t{member.device}});
        own(row, cells);
        const job::OverlapTimes& times = row.times;
        cells.insert(cells.end(), {keys[row.group].group, keys[row.group].kind, times.instances,
                                   times.busy_ns, times.exposed_ns, times.overlapped_ns(),
                                   ratio_of(times.exposed_ns, times.busy_ns)});
        sink.row(cells);
      }
    }
  }
}

void add_overlap(const Source& source, RowSink& sink) {
  add_rows(source, sink, &CollectiveOverlap::whole, [](const auto&, Cells&) {});
}

void add_overlap_labels(const Source& source, RowSink& sink) {
  add_rows(source, sink, &CollectiveOverlap::labels, [](const auto& row, Cells& cells) {
    cells.insert(cells.end(), {row.dimension, row.label});
  });
}

void add_overlap_layers(const Source& source, RowSink& sink) {
  add_rows(source, sink, &CollectiveOverlap::layers,
           [](const auto& row, Cells& cells) { cells.push_back(table::cell(row.number)); });
}

void add_overlap_phases(const Source& source, RowSink& sink) {
  add_rows(source, sink, &CollectiveOverlap::phases,
           [](const auto& row, Cells& cells) { cells.push_back(row.label); });
}

void add_overlap_steps(const Source& source, RowSink& sink) {
  add_rows(source, sink, &CollectiveOverlap::steps, [](const auto& row, Cells& cells) {
    cells.insert(cells.end(), {static_cast<int64_t>(row.step_id), row.label,
                               table::cell(row.number), table::cell(row.step_layer)});
  });
}

std::string without_overlap_layers(const Source& source) {
  if (std::string why = without_overlap(source); !why.empty()) return why;
  for (const Run& run : source.runs) {
    for (const job::Member& member : run.get<job::Members>().all) {
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
std::vector<Column> overlap_columns(std::vector<Column> own) {
  std::vector<Column> columns{{"run", Unit::text, Role::key, "The run."},
                              {"device", Unit::id, Role::key, "The device."}};
  columns.insert(columns.end(), own.begin(), own.end());
  columns.insert(
      columns.end(),
      {{"group", Unit::text, Role::key,
        "The name of the process group, as in `collectives`; empty if the trace does not contain "
        "it."},
       {"kind", Unit::name, Role::key, "What it does, as in `collectives`."},
       {"instances", Unit::count, Role::measure, "Operations."},
       {"busy_ns", Unit::ns, Role::measure, "The time in which at least one of them runs."},
       {"exposed_ns", Unit::ns, Role::measure,
        "Of this, the time in which no compute kernel of the device runs, of whatever step or "
        "label."},
       {"overlapped_ns", Unit::ns, Role::measure,
        "The rest: `exposed_ns` and `overlapped_ns` add up to `busy_ns`."},
       {"exposed", Unit::ratio, Role::measure, "`exposed_ns` as a part of `busy_ns`.", false, false,
        "exposed_ns"}});
  return columns;
}

}  // namespace

const Definition collective_overlap_table{
    {.id = "collective_overlap",
     .title = "collectives below compute and exposed",
     .doc = "One row per device, process group and kind of collective.",
     .columns = overlap_columns({})},
    needs<job::Members, job::Overlaps>,
    add_overlap,
    without_overlap};

const Definition collective_overlap_labels_table{
    {.id = "collective_overlap_labels",
     .title = "exposed collectives by label",
     .doc = "One row per device, label, process group and kind of collective.",
     .columns = overlap_columns(
         {{"dimension", Unit::text, Role::key, "The dimension."},
          {"label", Unit::text, Role::key, "The label of the operations that communicate."}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap_labels,
    without_overlap};

const Definition collective_overlap_layers_table{
    {.id = "collective_overlap_layers",
     .title = "exposed collectives by layer",
     .doc = "One row per device, layer, process group and kind of collective. Layers of all steps "
            "with one number are one.",
     .columns = overlap_columns({{"layer", Unit::id, Role::key,
                                  "The layer in a repeated block, as in `operations`; empty: in "
                                  "none.",
                                  true}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap_layers,
    without_overlap_layers};

const Definition collective_overlap_phases_table{
    {.id = "collective_overlap_phases",
     .title = "exposed collectives by phase",
     .doc = "One row per device, phase, process group and kind of collective: of all steps of the "
            "phase.",
     .columns = overlap_columns({{"phase", Unit::text, Role::key,
                                  "The phase; `(outside steps)` for operations in no step."}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap_phases,
    without_overlap_steps};

const Definition collective_overlap_steps_table{
    {.id = "collective_overlap_steps",
     .title = "exposed collectives by step",
     .doc = "One row per device, step, process group and kind of collective. A step includes those "
            "inside it.",
     .columns = overlap_columns(
         {{"step_id", Unit::id, Role::key, "The step, as in `steps`."},
          {"phase", Unit::text, Role::measure, "Its phase."},
          {"step", Unit::id, Role::measure, "Its number, if the annotation has one.", true},
          {"layer", Unit::id, Role::detail, "Its layer, if the annotation has one.", true}}),
     .in_short_form = false},
    needs<job::Members, job::Overlaps>,
    add_overlap_steps,
    without_overlap_steps};

}  // namespace kr::tables

// The CSV files that existed before tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <tuple>

#include "analyze/run.hpp"
#include "analyze/sweep.hpp"
#include "overview/overview.hpp"
#include "render/render.hpp"
#include "sema/program.hpp"
#include "table/table.hpp"
#include "text/numbers.hpp"
#include "trees/names.hpp"

namespace kr::overview {
namespace {

using Names = std::vector<std::string>;

void write_csv(const Names& columns, const table::Table::Rows& rows, const Write& write,
               bool escape_formulas = false) {
  const table::Info no_table;  // these files have no name and no documentation
  std::vector<table::Column> described;
  for (const std::string& id : columns) described.push_back({.id = id, .doc = {}});
  render::csv({no_table, std::move(described), rows}, write, {.escape_formulas = escape_formulas});
}

/// Those of names other than stage and substage, by name.
Names further_dimensions(std::span<const analyze::RunSummary* const> runs) {
  std::set<std::string> names;
  for (const analyze::RunSummary* run : runs) {
    for (const analyze::DimensionSum& sum : run->dimensions) {
      if (!sum.ordered) names.insert(sum.dimension);
    }
  }
  names.erase("stage");
  names.erase("substage");
  return {names.begin(), names.end()};
}

// result.csv

/// The label, or `absent` if the run does not have the dimension.
std::string_view label_of(const analyze::NameSum& name, std::optional<size_t> dimension,
                          std::string_view absent = {}) {
  const analyze::NameSum::LabelResult* found = name.label(dimension);
  return found != nullptr ? std::string_view(found->label) : absent;
}

void add_run(table::RowSink& sink, const analyze::RunSummary& run, const Names& further) {
  const auto substage = run.dimension("substage");
  const auto stage = run.dimension("stage");
  std::vector<std::optional<size_t>> columns;
  for (const std::string& dimension : further) columns.push_back(run.dimension(dimension));

  std::vector<const analyze::NameSum*> names;
  for (const analyze::NameSum& name : run.names) names.push_back(&name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const analyze::NameSum* a, const analyze::NameSum* b) {
                     const auto label_a = label_of(*a, substage), label_b = label_of(*b, substage);
                     return std::tie(label_a, b->elapsed_ns, b->total_ns, a->name, a->kind) <
                            std::tie(label_b, a->elapsed_ns, a->total_ns, b->name, b->kind);
                   });
  table::Cells row;
  for (const analyze::NameSum* name : names) {
    const analyze::NameSum::LabelResult* by = name->label(substage);
    const std::string elapsed = text::seconds(name->elapsed_ns);
    const std::string total = text::seconds(name->total_ns);
    row = {run.id,
           label_of(*name, substage, sema::reserved::unclassified),
           name->instances,
           name->name,
           elapsed,
           label_of(*name, stage),
           total,
           name->elapsed_ns,
           name->total_ns,
           to_string(name->kind),
           run.engine,
           run.model,
           by != nullptr ? table::Cell(by->rule) : table::Cell()};
    for (const auto& column : columns) row.push_back(label_of(*name, column));
    sink.row(row);
  }
  if (run.operations == 0 && run.non_gpu_ns == 0) return;
  const std::string_view non_gpu = sema::reserved::non_gpu;
  const std::string time = text::seconds(run.non_gpu_ns);
  row = {run.id,         non_gpu,        int64_t{1},    non_gpu,    time,      non_gpu,      time,
         run.non_gpu_ns, run.non_gpu_ns, table::Cell(), run.engine, run.model, table::Cell()};
  row.resize(row.size() + further.size());
  sink.row(row);
}

// kr classify

Names classify_columns(const Names& further) {
  Names columns{"name", "instances", "total_ns", "elapsed_ns", "stage", "substage", "rule"};
  for (const std::string& dimension : further) {
    columns.push_back(dimension);
    columns.push_back("rule_" + dimension);
  }
  return columns;
}

/// The cells of `classify_columns` from the stage on; `find` gives label and rule in a dimension.
template <class Find>
void add_labels(table::Cells& row, const Names& further, const Find& find) {
  row.push_back(find("stage").first);
  const auto add = [&](std::string_view dimension) {
    const auto [label, rule] = find(dimension);
    row.insert(row.end(), {label, rule});
  };
  add("substage");
  for (const std::string& dimension : further) add(dimension);
}

}  // namespace

std::string to_csv(const Report& report) {
  Names columns{"Model_Engine",
                "Substage",
                "Instances",
                "Name",
                "Elapsed Time (sec)",
                "Stage",
                "Total Time (sec)",
                "Elapsed (ns)",
                "Total (ns)",
                "Kind of operation",
                "Engine",
                "Model",
                "Rule"};
  const Names further = further_dimensions(report.runs);
  columns.insert(columns.end(), further.begin(), further.end());
  std::string out;
  write_csv(
      columns,
      [&](table::RowSink& sink) {
        for (const analyze::RunSummary* run : report.runs) add_run(sink, *run, further);
      },
      [&](std::string_view piece) { out += piece; }, true);
  return out;
}

std::string classify_csv(const analyze::RunSummary& run) {
  const Names further = further_dimensions(std::array{&run});
  const auto rows = [&](table::RowSink& sink) {
    table::Cells row;
    for (const analyze::NameSum& name : run.names) {
      row = {name.name, name.instances, name.total_ns, name.elapsed_ns};
      add_labels(
          row, further, [&](std::string_view dimension) -> std::pair<table::Cell, table::Cell> {
            const analyze::NameSum::LabelResult* found = name.label(run.dimension(dimension));
            if (found == nullptr) return {};
            return {found->label, found->rule};
          });
      sink.row(row);
    }
  };
  std::string out;
  write_csv(classify_columns(further), rows, [&](std::string_view piece) { out += piece; });
  return out;
}

void classify_each_csv(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                       const Write& write) {
  const analyze::TraceLabels labels(rules, run.labelled);
  Names further;
  for (const auto& [name, of_rows] : labels.dimensions()) {
    if (name != "stage" && name != "substage") further.push_back(name);
  }
  std::sort(further.begin(), further.end());
  Names columns = classify_columns(further);
  columns.insert(columns.end(), {"operation_kind", "start_ns", "duration_ns", "device", "stream"});

  // Operations with equal labels have all but their numbers in common.
  std::deque<std::string> places;  // of rules
  std::vector<table::Cells> rows(run.labelled.rows());
  for (uint32_t row = 0; row < rows.size(); ++row) {
    const trace::OperationName& name = run.trace.names.get(run.labelled.names[row]);
    rows[row] = {name.text, int64_t{1}, table::Cell(), table::Cell()};
    add_labels(rows[row], further,
               [&](std::string_view dimension) -> std::pair<table::Cell, table::Cell> {
                 const classify::LabelResult* found = labels.find(dimension, row);
                 if (found == nullptr) return {};
                 return {found->label, places.emplace_back(labels.rule(*found))};
               });
    rows[row].push_back(to_string(name.kind));
    rows[row].resize(columns.size());
  }
  const auto add_operations = [&](table::RowSink& sink) {
    analyze::UnionSweep sweep;
    for (size_t i = 0; i < run.trace.operations.size(); ++i) {
      const trace::Operation& operation = run.trace.operations[i];
      const trace::Track& track = run.trace.track(operation.track);
      table::Cells& row = rows[run.labelled.row(i, operation)];
      row[2] = operation.duration_ns;
      row[3] = sweep.add(operation.start_ns, operation.end_ns());
      table::Cell* const last = row.data() + row.size() - 4;
      last[0] = operation.start_ns;
      last[1] = operation.duration_ns;
      last[2] = int64_t{track.device};
      last[3] = track.stream;
      sink.row(row);
    }
  };
  write_csv(columns, add_operations, write);
}

void write_tree_csv(const trees::TreeView& view, std::optional<trees::Metric> metric,
                    const Write& write) {
  Names columns{"phase", "step",  "layer",       "depth",   "path",
                "name",  "label", "invocations", "total_ns"};
  // The calls have a column of their own already.
  const bool extra = metric && *metric != trees::Metric::invocations;
  if (extra) columns.emplace_back(trees::to_string(*metric));
  const auto add_nodes = [&](table::RowSink& sink) {
    // Made once: the same paths are in thousands of steps.
    std::vector<std::string> paths(view.trace().paths.size());
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    table::Cells cells;
    for (const size_t i : view.shown()) {
      const trees::ViewStep& step = view.step(i);
      view.rows(i, nodes, rows);
      for (const trees::ViewRow& row : rows) {
        const trees::ViewEntry& entry = view.entries()[row.entry];
        cells = {step.phase,    table::cell(step.step), table::cell(view.layer(i, row)),
                 table::Cell(), table::Cell(),          entry.name,
                 entry.label,   row.invocations,        row.total_ns};
        if (row.path.valid()) {
          std::string& path = paths[row.path.index];
          if (path.empty()) path = trees::path_text(view.trace(), row.path);
          cells[3] = int64_t{view.trace().paths.depth(row.path)};
          cells[4] = path;
          cells[6] = view.label(row.path);
        }
        std::string value;
        if (metric == trees::Metric::cuda_time_ms) {
          value = fmt::format("{}.{:06}", row.total_ns / 1'000'000, row.total_ns % 1'000'000);
        } else if (extra) {
          value = text::percent(row.total_ns, step.total_ns, 6);
        }
        if (extra) cells.push_back(value);
        sink.row(cells);
      }
    }
  };
  write_csv(columns, add_nodes, write);
}

}  // namespace kr::overview

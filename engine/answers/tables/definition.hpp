// How a table is defined: a file of this folder has one definition or a few that belong together;
// tables.def lists them all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "table/columns.hpp"

namespace kr::tables {

struct Run;
struct Source;

using table::as_change;
using table::Cell;
using table::Cells;
using table::Column;
using table::Columns;
using table::optional;
using table::Parts;
using table::read_with;
using table::Role;
using table::Rows;
using table::RowSink;
using table::Unit;
using table::Value;

/// What has to be in a Source. A table whose needs are not met is absent.
enum class Needs : uint8_t {
  nothing,
  rules,
  runs,         // Source::runs, summed
  steps,        // Run::steps of every run
  streams,      // Run::streams of every run
  statistics,   // of every run
  collectives,  // Run::members of every run
  operations,   // Run::trace
  found_phases,
  costs,   // Run::costs and Run::trace
  replay,  // Run::replay of every run
  tree,
  coverage,
  summed_or_measured,  // Source::runs or Source::coverage
  run_difference,
  rules_difference,
  explanation,
  rulesets,
};
/// As `kr list tables` shows it; empty: nothing is needed.
std::string_view to_string(Needs needs) noexcept;

/// What is read of each run beside its operations, where its format has it.
struct Reads {
  bool host = true;          // trace::Trace::host, of Needs::operations; statistics always have it
  bool details = false;      // trace::Trace::details
  bool waits = false;        // trace::HostTrace::waits, of Needs::statistics
  bool gpu_metrics = false;  // RunStatistics::gpu_metrics, of Needs::statistics
  bool peaks = false;        // those of the GPU, of Needs::costs
  bool identity = false;     // RunSummary::identity
  bool overlap = false;      // job::Member::overlap and exchanges, of Needs::collectives
  bool findings = false;     // all that findings are made from, of Needs::runs
  /// It is for saved runs: databases have the tables that are made from it.
  bool saved_form = false;
};

struct Definition {
  table::Info info;
  Needs needs = Needs::nothing;
  std::function<void(const Source& source, RowSink& sink)> rows;
  /// Why these data have no such table although the needs are met; empty: they have. May be null.
  std::string (*absent)(const Source& source) = nullptr;
  Reads reads = {};
  /// Whether a verb shows it to people who did not request it, if it is one of many. Null: it does.
  bool (*shown_by_default)(const Source& source) = nullptr;
  /// The column whose largest values people see first if they do not see all rows. Null: the rows
  /// are in their order.
  const char* largest_first = nullptr;
};

/// table::Info, with columns that make the rows.
template <class Row>
struct InfoOf {
  std::string id;
  std::string title;
  std::string doc;
  Columns<Row> columns;
  bool describes_results = false;
  bool in_short_form = true;
  bool many_rows = false;
  std::vector<table::AliasColumn> alias = {};
  std::string former_id = {};
};

/// A definition whose rows are made by its columns from a `Row` each. Other members: Definition.
template <class Row>
struct TableOf {
  InfoOf<Row> info;
  Needs needs = Needs::nothing;
  void (*rows)(const Source& source, Rows<Row>& rows);
  std::string (*absent)(const Source& source) = nullptr;
  Reads reads = {};
  bool (*shown_by_default)(const Source& source) = nullptr;
  const char* largest_first = nullptr;

  explicit(false) operator Definition() && {
    return {{std::move(info.id), std::move(info.title), std::move(info.doc),
             std::move(info.columns.columns), info.describes_results, info.in_short_form,
             info.many_rows, std::move(info.alias), std::move(info.former_id)},
            needs,
            [values = std::move(info.columns.values), each = rows](const Source& source,
                                                                   RowSink& sink) {
              Rows<Row> to(values, sink);
              each(source, to);
            },
            absent,
            reads,
            shown_by_default,
            largest_first};
  }
};

#define KR_TABLE(id) extern const Definition id##_table;
#include "tables/tables.def"
#undef KR_TABLE

/// 0 of nothing.
inline double ratio_of(int64_t part, int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// That no run has calls of the host; empty: some run has. Needs statistics.
std::string without_launches(const Source& source);

/// Why the runs are not compared as ranks of one job; empty: they are.
std::string not_ranks(const Source& source);
/// The same, or that there is one run only.
std::string not_several_ranks(const Source& source);

/// The dimensions of all runs: `stage`, `substage`, others by name, `kind` last.
std::vector<std::string> dimensions_of(const Source& source);
/// The column of a dimension: its name, or `NAME_label` where a fixed column has that name.
std::string dimension_column(const Definition& definition, std::string_view dimension);

}  // namespace kr::tables

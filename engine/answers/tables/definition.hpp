// How a table is defined: a file of this folder has one definition or a few that belong together;
// tables.def lists them all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.hpp"
#include "table/table.hpp"

namespace kr::tables {

struct Run;
struct Source;

using table::Cell;
using table::Cells;
using table::Column;
using table::Role;
using table::RowSink;
using table::Unit;

/// `needs<analyze::StepSums>`: a table is made from the steps of the runs.
template <class... Fact>
inline constexpr facts::Set needs = facts::Set::of<Fact...>();

struct Definition {
  table::Info info;
  /// Facts of each run, and results of all. A run may say why it cannot have a fact; if all do, the
  /// table is absent for that reason.
  facts::Set needs;
  void (*rows)(const Source& source, RowSink& sink);
  /// Why these data have no such table although they have what it needs; empty: they have. May be
  /// null.
  std::string (*absent)(const Source& source) = nullptr;
  /// What else is read of each run: of tables of operations.
  facts::Reads reads = facts::Reads::nothing;
  /// Whether a verb shows it to people who did not request it, if it is one of many. Null: it does.
  bool (*shown_by_default)(const Source& source) = nullptr;
  /// The column whose largest values people see first if they do not see all rows. Null: the rows
  /// are in their order.
  const char* largest_first = nullptr;
  /// The rows in saved runs, which do not grow with the run. Null: those of `rows`.
  void (*saved_rows)(const Source& source, RowSink& sink) = nullptr;
  /// It is for saved runs: databases have the tables that are made from it.
  bool saved_form = false;
  /// A result that does instead of `needs`.
  facts::Set instead = {};
};

#define KR_TABLE(id) extern const Definition id##_table;
#include "tables/tables.def"
#undef KR_TABLE

/// 0 of nothing.
inline double ratio_of(int64_t part, int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// That steps are not known one by one, of some run; empty: they are. Needs steps.
std::string only_sampled_steps(const Source& source);

/// Why the runs are not compared as ranks of one job; empty: they are.
std::string not_ranks(const Source& source);
/// The same, or that there is one run only.
std::string not_several_ranks(const Source& source);

/// The dimensions of all runs: `stage`, `substage`, others by name, `kind` last.
std::vector<std::string> dimensions_of(const Source& source);
/// The column of a dimension: its name, or `NAME_label` where a fixed column has that name.
std::string dimension_column(const Definition& definition, std::string_view dimension);

}  // namespace kr::tables

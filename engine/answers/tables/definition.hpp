// How a table is defined: a file of this folder has one definition or a few that belong together;
// tables.def lists them all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "facts/fact.hpp"
#include "table/columns.hpp"

namespace kr::tables {

struct Run;
struct Scopes;
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

/// `needs<analyze::StepSums>`: a table is made from the steps of the runs.
template <class... Fact>
inline constexpr facts::Set needs = facts::Set::of<Fact...>();

struct Definition {
  table::Info info;
  /// Facts of each run, and results of all. A run may say why it cannot have a fact; if all do, the
  /// table is absent for that reason.
  facts::Set needs;
  std::function<void(const Source& source, RowSink& sink)> rows;
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
  /// A result that does instead of `needs`.
  facts::Set instead = {};
  /// Facts that rows are made from, too, of runs that can have them.
  facts::Set also = {};
  /// Of a table of several scopes: see tables/scoped.hpp. Null: it is one table.
  std::shared_ptr<const Scopes> scopes = nullptr;
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
  using Make = void(const Source& source, Rows<Row>& rows);

  InfoOf<Row> info;
  facts::Set needs;
  Make* rows;
  std::string (*absent)(const Source& source) = nullptr;
  facts::Reads reads = facts::Reads::nothing;
  bool (*shown_by_default)(const Source& source) = nullptr;
  const char* largest_first = nullptr;
  facts::Set instead = {};
  facts::Set also = {};

  explicit(false) operator Definition() && {
    const auto sink_rows = [&](Make* each) -> decltype(Definition::rows) {
      if (each == nullptr) return nullptr;
      return [values = info.columns.values, each](const Source& source, RowSink& sink) {
        Rows<Row> to(values, sink);
        each(source, to);
      };
    };
    return {{std::move(info.id), std::move(info.title), std::move(info.doc),
             std::move(info.columns.columns), info.describes_results, info.in_short_form,
             info.many_rows, std::move(info.alias), std::move(info.former_id)},
            needs,
            sink_rows(rows),
            absent,
            reads,
            shown_by_default,
            largest_first,
            instead,
            also,
            nullptr};
  }
};

#define KR_TABLE(id) extern const Definition id##_table;
#include "tables/tables.def"
#undef KR_TABLE

/// 0 of nothing.
inline double ratio_of(int64_t part, int64_t whole) noexcept {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// Nothing of nothing.
inline Cell ratio_or_nothing(int64_t part, int64_t whole) {
  return whole > 0 ? Cell(ratio_of(part, whole)) : Cell();
}
/// Nothing where it is not known.
template <class Of>
Cell cell_if(bool known, const Of& of) {
  return known ? table::cell(of) : Cell();
}
/// Nothing where it is 0.
inline Cell cell_if_any(int64_t number) {
  return cell_if(number > 0, number);
}

/// That steps are not known one by one, of some run; empty: they are. Needs steps.
std::string only_sampled_steps(const Source& source);

/// Why the runs are not compared as ranks of one job; empty: they are.
std::string not_ranks(const Source& source);
/// The same, or that there is one run only.
std::string not_several_ranks(const Source& source);

/// The dimensions of all runs that a name alone has: `stage`, `substage`, others by name, `kind`.
std::vector<std::string> name_dimensions_of(const Source& source);
/// The same, and those of order rules.
std::vector<std::string> dimensions_of(const Source& source);
/// The column of a dimension: its name, or `NAME_label` where a fixed column has that name.
std::string dimension_column(const Definition& definition, std::string_view dimension);

}  // namespace kr::tables

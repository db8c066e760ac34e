// A result of kr as a table: columns with units and documentation, and rows that are pushed to a
// sink one at a time. This module knows nothing of traces, and nothing of output formats:
//
//   data ─► tables/ ─► Table ─► render/ ─► terminal, csv, json, jsonl, markdown, sqlite, html
//
// Tables are tidy: one observation per row, no totals among the rows, one unit per column.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kr {

enum class Unit : uint8_t {
  text,
  name,   // a text: a name of a kernel, copy or set as the trace has it; for people it is shortened
  id,     // an integer that names something: a device, a step, a line
  count,  // how many; a mean of counts is a double
  ns,     // nanoseconds, int64_t; a mean is a double
  bytes,
  ratio,   // a part of a whole, from 0 to 1
  factor,  // one quantity divided by another: 1.25
  per_second,
  flop,
  percent,
  hz,
  watts,
  boolean,  // 0 or 1
};
std::string_view to_string(Unit unit) noexcept;
/// Whether cells are texts.
constexpr bool is_text(Unit unit) noexcept {
  return unit == Unit::text || unit == Unit::name;
}

enum class Role : uint8_t {
  key,      // the key columns together identify the row
  measure,  // what was measured of it
  detail,   // as measure; left out of the short form on a terminal
  /// A text for people that repeats what other tables have: only in the short form on a terminal.
  short_form,
};
std::string_view to_string(Role role) noexcept;

struct Column {
  std::string id;  // `total_ns`
  Unit unit = Unit::text;
  Role role = Role::measure;
  std::string doc;         // one sentence
  bool optional = false;   // a cell may be empty
  bool is_change = false;  // a difference of two sides: people see it with its sign
  /// Of a share: the column that it is read with, that of the part or else of the whole. People see
  /// the share right of it; files have columns in the order of the table.
  std::string share_of = {};
};
/// For a heading: `total_ns` is `total`, `share_of_run` is `share of run`.
std::string title(const Column& column);

/// Nothing, a text (valid during the call that passes it), a whole number, a number.
using Cell = std::variant<std::monostate, std::string_view, int64_t, double>;
using Cells = std::vector<Cell>;

inline bool is_nothing(const Cell& cell) noexcept {
  return std::holds_alternative<std::monostate>(cell);
}

/// Receives the rows of one table in order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// One cell per column.
  virtual void row(std::span<const Cell> cells) = 0;
  void row(std::initializer_list<Cell> cells) {
    row(std::span<const Cell>(cells.begin(), cells.size()));
  }
};

/// How a column of another program shows cells of this table. A cell without a value is empty.
enum class AliasForm : uint8_t {
  plain,       // as it is; a number that is not whole has one decimal
  percent,     // a ratio: as a percentage with one decimal
  megabytes,   // bytes: 10^6 of them, with three decimals
  throughput,  // bytes and ns: bytes times the whole number of such times in a second, in 10^6
               // with three decimals
  extent,      // three numbers, each at least four wide, with blanks between
  numbered,    // a text and a number: `text (number)`
  scoped,      // a domain and a text: `domain:text`; the domain may be missing
  versioned,   // a function and its version: `function_version` if that is not `v` and four digits
};

/// A column of the same table as another program prints it.
struct AliasColumn {
  std::string title;              // `Total Time (ns)`
  std::vector<std::string> from;  // the columns that it shows: one, or what its form needs
  AliasForm form = AliasForm::plain;
  std::string former_title = {};  // of the former dialect (render.hpp); empty: the same
  bool in_former = true;          // whether the former report has the column
};

/// What a table is, whatever the data.
struct TableInfo {
  std::string id;     // `kernels_by_device`
  std::string title;  // `kernels by device`
  std::string doc;    // one sentence: what a row is
  std::vector<Column> columns;
  /// It describes the results as a whole (which runs, which warnings): JSON has it beside the
  /// tables, and it comes with every selection.
  bool describes_results = false;
  /// Shown where the user does not choose tables, on a terminal too.
  bool in_short_form = true;
  /// One row per operation or the like: renderers store its texts once.
  bool many_rows = false;
  /// The table as another program prints it (`nsys stats`): its columns, in its order. Others are
  /// not printed there. Empty: no other program has it.
  std::vector<AliasColumn> alias = {};
  /// The former name of that report (`gputrace`): names the table, too. Empty: it had none.
  std::string former_id = {};
  /// People see all columns, under their ids and with their values: of a query, which says what is
  /// to be seen.
  bool as_selected = false;
};

/// Means one text column per dimension of the model, named after it, at its place.
inline constexpr std::string_view dimension_columns = "*";

/// A table with its data. Refers to what it was made from.
class Table {
 public:
  using Rows = std::function<void(RowSink&)>;
  Table(const TableInfo& info, std::vector<Column> columns, Rows rows)
      : info_(&info), columns_(std::move(columns)), rows_(std::move(rows)) {}

  const std::string& id() const noexcept { return info_->id; }
  const TableInfo& info() const noexcept { return *info_; }
  /// With a column for each dimension.
  const std::vector<Column>& columns() const noexcept { return columns_; }
  /// Pushes all rows. May be called several times. Checks the number of cells of each.
  void write(RowSink& sink) const;

 private:
  const TableInfo* info_;
  std::vector<Column> columns_;
  Rows rows_;
};

/// Which rows of a table, and in which order.
struct RowChoice {
  std::string where = {};  // a condition of SQL over the columns of the table; empty: all rows
  /// A column: its largest numbers first, its texts from A. `-COLUMN`: the other way round. Empty:
  /// rows as the table has them.
  std::string sort = {};
  bool empty() const noexcept { return where.empty() && sort.empty(); }
};

}  // namespace kr

// Tables in output formats. One source file per format; none knows a table by name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kr/table.hpp"

namespace kr::render {

/// Receives bytes in order.
using Bytes = std::function<void(std::string_view)>;

/// The version of the shape of JSON: grows when a column is removed or changes its meaning.
inline constexpr int schema_version = 3;

/// `{"kr":…,"schema":1,"runs":[…],"notes":[…],"tables":{"labels":[…]}}`: tables that describe the
/// results are beside `tables`. One object per row, one row per line. Bytes of a text that are
/// not UTF-8 are written as base/json.hpp says.
void json(std::span<const Table> tables, const Bytes& out);
/// One object per row, `"table"` first.
void json_lines(std::span<const Table> tables, const Bytes& out);

/// How the CSV of another program (TableInfo::alias) is printed.
enum class Alias : uint8_t {
  none,            // not: with the columns of kr
  current,         // as nsys 2023 and later print the report
  former_columns,  // as these print it under its former name: without newer columns
  former,          // as nsys 2022 prints it: former columns and titles, `None` for a cell without a
                   // value (but a throughput), `HtoD` for `Host-to-Device` in names of copies
};

struct CsvOptions {
  /// A text that a spreadsheet would run as a formula gets a `'` before it.
  bool escape_formulas = true;
  /// If not `none`, TableInfo::alias must not be empty.
  Alias alias = Alias::none;
};
/// RFC 4180, but for lines that end in LF. Cells: whole numbers as they are, numbers with six
/// decimals, nothing is empty. Throws InternalError if there is no alias although it is requested.
void csv(const Table& table, const Bytes& out, CsvOptions options = {});

/// For pull requests and wikis: a heading and a table for each that has rows.
void markdown(std::span<const Table> tables, const Bytes& out);

struct TerminalOptions {
  bool color = false;
  int width = 0;              // columns; 0: no limit
  size_t max_rows = 20;       // of each table; 0: all
  bool short_form = true;     // without columns of role `detail`; else without `short_form`
  bool several_runs = false;  // the results are of more than one run
};
/// Tables with rows below each other, each with its title. A `run` column is left out where all
/// rows have the same and the results are of one run, and so is a column without a text or number.
void terminal(std::span<const Table> tables, const Bytes& out, TerminalOptions options);

/// In the head of a database that `sqlite` wrote: `krtr`.
inline constexpr int32_t sqlite_application_id = 0x6b727472;
/// Fills the empty file at `location`, which is nobody else's; errors name `path`. One table per
/// table. Texts of tables with very many rows are stored once (see docs/exports.md). Throws Error.
void sqlite(std::span<const Table> tables, const std::string& location, const std::string& path);

/// JSON Schema (draft 2020-12) of what `json` writes of these tables, whatever the data.
std::string json_schema(std::span<const TableInfo* const> tables);

}  // namespace kr::render

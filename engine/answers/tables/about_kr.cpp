// `kr list` of what kr itself has: checks, formats, tables and their columns.
#include <fmt/format.h>

#include "base/join.hpp"
#include "diag/diagnostic.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"
#include "trace/format.hpp"

namespace kr::tables {
namespace {

using diag::CodeInfo;

using ListedCheck = CodeInfo;
void add_listed_checks(const Source& /*source*/, Rows<ListedCheck>& rows) {
  for (const CodeInfo& code : diag::all_codes()) {
    if (code.severity == diag::Severity::retired) continue;
    rows.add(code);
  }
}

struct ListedFormat : Parts<trace::TraceFormat> {
  std::string_view extensions;
};

void add_listed_formats(const Source& /*source*/, Rows<ListedFormat>& rows) {
  for (const trace::TraceFormat* format : trace::formats()) {
    const std::string extensions = join(format->extensions, " ");
    rows.add({{*format}, extensions});
  }
}

using ListedTable = Definition;
void add_listed_tables(const Source& source, Rows<ListedTable>& rows) {
  for (const Definition* one : all()) {
    if (source.only_about_runs && !is_about_runs(*one)) continue;
    rows.add(*one);
  }
}

using ListedColumn = Parts<Definition, Column>;
void add_listed_columns(const Source& source, Rows<ListedColumn>& rows) {
  for (const Definition* one : all()) {
    if (!source.table.empty() && source.table != one->info.id) continue;
    for (const Column& column : one->info.columns) {
      rows.add({*one, column});
    }
  }
}

using ListedSetting = Setting;
void add_settings(const Source& source, Rows<ListedSetting>& rows) {
  for (const Setting& one : source.settings) {
    rows.add(one);
  }
}

}  // namespace

const Definition list_checks_table = TableOf<ListedCheck>{
    {"list_checks",
     "checks",
     "One row per check that `kr lint` or the reading of rules files makes.",
     {{"code", Unit::text, Role::key, "The code of the check, such as `KR204`.", &CodeInfo::id},
      {"name", Unit::text, Role::measure, "Its name, such as `unknown-label`.", &CodeInfo::name},
      {"severity", Unit::text, Role::measure, "`error`, `warning` or `info`.", &CodeInfo::severity},
      {"doc", Unit::text, Role::measure,
       "The message of its findings, with `…` for what depends on the place.",
       [](const CodeInfo& code) { return diag::description(code); }}}},
    needs<>,
    add_listed_checks};

const Definition list_formats_table = TableOf<ListedFormat>{
    {"list_formats",
     "trace formats",
     "One row per format of traces and profiles that kr reads.",
     {{"name", Unit::text, Role::key, "The name of the format.", &trace::TraceFormat::name},
      {"extensions", Unit::text, Role::measure,
       "The usual endings of such files, joined with blanks; nothing if there are none.",
       &ListedFormat::extensions, optional},
      {"doc", Unit::text, Role::measure, "What the format is.", &trace::TraceFormat::summary},
      {"carries", Unit::text, Role::measure,
       "What it has beside operations, if the profiler recorded it: `launches` by the host, "
       "`streams`, `modules`, `steps`, `shapes` of launches or sizes of copies, shapes of ops for "
       "`costs`, `collectives` with their groups and sizes, `memory`, `metrics` of GPUs, `call "
       "sites`.",
       &trace::TraceFormat::carries}}},
    needs<>,
    add_listed_formats};

const Definition list_tables_table = TableOf<ListedTable>{
    {"list_tables",
     "tables",
     "One row per table that kr can produce.",
     {{"name", Unit::text, Role::key, "The id of the table, as for `--tables`.",
       [](const Definition& one) { return &one.info.id; }},
      {"title", Unit::text, Role::measure, "The title of the table.",
       [](const Definition& one) { return &one.info.title; }},
      {"doc", Unit::text, Role::measure, "What a row is.",
       [](const Definition& one) { return &one.info.doc; }},
      {"needs", Unit::text, Role::measure,
       "What the table is made from; nothing for what kr itself has.",
       [](const Definition& one) { return facts::names_of(one.needs); }, optional}}},
    needs<>,
    add_listed_tables};

const Definition list_columns_table = TableOf<ListedColumn>{
    {"list_columns",
     "columns",
     "One row per column of each table, in order.",
     {{"table_name", Unit::text, Role::key, "The id of the table.",
       [](const Definition& one) { return &one.info.id; }},
      {"column_name", Unit::text, Role::key,
       "The id of the column; `*` means one column per dimension of the model, named after "
       "it.",
       &Column::id},
      {"unit", Unit::text, Role::measure, "The unit of its cells.", &Column::unit},
      {"role", Unit::text, Role::measure,
       "`key`: identifies the row; `measure`: what was measured; `detail`: a measure that the "
       "short form on a terminal leaves out; `short_form`: only in that form.",
       &Column::role},
      {"optional", Unit::boolean, Role::measure, "Whether a cell may be nothing.",
       &Column::optional},
      {"doc", Unit::text, Role::measure, "What the column is.", &Column::doc}}},
    needs<>,
    add_listed_columns};

const Definition list_config_table = TableOf<ListedSetting>{
    {"list_config",
     "settings",
     "One row per setting that a kr.toml can have, or that the environment has: what is in force, "
     "and where it comes from.",
     {{"verb", Unit::text, Role::key, "The verb that has it; nothing: all verbs.", &Setting::verb,
       optional},
      {"option", Unit::text, Role::key,
       "The option as on the command line, or the name of the variable of the environment.",
       &Setting::option},
      {"value", Unit::text, Role::measure,
       "Its value; several are separated by commas. Nothing: the default, which `doc` gives.",
       &Setting::value, optional},
      {"source", Unit::text, Role::measure,
       "`default`, the file, line and column in kr.toml, `environment` or `command line`.",
       &Setting::from},
      {"doc", Unit::text, Role::detail, "What it means.", &Setting::doc}}},
    needs<>,
    add_settings};

}  // namespace kr::tables

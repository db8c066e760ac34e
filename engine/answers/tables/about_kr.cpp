// `kr list` of what kr itself has: checks, formats, tables and their columns.
#include <fmt/format.h>

#include "base/join.hpp"
#include "diag/diagnostic.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"
#include "trace/format.hpp"

namespace kr::tables {
namespace {

void add_listed_checks(const Source& /*source*/, RowSink& sink) {
  for (const diag::CodeInfo& code : diag::all_codes()) {
    if (code.severity == diag::Severity::retired) continue;
    sink.row({code.id, code.name, diag::to_string(code.severity), diag::description(code)});
  }
}

void add_listed_formats(const Source& /*source*/, RowSink& sink) {
  for (const trace::TraceFormat* format : trace::formats()) {
    const std::string extensions = join(format->extensions, " ");
    sink.row({format->name, table::cell_or_nothing(extensions), format->summary});
  }
}

void add_listed_tables(const Source& source, RowSink& sink) {
  for (const Definition* one : all()) {
    if (source.only_about_runs && !is_about_runs(*one)) continue;
    const std::string needed = facts::names_of(one->needs);
    sink.row({one->info.id, one->info.title, one->info.doc, table::cell_or_nothing(needed)});
  }
}

void add_listed_columns(const Source& source, RowSink& sink) {
  for (const Definition* one : all()) {
    if (!source.table.empty() && source.table != one->info.id) continue;
    for (const Column& column : one->info.columns) {
      sink.row({one->info.id, column.id, to_string(column.unit), to_string(column.role),
                int64_t{column.optional}, column.doc});
    }
  }
}

void add_settings(const Source& source, RowSink& sink) {
  for (const Setting& one : source.settings) {
    sink.row({table::cell_or_nothing(one.verb), one.option, table::cell_or_nothing(one.value),
              one.from, one.doc});
  }
}

}  // namespace

const Definition list_checks_table{
    {"list_checks",
     "checks",
     "One row per check that `kr lint` or the reading of rules files makes.",
     {
         {"code", Unit::text, Role::key, "The code of the check, such as `KR204`."},
         {"name", Unit::text, Role::measure, "Its name, such as `unknown-label`."},
         {"severity", Unit::text, Role::measure, "`error`, `warning` or `info`."},
         {"doc", Unit::text, Role::measure,
          "The message of its findings, with `…` for what depends on the place."},
     }},
    needs<>,
    add_listed_checks};

const Definition list_formats_table{
    {"list_formats",
     "trace formats",
     "One row per format of traces and profiles that kr reads.",
     {
         {"name", Unit::text, Role::key, "The name of the format."},
         {"extensions", Unit::text, Role::measure,
          "The usual endings of such files, joined with blanks; nothing if there are none.", true},
         {"doc", Unit::text, Role::measure, "What the format is."},
     }},
    needs<>,
    add_listed_formats};

const Definition list_tables_table{
    {"list_tables",
     "tables",
     "One row per table that kr can produce.",
     {
         {"name", Unit::text, Role::key, "The id of the table, as for `--tables`."},
         {"title", Unit::text, Role::measure, "The title of the table."},
         {"doc", Unit::text, Role::measure, "What a row is."},
         {"needs", Unit::text, Role::measure,
          "What the table is made from; nothing for what kr itself has.", true},
     }},
    needs<>,
    add_listed_tables};

const Definition list_columns_table{
    {"list_columns",
     "columns",
     "One row per column of each table, in order.",
     {
         {"table_name", Unit::text, Role::key, "The id of the table."},
         {"column_name", Unit::text, Role::key,
          "The id of the column; `*` means one column per dimension of the model, named after "
          "it."},
         {"unit", Unit::text, Role::measure, "The unit of its cells."},
         {"role", Unit::text, Role::measure,
          "`key`: identifies the row; `measure`: what was measured; `detail`: a measure that the "
          "short form on a terminal leaves out; `short_form`: only in that form."},
         {"optional", Unit::boolean, Role::measure, "Whether a cell may be nothing."},
         {"doc", Unit::text, Role::measure, "What the column is."},
     }},
    needs<>,
    add_listed_columns};

const Definition list_config_table{
    {"list_config",
     "settings",
     "One row per setting that a kr.toml can have, or that the environment has: what is in force, "
     "and where it comes from.",
     {
         {"verb", Unit::text, Role::key, "The verb that has it; nothing: all verbs.", true},
         {"option", Unit::text, Role::key,
          "The option as on the command line, or the name of the variable of the environment."},
         {"value", Unit::text, Role::measure,
          "Its value; several are separated by commas. Nothing: the default, which `doc` gives.",
          true},
         {"source", Unit::text, Role::measure,
          "`default`, the file, line and column in kr.toml, `environment` or `command line`."},
         {"doc", Unit::text, Role::detail, "What it means."},
     }},
    needs<>,
    add_settings};

}  // namespace kr::tables

// kr sql: SQL over the tables of runs.
#include "session/sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyze/run.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "outputs.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "text/text_grid.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

OutputRules sql_outputs() {
  return {.stem = "query", .any_tables = true, .whole_lists = true};
}

/// Without a query: the tables that one can be about.
OutputRules sql_lists() {
  return {.stem = "tables", .tables = {"list_tables"}, .whole_lists = true};
}

/// The tables that a query can be about, with their columns.
std::string tables_and_columns(bool color, int width) {
  std::string out;
  for (const tables::Definition* one : tables::all()) {
    if (!tables::is_about_runs(*one)) continue;
    std::vector<std::string> ids;
    for (const table::Column& column : tables::columns_with(*one, {})) ids.push_back(column.id);
    out += fmt::format("{}  {}\n{}", text::inked(one->info.id, text::Ink::bold, color),
                       one->info.title,
                       text::wrapped(join(ids, ", "), static_cast<size_t>(std::max(width, 0)), 2));
  }
  return out;
}

struct SqlOptions : RunVerbOptions {
  std::vector<std::string> words;
  NcuOptions ncu;
};

/// Whether the word is a path that exists, with or without fields after commas.
bool names_file(const std::string& word) {
  std::error_code error;
  for (size_t end = word.size();;) {
    if (std::filesystem::exists(word.substr(0, end), error)) return true;
    end = end == 0 ? word.npos : word.rfind(',', end - 1);
    if (end == word.npos) return false;
  }
}

/// A query, and not a run: no file has its name, and it has several words or begins as SQL does. So
/// SQLite says what is wrong with a misspelled query. `after_runs`: also a single word, which no
/// path looks like.
bool is_query(const std::string& word, bool after_runs) {
  if (names_file(word)) return false;
  if (word.empty() || word.starts_with("--")) return true;
  if (after_runs && std::all_of(word.begin(), word.end(), is_identifier_byte)) return true;
  if (word.find_first_of(" \t\r\n(;") != word.npos) return true;
  const std::string text = lowered(word);
  for (const std::string_view verb : {"select", "with", "values", "explain", "attach", "vacuum",
                                      "insert", "update", "delete", "create", "drop", "pragma"}) {
    if (text.starts_with(verb) &&
        (text.size() == verb.size() || text.find_first_of(" \t\n(*") == verb.size())) {
      return true;
    }
  }
  return false;
}

Exit sql(const SqlOptions& options, Streams& streams) {
  std::vector<std::string> runs = options.words;
  if (!runs.empty() && !names_file(runs.back()) && !is_query(runs.back(), runs.size() > 1)) {
    throw Error("", fmt::format("`{}` is neither a file nor a query", runs.back()),
                "a query begins with SELECT or WITH");
  }
  if (runs.empty() || !is_query(runs.back(), runs.size() > 1)) {
    const OutputOptions& to = options.outputs;
    const bool for_people = to.formats.empty() && to.file.empty() && to.out_dir.empty();
    if (!runs.empty() && for_people) {
      streams.out(tables_and_columns(streams.color_out(), streams.out_width()));
      streams.note("no query given: listing the tables and their columns");
      return Exit::done;
    }
    Outputs outputs(options.outputs, sql_lists());
    tables::Source source;
    source.only_about_runs = true;
    outputs.finish(source, {}, streams);
    streams.note("no query given: listing the tables");
    return Exit::done;
  }
  const std::string query = runs.back();
  runs.pop_back();
  if (runs.empty()) throw Error("", "no run given", "name a trace before the query");
  const std::vector<classify::RunSpec> specs = parse_runs_and_folders(runs);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  Outputs outputs(options.outputs, sql_outputs(), specs);
  session::Session session = open_session(rules, options.trace, streams);
  options.ncu.join(session);
  session::Demand demand = session::Demand::of(session::tables_named(query));
  demand.facts |= facts::Set::of<analyze::RunSummary>();
  read_runs(session, specs, demand, streams);

  outputs.write(session.source(), session::query_table(session.source(), query), streams);
  return Exit::done;
}

void add_sql_options(CLI::App& app, SqlOptions& options) {
  app.add_option("RUN... QUERY", options.words,
                 "Runs, PATH[,ENGINE,MODEL], then a SELECT over their tables; without a query, the "
                 "tables are listed");
  options.add_to(app, sql_outputs());
  options.ncu.add_to(app);
}

}  // namespace

const Verb sql_verb{
    "sql", "query the tables of traces with SQL",
    "kr sql trace.csv \"SELECT substage, sum(elapsed_ns) FROM kernels GROUP BY substage\"",
    setup<SqlOptions, add_sql_options, sql>, "Traces"};

}  // namespace kr::cli

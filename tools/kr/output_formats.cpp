#include "output_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/join.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::cli {

std::string ending_of(std::string_view format) {
  if (format == trace_format) return "trace.json.gz";
  if (format == paraver_format) return "prv";
  return format == markdown_format ? "md" : std::string(format);
}

bool is_for_people(std::string_view format) {
  return format == "table" || format == markdown_format;
}

std::vector<std::string> formats_of(const OutputRules& rules) {
  std::vector<std::string> formats{"table", "csv", "json", "jsonl", "markdown", "sqlite", "html"};
  std::remove_copy(rules.own_formats.begin(), rules.own_formats.end(), std::back_inserter(formats),
                   "html");
  return formats;
}

std::string format_of_file(const std::string& path, const OutputRules& rules) {
  const std::string_view plain(path.data(), path.size() - (path.ends_with(".gz") ? 3 : 0));
  std::string found;
  for (const std::string& format : formats_of(rules)) {
    const std::string ending = "." + ending_of(format);
    if (format == trace_format && path.ends_with(ending)) return format;
    if (plain.ends_with(ending)) found = format;
  }
  return found;
}

std::vector<std::string> parse_tables(const std::string& list, const OutputRules& rules) {
  std::vector<std::string> choices = rules.tables;
  choices.insert(choices.end(), rules.more_tables.begin(), rules.more_tables.end());
  for (size_t i = choices.size(); i-- > 0;) {
    for (const tables::Definition* part : tables::parts_of(tables::known_table(choices[i]))) {
      choices.push_back(part->info.id);
    }
  }
  for (const tables::Definition* one : tables::all()) {
    if (one->info.describes_results) choices.push_back(one->info.id);
  }
  return parse_choices(list, "--tables", choices);
}

void OutputOptions::add_to(CLI::App& app, const OutputRules& rules) {
  app.add_option("--format", formats,
                 fmt::format("Output formats, separated by commas: {} (default: {}); written to "
                             "standard output unless --out-dir is given",
                             join(formats_of(rules), ", "), join(rules.without, ", ")))
      ->type_name("LIST");
  if (!rules.any_tables) {
    app.add_option(
           "--tables,--only", tables,
           fmt::format(
               "Tables, separated by commas (default: {}){}; `kr list tables` describes them",
               join(rules.tables, ", "),
               rules.more_tables.empty() ? "" : "; all tables about runs are allowed"))
        ->type_name("LIST")
        ->check(project_check(
            [rules](const std::string& list) { parse_tables(NsysNames().with_ids(list), rules); }))
        ->configurable();
  }
  app.add_option("--out-dir,--out_dir,--output-directory", out_dir,
                 "Folder for output files (created if missing)")
      ->type_name("DIR");
  app.add_option("-o,--output", file, "Output file, for one format; compressed if it ends in .gz")
      ->type_name("FILE");
  app.add_flag("--all", all,
               "Show all rows and columns of tables on a terminal; of many ranks, all tables in "
               "JSON and pages")
      ->configurable();
  app.add_flag("--force", force, "Replace existing files that kr did not write");
}

void RunVerbOptions::add_to(CLI::App& app, const OutputRules& made) {
  outputs.add_to(app, made);
  rules.add_to(app);
  trace.add_to(app);
}

}  // namespace kr::cli

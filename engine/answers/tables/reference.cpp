#include <fmt/format.h>

#include "tables/registry.hpp"
#include "tables/scoped.hpp"

namespace kr::tables {
namespace {

/// In a cell of a Markdown table.
std::string reference_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

constexpr std::string_view reports_head =
    "\n# Reports of nsys stats\n\n"
    "Tables with the names and numbers of reports of `nsys stats`; `--nsys-names` prints them as "
    "it does.\n";

std::string unit_of(const Column& column) {
  std::string text(table::to_string(column.unit));
  if (column.optional) text += ", optional";
  return text;
}

}  // namespace

std::string reference_markdown() {
  std::string text =
      "# Tables\n\n"
      "Every result of kr is one of these tables. `kr list tables` lists them, `kr list columns "
      "TABLE` lists the\ncolumns of one, and `kr list schema` prints the JSON Schema of `--format "
      "json`. This page is generated:\n`kr list reference > docs/tables.md`.\n\n"
      "Times are whole nanoseconds, ratios are from 0 to 1, and nothing is rounded before it is "
      "shown. Totals are\nnever among the rows. A column marked `*` means one column per "
      "dimension of the models, such as `stage`\nand `substage`. Columns of role `key` identify "
      "the row together. A terminal leaves out columns of role `detail`\nunless `--all` is given, "
      "and is the only format that shows columns of role `short_form`.\nA column of unit "
      "`name` is a text: a name of a kernel as the trace has it. Terminal, Markdown and pages "
      "show\nits short form.\n\n"
      "Tables with columns `scope` and `key` are about several parts of a run: `scope` says what "
      "a row is about, a\ndimension such as `substage`, `phase`, `step` and so on, and `key` "
      "which of them. Rows of different scopes are\nof the same time: add up those of one "
      "scope. Terminal, Markdown and pages show each scope by itself.\n";
  bool reports = false;
  for (const Definition* one : all()) {
    const table::Info& info = one->info;
    if (!info.alias.empty() && !reports) {
      reports = true;
      text += reports_head;
    }
    text += fmt::format("\n## {}\n\n{}\n\n", info.id, info.doc);
    for (const Scope& scope : scopes_of(*one)) {
      text += fmt::format("- {}: {}\n", name_of(scope), scope.part.info.doc);
    }
    if (one->scopes != nullptr) text += '\n';
    text += "| column | unit | role | |\n| --- | --- | --- | --- |\n";
    for (const Column& column : info.columns) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", column.id, unit_of(column),
                          table::to_string(column.role), reference_cell(column.doc));
    }
  }
  return text;
}

}  // namespace kr::tables

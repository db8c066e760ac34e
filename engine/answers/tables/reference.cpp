#include <fmt/format.h>

#include "tables/registry.hpp"

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
      "show\nits short form.\n";
  for (const Definition* one : all()) {
    const table::Info& info = one->info;
    text += fmt::format("\n## {}\n\n{}\n\n", info.id, info.doc);
    text += "| column | unit | role | |\n| --- | --- | --- | --- |\n";
    for (const Column& column : info.columns) {
      text += fmt::format("| `{}` | {} | {} | {} |\n", column.id, unit_of(column),
                          table::to_string(column.role), reference_cell(column.doc));
    }
  }
  return text;
}

}  // namespace kr::tables

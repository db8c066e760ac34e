#include <fmt/format.h>

#include "base/ascii.hpp"
#include "render/columns.hpp"
#include "render/output_buffer.hpp"
#include "render/shown_table.hpp"
#include "text/text_grid.hpp"

namespace kr::render {
namespace {

constexpr size_t max_rows_in_markdown = 50;
constexpr size_t longest_name = 80;

void append_markdown(OutputBuffer& out, const Table& table, const ShownTable& shown) {
  std::vector<size_t> columns;
  for (const size_t i : order_for_people(table.columns())) {
    const Role role = table.columns()[i].role;
    if (role != Role::detail && role != Role::short_form) columns.push_back(i);
  }
  std::string line = fmt::format("### {}\n\n|", markdown_text(table.info().title));
  for (const size_t i : columns) line += fmt::format(" {} |", markdown_text(shown.heading(i)));
  line += "\n|";
  for (const size_t i : columns) line += is_number(table.columns()[i].unit) ? " ---: |" : " --- |";
  line += '\n';
  out.append(line);
  shown.each([&](std::span<const Cell> cells) {
    line = "|";
    for (const size_t i : columns) {
      line += fmt::format(" {} |", markdown_text(shown.text(i, cells[i])));
    }
    line += '\n';
    out.append(line);
  });
  if (shown.left() == 0) return;
  out.append(fmt::format("\n… and {} more {}.\n", text::grouped(static_cast<int64_t>(shown.left())),
                         shown.left() == 1 ? "row" : "rows"));
}

}  // namespace

std::string markdown_text(std::string_view text) {
  constexpr std::string_view markup = "\\`|<>*~[]&$";
  const std::string shown = text::cut(text, 0);
  const auto in_word = [&](size_t at) {
    return at < shown.size() && (is_digit(shown[at]) || is_letter(shown[at]));
  };
  std::string out;
  for (size_t i = 0; i < shown.size(); ++i) {
    const bool underscore = shown[i] == '_' && !(in_word(i - 1) && in_word(i + 1));
    if (underscore || markup.find(shown[i]) != std::string_view::npos) out += '\\';
    out += shown[i];
  }
  return out;
}

void markdown(std::span<const Table> tables, const Bytes& to) {
  OutputBuffer out(to);
  bool separate = false;
  for (const Table& table : tables) {
    ShownTable shown(table, max_rows_in_markdown);
    if (shown.rows() == 0) continue;
    for (size_t i = 0; i < table.columns().size(); ++i) shown.cut_names(i, longest_name);
    if (separate) out.append('\n');
    separate = true;
    append_markdown(out, table, shown);
  }
  out.finish();
}

}  // namespace kr::render

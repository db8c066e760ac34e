#include "page/page_data.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "overview/health_line.hpp"
#include "overview/phases_text.hpp"
#include "page/pages.hpp"
#include "render/columns.hpp"
#include "render/render.hpp"
#include "text/names.hpp"

namespace kr::page {
namespace {

/// In most cells less of a name is in view.
constexpr size_t shown_characters = 64;

/// The names in a row.
void collect_names(const std::vector<table::Column>& columns, std::span<const table::Cell> cells,
                   std::unordered_set<std::string>& names) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].unit != table::Unit::name) continue;
    if (const auto* name = std::get_if<std::string_view>(&cells[i])) names.emplace(*name);
  }
}

void write_description(JsonWriter& json, const table::Table& table, size_t rows) {
  const table::Info& info = table.info();
  json.open('{', true);
  json.key("id").text(info.id);
  json.key("title").text(info.title);
  json.key("doc").text(info.doc);
  json.key("rows").number(rows);
  json.key("columns").open('[');
  for (const size_t i : render::order_for_people(table.columns())) {
    const table::Column& column = table.columns()[i];
    if (column.role == table::Role::short_form) continue;
    json.open('{', true);
    json.key("id").text(column.id);
    json.key("title").text(table::title(column));
    json.key("unit").text(table::to_string(column.unit));
    json.key("doc").text(column.doc);
    if (column.is_change) json.key("change").number(1);
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

}  // namespace

std::string make_page(const PageParts& parts, const PageContent& content) {
  std::vector<size_t> counts(content.tables.size());
  std::vector<table::Table> first;
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < content.tables.size(); ++i) {
    const table::Table& all = content.tables[i];
    first.emplace_back(all.info(), all.columns(), [&, i](table::RowSink& sink) {
      counts[i] = 0;
      table::RowsTo rows([&](std::span<const table::Cell> cells) {
        if (counts[i]++ >= content.max_rows) return;
        collect_names(all.columns(), cells, names);
        sink.row(cells);
      });
      all.write(rows);
    });
  }
  std::string results;
  render::json(first, [&](std::string_view piece) { results += piece; });
  return assemble_page(parts, content.title, results.size(), [&](std::string& out) {
    JsonWriter json(out, JsonWriter::Place::script);
    json.open('{');
    json.key("title").text(content.title);
    json.key("tables").open('[');
    for (size_t i = 0; i < counts.size(); ++i) {
      write_description(json, content.tables[i], counts[i]);
    }
    json.close(']');
    if (!names.empty() && !content.more_has_names) write_names(json, {names.begin(), names.end()});
    if (content.more) content.more(json);
    // Last, and as it is: a button of the page saves this part as a file.
    json.key("results");
    append_for_script(out, results);
    out += '}';
  });
}

bool has_table(std::span<const table::Table> tables, std::string_view id) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const table::Table& one) { return one.id() == id; });
}

std::string tables_html(std::span<const table::Table> tables, std::string_view title,
                        size_t max_rows) {
  return make_page(tables_page,
                   {.title = title, .tables = tables, .max_rows = max_rows, .more = nullptr});
}

void write_names(JsonWriter& json, std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string> texts = text::short_names(names);
  const std::vector<text::NameParts> parts = text::name_parts(texts, shown_characters);
  json.key("names").open('[');
  for (size_t i = 0; i < names.size(); ++i) {
    if (parts[i].empty() && texts[i] == printable(names[i])) continue;
    json.open('[', true);
    json.text(names[i]);
    json.text(texts[i]);
    for (const size_t place : parts[i]) json.number(place);
    json.close(']');
  }
  json.close(']');
}

void write_styles(JsonWriter& json, const std::vector<picture::LabelStyle>& styles) {
  json.key("styles").open('[');
  for (const picture::LabelStyle& style : styles) {
    json.open('{');
    json.key("dimension").text(style.dimension);
    json.key("label").text(style.label);
    json.key("title").text(style.title);
    json.key("color").text(style.color);
    json.key("doc").text(style.doc);
    json.close('}');
  }
  json.close(']');
}

void write_health(JsonWriter& json, const tables::Source& source) {
  const auto line = overview::health_line(source);
  if (!line) return;
  json.key("health").text(*line);
}

void write_found_phases(JsonWriter& json, const tables::Source& source) {
  const std::vector<std::string> lines = overview::found_phases_text(source);
  if (lines.empty()) return;
  json.key("found").open('[');
  for (const std::string& line : lines) json.text(line);
  json.close(']');
}

void write_tiles(JsonWriter& json, const std::vector<Tile>& tiles) {
  json.key("tiles").open('[');
  for (const Tile& tile : tiles) {
    json.open('{');
    json.key("title").text(tile.title);
    json.key("value").text(tile.value);
    json.key("beside").text(tile.beside);
    json.key("exact").text(tile.exact);
    json.key("dimension").text(tile.dimension);
    json.close('}');
  }
  json.close(']');
}

}  // namespace kr::page

#include "page/tables_html.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "page/page_parts.hpp"
#include "render/render.hpp"

namespace kr::page {
namespace {

/// Passes on the first rows, and counts all.
class FirstRows final : public table::RowSink {
 public:
  FirstRows(table::RowSink& to, size_t most) : to_(to), most_(most) {}

  using RowSink::row;
  void row(std::span<const table::Cell> cells) override {
    if (count_++ < most_) to_.row(cells);
  }
  size_t count() const noexcept { return count_; }

 private:
  table::RowSink& to_;
  size_t most_;
  size_t count_ = 0;
};

void write_description(JsonWriter& json, const table::Table& table, size_t rows) {
  const table::Info& info = table.info();
  json.open('{', true);
  json.key("id").text(info.id);
  json.key("title").text(info.title);
  json.key("doc").text(info.doc);
  json.key("rows").number(rows);
  json.key("columns").open('[');
  for (const table::Column& column : table.columns()) {
    if (column.role == table::Role::short_form) continue;
    json.open('{', true);
    json.key("id").text(column.id);
    json.key("title").text(table::title(column));
    json.key("unit").text(table::to_string(column.unit));
    json.key("doc").text(column.doc);
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

}  // namespace

std::string tables_html(std::span<const table::Table> tables, std::string_view title,
                        size_t most_rows) {
  std::vector<size_t> counts(tables.size());
  std::vector<table::Table> first;
  for (size_t i = 0; i < tables.size(); ++i) {
    const table::Table& whole = tables[i];
    first.emplace_back(whole.info(), whole.columns(), [&, most_rows, i](table::RowSink& sink) {
      FirstRows rows(sink, most_rows);
      whole.write(rows);
      counts[i] = rows.count();
    });
  }
  std::string results;
  render::json(first, [&](std::string_view piece) { results += piece; });
  return assemble_page(tables_page, title, results.size(), [&](std::string& out) {
    JsonWriter json(out, JsonWriter::Place::script);
    json.open('{');
    json.key("tables").open('[');
    for (size_t i = 0; i < tables.size(); ++i) write_description(json, tables[i], counts[i]);
    json.close(']');
    json.close('}');
    out.pop_back();
    out += ",\"results\":";
    append_for_script(out, results);
    out += '}';
  });
}

}  // namespace kr::page

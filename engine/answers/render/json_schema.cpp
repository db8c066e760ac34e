#include "base/json_writer.hpp"
#include "render/columns.hpp"
#include "render/render.hpp"

namespace kr::render {
namespace {

std::string_view json_type(const Column& column) {
  if (is_text(column.unit)) return "string";
  if (column.unit == Unit::boolean) return "boolean";
  return may_have_fraction(column) ? "number" : "integer";
}

void append_type(JsonWriter& json, std::string_view type, bool optional) {
  json.key("type");
  if (!optional) return json.text(type);
  json.open('[');
  json.text(type);
  json.text("null");
  json.close(']');
}

/// `"labels":{…}`: an array of rows.
void append_table_schema(JsonWriter& json, const TableInfo& info) {
  json.key(info.id, true).open('{');
  json.key("title").text(info.title);
  json.key("description").text(info.doc);
  json.key("type").text("array");
  json.key("items").open('{');
  json.key("type").text("object");
  json.key("properties").open('{');
  bool dimensions = false;
  for (const Column& column : info.columns) {
    dimensions |= column.id == dimension_columns;
    if (!is_in_files(column) || column.id == dimension_columns) continue;
    json.key(column.id, true).open('{');
    append_type(json, json_type(column), column.optional);
    json.key("description").text(column.doc);
    json.close('}');
  }
  json.close('}');
  json.key("required", true).open('[');
  for (const Column& column : info.columns) {
    if (is_in_files(column) && column.id != dimension_columns) json.text(column.id);
  }
  json.close(']');
  json.key("additionalProperties");
  if (dimensions) {
    json.open('{');
    append_type(json, "string", true);
    json.close('}');
  } else {
    json.number(false);
  }
  json.close('}');
  json.close('}');
}

}  // namespace

std::string json_schema(std::span<const TableInfo* const> tables) {
  std::string out;
  JsonWriter json(out);
  json.open('{');
  json.key("$schema").text("https://json-schema.org/draft/2020-12/schema");
  json.key("title", true).text("Results of kr");
  json.key("type").text("object");
  json.key("required", true).open('[');
  for (const char* member : {"kr", "schema", "tables"}) json.text(member);
  json.close(']');
  json.key("additionalProperties").number(false);
  json.key("properties", true).open('{');
  json.key("kr", true).open('{');
  json.key("description").text("The version of kr.");
  json.key("type").text("string");
  json.close('}');
  json.key("schema", true).open('{');
  json.key("description").text("It grows when a column is removed or changes its meaning.");
  json.key("const").number(schema_version);
  json.close('}');
  for (const TableInfo* info : tables) {
    if (info->describes_results) append_table_schema(json, *info);
  }
  json.key("tables", true).open('{');
  json.key("description").text("The results. A table is an array with one object per row.");
  json.key("type").text("object");
  json.key("additionalProperties").number(false);
  json.key("properties").open('{');
  for (const TableInfo* info : tables) {
    if (!info->describes_results) append_table_schema(json, *info);
  }
  json.close('}');
  json.close('}');
  json.close('}');
  json.close('}');
  return out + '\n';
}

}  // namespace kr::render

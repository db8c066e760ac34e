#include "page/analysis_html.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "page/page_parts.hpp"
#include "render/render.hpp"

namespace kr::page {
namespace {

void append_styles(std::string& out, const std::vector<picture::LabelStyle>& styles) {
  JsonWriter json(out, JsonWriter::Place::script);
  json.open('[');
  for (const picture::LabelStyle& style : styles) {
    json.open('{');
    json.key("dimension").text(style.dimension);
    json.key("label").text(style.label);
    json.key("title").text(style.title);
    json.key("color").text(style.color);
    json.close('}');
  }
  json.close(']');
}

}  // namespace

std::string analysis_html(std::span<const table::Table> tables, std::string_view title,
                          const std::vector<picture::LabelStyle>& styles) {
  std::string json;
  render::json(tables, [&](std::string_view piece) { json += piece; });
  return assemble_page(analysis_page, std::string(title), json.size() + 100 * styles.size(),
                       [&](std::string& out) {
                         out += "{\"styles\":";
                         append_styles(out, styles);
                         out += ",\"analysis\":";
                         append_for_script(out, json);
                         out += '}';
                       });
}

}  // namespace kr::page

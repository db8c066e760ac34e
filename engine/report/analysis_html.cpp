// analysis.html: the page's parts and the JSON of the analysis in one file.
#include <fmt/format.h>

#include "base/json_writer.hpp"
#include "report/analysis.hpp"
#include "report/page_parts.hpp"

namespace kr {
namespace {

std::string title_of(const std::vector<AnalyzedRun>& runs) {
  if (runs.size() == 1) return "Analysis of " + runs[0].summary.id;
  return fmt::format("Analysis of {} runs", runs.size());
}

/// In JSON a `<` stands in texts alone, so that its escape means the same.
void append_for_script(std::string& out, std::string_view json) {
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

void append_styles(std::string& out, const std::vector<LabelStyle>& styles) {
  JsonWriter json(out, JsonWriter::Place::script);
  json.open('[');
  for (const LabelStyle& style : styles) {
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

std::string analysis_html(const std::vector<AnalyzedRun>& runs,
                          const std::vector<std::string>& parts,
                          const std::vector<LabelStyle>& styles) {
  const std::string json = analysis_json(runs, parts);
  return assemble_page(analysis_page, title_of(runs), json.size() + 100 * styles.size(),
                       [&](std::string& out) {
                         out += "{\"styles\":";
                         append_styles(out, styles);
                         out += ",\"analysis\":";
                         append_for_script(out, json);
                         out += '}';
                       });
}

}  // namespace kr

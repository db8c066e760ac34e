// Rooflines of a page: charts that are laid out as those of files, and the lines below them.
#include <algorithm>

#include "page/page_data.hpp"
#include "picture/roofline_tables.hpp"

namespace kr::page {
namespace {

/// Of all rooflines of a page.
constexpr size_t max_chart_bytes = 3'000'000;

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).open('[');
  for (const std::string& text : texts) json.text(text);
  json.close(']');
}

const table::Table* table_of(std::span<const table::Table> tables, std::string_view id) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const table::Table& one) { return one.id() == id; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace

void write_rooflines(JsonWriter& json, std::span<const table::Table> tables) {
  const table::Table* points = table_of(tables, "roofline");
  if (points == nullptr) return;
  size_t bytes = 0;
  json.key("rooflines").open('[');
  for (const picture::LevelRoofline& one :
       picture::rooflines_by_level(*points, table_of(tables, "roofline_roofs"))) {
    picture::RooflineParts parts = picture::roofline_parts(one.roofline);
    size_t size = 0;
    for (const std::string& chart : parts.charts) size += chart.size();
    if (size <= max_chart_bytes - bytes) {
      bytes += size;
    } else {
      parts.charts.clear();
      parts.notes.insert(parts.notes.begin(),
                         "No chart: those of this page take 3 MB. `kr report --roofline FILE.svg` "
                         "draws that of one run.");
    }
    json.open('{', true);
    json.key("run").text(one.run);
    json.key("level").text(one.level);
    write_texts(json, "charts", parts.charts);
    write_texts(json, "notes", parts.notes);
    json.close('}');
  }
  json.close(']');
}

}  // namespace kr::page

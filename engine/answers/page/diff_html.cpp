#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "page/page_data.hpp"
#include "page/pages.hpp"
#include "picture/label_styles.hpp"
#include "tables/difference.hpp"
#include "tables/run_names.hpp"

namespace kr::page {
namespace {

/// The member `unit`: what the work of both sides is divided by, and how many each side has.
void write_unit(JsonWriter& json, const changes::Unit& unit) {
  json.key("unit").open('{');
  json.key("word").text(unit.word());
  json.key("phase").text(unit.phase);
  json.key("a").number(unit.a);
  json.key("b").number(unit.b);
  json.close('}');
}

/// The member `steps`, if there are wall times: what the median wall time of the table `comparison`
/// is of, steps of a phase or repeats of a block.
void write_steps(JsonWriter& json, const changes::Comparison& comparison) {
  const changes::PhaseChange* const phase = comparison.main_phase();
  if (phase == nullptr) return;
  json.key("steps").open('{');
  json.key("phase").text(phase->phase);
  json.key("of_repeats").number(phase->of_repeats ? 1 : 0);
  json.key("a").number(phase->a_steps);
  json.key("b").number(phase->b_steps);
  json.close('}');
}

void write_median(JsonWriter& json, const changes::LabelChange& label) {
  json.open('[', true);
  json.text(label.dimension);
  json.text(label.label);
  json.number(std::llround(label.median->a_ns));
  json.number(std::llround(label.median->change_ns));
  json.close(']');
}

/// The member `medians`: of each label with one, and of all work (without a dimension and label),
/// `[dimension, label, a_ns, change_ns]`. The tables have the changes in percent.
void write_medians(JsonWriter& json, const changes::Comparison& comparison) {
  json.key("medians").open('[');
  if (comparison.total.median) write_median(json, comparison.total);
  for (const changes::LabelChange& label : comparison.labels) {
    if (label.median) write_median(json, label);
  }
  json.close(']');
}

/// What differs between the paths of the sides, if that is short.
std::vector<std::string> side_names(const tables::RunPair& pair) {
  constexpr size_t longest = 48;
  std::vector<std::string> sides = tables::distinct_parts(std::vector<std::string>{pair.a, pair.b});
  const bool named = std::ranges::all_of(
      sides, [](const std::string& side) { return !side.empty() && side.size() <= longest; });
  if (!named) sides = {"A", "B"};
  return sides;
}

}  // namespace

std::string diff_html(const tables::Source& source, std::span<const table::Table> tables,
                      std::string_view by, std::string_view title) {
  const tables::RunPair& pair = *source.run_difference;
  const std::vector<std::string> sides = side_names(pair);
  const std::string made =
      title.empty() ? fmt::format("{} against {}", printable(sides[1]), printable(sides[0]))
                    : std::string(title);
  return make_page(diff_page, {.title = made, .tables = tables, .more = [&](JsonWriter& json) {
                                 json.key("by").text(by);
                                 json.key("sides").open('[');
                                 for (const std::string& side : sides) json.text(side);
                                 json.close(']');
                                 write_unit(json, pair.comparison.unit);
                                 write_steps(json, pair.comparison);
                                 write_medians(json, pair.comparison);
                                 write_styles(json, picture::label_styles(source.rules->program(),
                                                                          source.summaries()));
                               }});
}

}  // namespace kr::page

#include <fmt/format.h>

#include <unordered_map>

#include "overview/pivot.hpp"
#include "page/page_data.hpp"
#include "page/pages.hpp"
#include "tables/device_word.hpp"
#include "tables/registry.hpp"

namespace kr::page {
namespace {

using overview::PivotRow;

void write_label_sum(JsonWriter& json, const analyze::LabelSum& sum) {
  json.open('[');
  json.number(sum.elapsed_ns);
  json.number(sum.total_ns);
  json.number(sum.instances);
  json.number(sum.busy_ns);
  json.close(']');
}

/// A row is its label, its sum over all runs, and those of the runs.
void write_pivot_rows(JsonWriter& json, std::string_view key, std::span<const PivotRow> rows) {
  json.key(key).open('[');
  for (const PivotRow& row : rows) {
    json.open('[', true);
    json.text(row.label);
    write_label_sum(json, overview::sum_over_runs(row));
    for (const analyze::LabelSum& sum : row.runs) write_label_sum(json, sum);
    json.close(']');
  }
  json.close(']');
}

/// By dimension: all labels, how many of them are drawn, and the row for all others.
void write_pivots(JsonWriter& json, const tables::Source& source) {
  const std::vector<const analyze::RunSummary*> runs = source.summaries();
  json.key("pivots").open('{');
  for (const std::string& dimension : tables::dimensions_of(source)) {
    const std::vector<PivotRow> rows = overview::make_pivot(runs, dimension);
    const std::vector<PivotRow> drawn = overview::folded(rows, overview::max_labels);
    const bool others = drawn.size() < rows.size();
    json.key(dimension).open('{');
    json.key("drawn").number(others ? overview::max_labels : rows.size());
    write_pivot_rows(json, "rows", rows);
    write_pivot_rows(
        json, "others",
        std::span(drawn).subspan(others ? overview::max_labels : drawn.size(), others));
    json.close('}');
  }
  json.close('}');
}

/// The member `all_runs`.
void write_all_runs(JsonWriter& json, const tables::Source& source) {
  analyze::LabelSum all;
  for (const analyze::RunSummary* run : source.summaries()) {
    all.elapsed_ns += run->gpu_elapsed_ns;
    all.total_ns += run->gpu_total_ns;
    all.instances += run->operations;
    all.busy_ns += run->gpu_busy_ns;
  }
  json.key("all_runs");
  write_label_sum(json, all);
}

/// The rules of all labels: the table `kernels` has one only. By run and dimension, for each row of
/// that table the place of its rule in `texts`.
void write_rules(JsonWriter& json, const tables::Source& source) {
  std::unordered_map<std::string_view, size_t> places;
  std::vector<std::string_view> texts;
  json.key("rules").open('{');
  json.key("runs").open('[');
  for (const tables::Run& run : source.runs) {
    json.open('{', true);
    for (size_t i = 0; i < run.summary.name_dimensions(); ++i) {
      json.key(run.summary.dimensions[i].dimension).open('[');
      for (const analyze::NameSum& name : run.summary.names) {
        const auto [place, fresh] = places.try_emplace(name.labels[i].rule, texts.size());
        if (fresh) texts.push_back(name.labels[i].rule);
        json.number(place->second);
      }
      json.close(']');
    }
    json.close('}');
  }
  json.close(']');
  json.key("texts").open('[');
  for (const std::string_view text : texts) json.text(text);
  json.close(']');
  json.close('}');
}

/// By dimension: its column of `kernels`.
void write_dimensions(JsonWriter& json, const tables::Source& source) {
  json.key("dimensions").open('{');
  for (const std::string& dimension : tables::name_dimensions_of(source)) {
    json.key(dimension).text(tables::dimension_column(*tables::find("kernels"), dimension));
  }
  json.close('}');
}

/// The member `next`, if there is one.
void write_next_step(JsonWriter& json, const overview::Report& report) {
  const auto next = overview::next_step(report);
  if (!next) return;
  json.key("next").open('{');
  json.key("text").text(next->text);
  json.key("command").text(next->command);
  json.close('}');
}

std::string default_title(const tables::Source& source) {
  std::string title(tables::device_word(source));
  if (title == "device") title = "Device";
  title += " time of ";
  return title + (source.runs.size() == 1 ? source.run_name(source.runs[0].summary.id)
                                          : fmt::format("{} runs", source.runs.size()));
}

}  // namespace

std::string report_html(const tables::Source& source, std::span<const table::Table> tables,
                        const overview::Report& report,
                        std::span<const timeline::Timeline> timelines) {
  const std::string title = report.title.empty() ? default_title(source) : report.title;
  return make_page(report_page,
                   {.title = title, .tables = tables, .more = [&](JsonWriter& json) {
                      json.key("by").text(report.by);
                      json.key("device").text(tables::device_word(source));
                      json.key("measure").text(overview::to_string(report.measure));
                      write_dimensions(json, source);
                      write_styles(json, report.styles);
                      write_tiles(json, report_tiles(source));
                      write_health(json, source);
                      write_found_phases(json, source);
                      write_heat_maps(json, source);
                      write_rooflines(json, tables);
                      if (has_table(tables, "steps")) write_stacks(json, source);
                      // Of many ranks, what each has by itself is left out.
                      if (has_table(tables, "kernels") || !tables::are_many_ranks(source)) {
                        write_pivots(json, source);
                        write_rules(json, source);
                      }
                      write_all_runs(json, source);
                      write_timelines(json, timelines);
                      write_next_step(json, report);
                    }});
}

}  // namespace kr::page

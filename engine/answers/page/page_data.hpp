// A page of tables: the tables as `--format json` writes them, and what their columns are.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "page/page_parts.hpp"
#include "picture/label_styles.hpp"
#include "table/table.hpp"
#include "tables/source.hpp"
#include "timeline/timeline.hpp"

namespace kr::page {

struct PageContent {
  std::string_view title;
  std::span<const table::Table> tables;
  size_t max_rows = std::numeric_limits<size_t>::max();  // of each table; the page says what is cut
  std::function<void(JsonWriter&)> more;                 // members that only this page has
  bool more_has_names = false;                           // `names` is among them
};
std::string make_page(const PageParts& parts, const PageContent& content);

/// The member `names`: of each name that is not shown as it is, or that has a place where it may be
/// cut, `[name, text, place…]`; see `table/names.hpp`. `names`: those of the page; they may repeat.
void write_names(JsonWriter& json, std::vector<std::string_view> names);

/// The member `styles`: title, colour and documentation of each label.
void write_styles(JsonWriter& json, const std::vector<picture::LabelStyle>& styles);

/// Of many ranks, tables of what each has by itself may be left out.
bool has_table(std::span<const table::Table> tables, std::string_view id);

/// A number in large type at the top of a page.
struct Tile {
  std::string title;
  std::string value;
  std::string beside;          // faint, below the value
  std::string exact = {};      // when pointed at
  std::string dimension = {};  // shown only while this dimension is chosen; empty: always
};
/// The member `tiles`.
void write_tiles(JsonWriter& json, const std::vector<Tile>& tiles);

/// The member `health`: the worst error or warning on all runs, if there is one.
void write_health(JsonWriter& json, const tables::Source& source);
/// The member `found`: lines on the phases found without annotations; left out if there are none.
void write_found_phases(JsonWriter& json, const tables::Source& source);

/// The member `heat`, of ranks of one job: `ranks`, and `maps`, each with its `table`, what of it
/// it is about (`of`: a dimension), its `columns` (how many of the table's it is the sum of, the
/// keys of the first, and of the last if they are several) and `cells` (see HeatMap::write).
void write_heat_maps(JsonWriter& json, const tables::Source& source);

/// The members `steps` and `phases`: labels of the bars of the steps of each run, and of the phases
/// of all runs; the tables `step_labels` and `phase_labels` have their times.
void write_stacks(JsonWriter& json, const tables::Source& source);

/// The member `rooflines`, of pages with that table: of each run and level the `charts` and `notes`
/// (see picture::RooflineParts).
void write_rooflines(JsonWriter& json, std::span<const table::Table> tables);

std::string base64(std::string_view bytes);

/// The member `timelines`.
void write_timelines(JsonWriter& json, std::span<const timeline::Timeline> timelines);

/// What all devices of a run or of one job did, and how much is explained; of one run its wall
/// time, too. Runs that are compared are not added up: they have no tiles.
std::vector<Tile> report_tiles(const tables::Source& source);

}  // namespace kr::page

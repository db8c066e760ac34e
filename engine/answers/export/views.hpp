// What verbs show where the user chooses no tables, on the command line and from the library: their
// tables, and what they write in another way than any tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overview/overview.hpp"
#include "render/render.hpp"
#include "table/table.hpp"
#include "tables/source.hpp"
#include "trees/view.hpp"

namespace kr::exports {

struct View {
  std::string_view verb;
  std::string_view stem;  // of its files; the title of a page of its tables
  std::vector<std::string> tables;
  std::vector<std::string> page_tables = {};  // that its page has, too, of runs that can have them
};
/// `report`, `analyze`, `tree`, `diff` (of runs, or, if rules are compared, of these), `coverage`
/// and `why`. Throws Error if there is no such verb.
const View& view_named(std::string_view verb);

void report_markdown(const tables::Source& source, const overview::Report& report,
                     std::span<const Table> tables, const render::Bytes& out);

/// Before all tables: the answer, and how parallel a job is.
std::string all_sections_text(const tables::Source& source, const overview::Report& report,
                              overview::TableOptions look);

/// Of the tree of `source`, as `view` shows it.
std::string tree_page(const tables::Source& source, const trees::TreeView& view,
                      trees::Metric metric);
void tree_text(const tables::Source& source, const trees::TreeView& view, trees::Metric metric,
               overview::TableOptions look, const render::Bytes& out);

}  // namespace kr::exports

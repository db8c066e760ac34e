// The pages of commands: each is one file that needs no other file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overview/overview.hpp"
#include "table/table.hpp"
#include "tables/source.hpp"
#include "timeline/timeline.hpp"
#include "trees/view.hpp"

namespace kr::page {

/// `kr report` and `kr analyze`: tables made from `source`, in sections that are there if their
/// tables are, and labels by run. Without a title, one is made from the runs. `timelines`: one per
/// run, with timeline_limits; or none.
std::string report_html(const tables::Source& source, std::span<const table::Table> tables,
                        const overview::Report& report,
                        std::span<const timeline::Timeline> timelines = {});

/// What a run may have of the page's timelines, which take 3 MB in all at most.
timeline::Limits timeline_limits(size_t runs);

/// `kr diff` of two runs, for a pull request: what was compared, the verdict, the change by label
/// of the dimension `by` and of others, evidence, and the tables. Without a title, one is made from
/// the sides. `source` has the comparison.
std::string diff_html(const tables::Source& source, std::span<const table::Table> tables,
                      std::string_view by, std::string_view title = {});

/// Longer tables of `tables_html` are cut, and the page says so.
inline constexpr size_t max_page_rows = 50'000;

/// Any tables, a card for each: for verbs without a page of their own. Columns show values in a
/// unit that suits them, and explain themselves when pointed at.
std::string tables_html(std::span<const table::Table> tables, std::string_view title,
                        size_t max_rows = max_page_rows);

/// The largest sizes of parts of a page of module trees, so that it opens quickly: some 20 MB in
/// all. Above them the smallest entries, the deepest nodes or some of the steps are omitted, and
/// the page says so. Sums over all steps are always of all of them.
struct TreePageLimits {
  size_t entries = 200;           // then `others`
  size_t phases = 16;             // then one for the rest
  size_t bar_cells = 400'000;     // bars times entries
  size_t tree_values = 800'000;   // times in the trees of single steps
  size_t path_cells = 300'000;    // places in the trees times phases
  size_t text_bytes = 3'000'000;  // of names and labels
};

/// `kr tree`: module trees to click through. The bars of all steps of the view in the colours of
/// its pictures, the complete trees of as many steps as fit (every k-th of a phase and its last),
/// and those of each phase together; then `tables` as cards.
std::string to_tree_html(const sema::Program& program, const trees::TreeView& view,
                         const trees::TreeRun& run, trees::Metric metric,
                         const TreePageLimits& limits = {}, std::vector<table::Table> tables = {});

}  // namespace kr::page

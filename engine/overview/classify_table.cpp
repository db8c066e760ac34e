// `kr classify --format table`.
#include <fmt/format.h>

#include <algorithm>

#include "overview/dimensions.hpp"
#include "overview/report.hpp"
#include "table/numbers.hpp"
#include "table/text_grid.hpp"

namespace kr::overview {
namespace {

using Align = table::TextGrid::Align;
using Cell = table::TextGrid::Cell;

constexpr size_t longest_classified_label = 28;
constexpr size_t shortest_classified_name = 24;

}  // namespace

std::string classify_table(const analyze::RunSummary& run, TableOptions options) {
  const table::TimeUnit unit = table::unit_for(run.gpu_elapsed_ns);
  const auto stage = run.dimension("stage");
  const auto substage = run.dimension("substage");
  const auto kind = run.dimension("kind");
  const auto fill = [&](table::TextGrid& grid, size_t name_columns, bool names) {
    grid.column(fmt::format("elapsed {}", unit.name), Align::right);
    grid.column("instances", Align::right);
    if (stage) grid.column("stage", Align::left);
    grid.column(substage ? "substage" : "kind", Align::left);
    grid.column("rule", Align::left);
    if (names) grid.column("name", Align::left);
    for (const analyze::NameSum& name : run.names) {
      const analyze::NameSum::LabelResult* by = name.label(substage ? substage : kind);
      std::vector<Cell> cells{{table::in_unit(name.elapsed_ns, unit), {}},
                              {table::grouped(name.instances), {}}};
      if (stage)
        cells.push_back({table::cut(label_of(name, stage, {}), longest_classified_label), {}});
      cells.push_back({by != nullptr ? table::cut(by->label, longest_classified_label) : "", {}});
      cells.push_back(
          {by != nullptr ? table::cut_middle(by->rule, longest_classified_label) : "", {}});
      if (names) cells.push_back({table::cut(name.name, name_columns), {}});
      grid.row(std::move(cells));
    }
  };
  size_t name_columns = 0;
  if (options.width > 0) {
    table::TextGrid others;
    fill(others, 0, false);
    const auto width = static_cast<size_t>(options.width);
    name_columns = std::max(shortest_classified_name, width - std::min(width, others.width() + 2));
  }
  table::TextGrid grid;
  fill(grid, name_columns, true);
  return grid.text(0, options.color);
}

}  // namespace kr::overview

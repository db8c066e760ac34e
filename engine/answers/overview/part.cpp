#include "overview/part.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace kr::overview {
namespace {

using Place = std::optional<size_t>;

Place place_of(const table::Table& table, std::string_view column) {
  const auto found = std::find_if(table.columns().begin(), table.columns().end(),
                                  [&](const table::Column& one) { return one.id == column; });
  if (found == table.columns().end()) return std::nullopt;
  return static_cast<size_t>(found - table.columns().begin());
}

}  // namespace

table::Table part_of(table::Table table, Part part) {
  const auto info = std::make_shared<table::Info>(table.info());
  if (!part.title.empty()) info->title = part.title;
  std::vector<size_t> chosen;
  std::vector<table::Column> columns;
  for (const std::string& id : part.columns) {
    const auto at = place_of(table, id);
    if (!at) continue;
    chosen.push_back(*at);
    columns.push_back(table.columns()[*at]);
    if (columns.back().role == table::Role::detail) columns.back().role = table::Role::measure;
    for (const auto& [from, to] : part.prefixes) {
      if (id.starts_with(from)) columns.back().id = to + id.substr(from.size());
    }
  }
  const Place where = place_of(table, part.where);
  const Place not_zero = place_of(table, part.not_zero);
  return {*info, std::move(columns),
          // `info` lives as long as the rows that it describes.
          [info, table = std::move(table), chosen = std::move(chosen), part = std::move(part),
           where, not_zero](table::RowSink& sink) {
            table::Cells row(chosen.size());
            table::RowsTo rows([&](std::span<const table::Cell> cells) {
              if (where && cells[*where] != table::Cell(std::string_view(part.value))) return;
              if (not_zero && cells[*not_zero] == table::Cell(int64_t{0})) return;
              for (size_t i = 0; i < row.size(); ++i) row[i] = cells[chosen[i]];
              sink.row(row);
            });
            table.write(rows);
          }};
}

}  // namespace kr::overview

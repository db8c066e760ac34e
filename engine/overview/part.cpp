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

class ChosenCells final : public table::RowSink {
 public:
  ChosenCells(table::RowSink& to, const std::vector<size_t>& columns, const Part& part, Place where,
              Place not_zero)
      : to_(to),
        columns_(columns),
        part_(part),
        where_(where),
        not_zero_(not_zero),
        row_(columns.size()) {}

  using RowSink::row;
  void row(std::span<const table::Cell> cells) override {
    if (where_ && cells[*where_] != table::Cell(std::string_view(part_.value))) return;
    if (not_zero_ && cells[*not_zero_] == table::Cell(int64_t{0})) return;
    for (size_t i = 0; i < columns_.size(); ++i) row_[i] = cells[columns_[i]];
    to_.row(row_);
  }

 private:
  table::RowSink& to_;
  const std::vector<size_t>& columns_;
  const Part& part_;
  Place where_;
  Place not_zero_;
  table::Cells row_;
};

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
  }
  const Place where = place_of(table, part.where);
  const Place not_zero = place_of(table, part.not_zero);
  return {*info, std::move(columns),
          // `info` lives as long as the rows that it describes.
          [info, table = std::move(table), chosen = std::move(chosen), part = std::move(part),
           where, not_zero](table::RowSink& sink) {
            ChosenCells cells(sink, chosen, part, where, not_zero);
            table.write(cells);
          }};
}

}  // namespace kr::overview

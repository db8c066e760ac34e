// The rows of a table in a test.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "table/table.hpp"

namespace kr::test {

/// Whether a column may have such a cell.
inline bool fits(const table::Column& column, const table::Cell& cell) {
  if (table::is_nothing(cell)) return column.optional;
  const int64_t* whole = std::get_if<int64_t>(&cell);
  const double* number = std::get_if<double>(&cell);
  switch (column.unit) {
    case table::Unit::text:
    case table::Unit::name:
      return std::holds_alternative<std::string_view>(cell);
    case table::Unit::id:
      return whole != nullptr;
    case table::Unit::boolean:
      return whole != nullptr && (*whole == 0 || *whole == 1);
    case table::Unit::count:
    case table::Unit::ns:
    case table::Unit::bytes:
    case table::Unit::flop:
      return whole != nullptr || number != nullptr;
    case table::Unit::ratio:
      return number != nullptr && *number >= 0 && *number <= 1;
    case table::Unit::factor:
    case table::Unit::percent:
    case table::Unit::per_second:
    case table::Unit::hz:
    case table::Unit::watts:
      return number != nullptr;
  }
  return false;
}

/// Keeps the rows of a table, and checks that each cell fits its column.
class CollectedRows final : public table::RowSink {
 public:
  using OwnedCell = std::variant<std::monostate, std::string, int64_t, double>;

  explicit CollectedRows(std::vector<table::Column> columns) : columns_(std::move(columns)) {}
  explicit CollectedRows(const table::Table& table) : CollectedRows(table.columns()) {
    table.write(*this);
  }

  void row(std::span<const table::Cell> cells) override {
    REQUIRE(cells.size() == columns_.size());
    std::vector<OwnedCell>& row = rows_.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      CHECK_MESSAGE(fits(columns_[i], cells[i]), columns_[i].id);
      row.push_back(std::visit(
          [](const auto& value) {
            if constexpr (std::is_same_v<decltype(value), const std::string_view&>) {
              return OwnedCell(std::string(value));
            } else {
              return OwnedCell(value);
            }
          },
          cells[i]));
    }
  }

  const std::vector<std::vector<OwnedCell>>& rows() const noexcept { return rows_; }

  /// A line for each row with the cells of these columns, or of all: `decode|5|-|0.25`. Nothing is
  /// `-`, a number has as many digits as it needs.
  std::string lines(std::initializer_list<std::string_view> columns = {}) const {
    std::vector<size_t> places;
    for (const std::string_view id : columns) {
      const auto at = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const table::Column& column) { return column.id == id; });
      REQUIRE_MESSAGE(at != columns_.end(), id);
      places.push_back(static_cast<size_t>(at - columns_.begin()));
    }
    for (size_t i = 0; columns.size() == 0 && i < columns_.size(); ++i) places.push_back(i);
    std::string out;
    for (const std::vector<OwnedCell>& row : rows_) {
      for (size_t i = 0; i < places.size(); ++i) {
        if (i > 0) out += '|';
        std::visit(
            [&](const auto& value) {
              if constexpr (std::is_same_v<decltype(value), const std::monostate&>) {
                out += '-';
              } else {
                out += fmt::format("{}", value);
              }
            },
            row[places[i]]);
      }
      out += '\n';
    }
    return out;
  }

 private:
  std::vector<table::Column> columns_;
  std::vector<std::vector<OwnedCell>> rows_;
};

}  // namespace kr::test

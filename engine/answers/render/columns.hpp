// What formats need of a column.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "table/table.hpp"

namespace kr::render {

/// Whether files have it: a text of the short form repeats what other tables have.
inline bool is_in_files(const Column& column) noexcept {
  return column.role != Role::short_form;
}

/// Whether its numbers may have a fraction.
inline bool may_have_fraction(const Column& column) noexcept {
  switch (column.unit) {
    case Unit::ratio:
    case Unit::factor:
    case Unit::percent:
    case Unit::per_second:
    case Unit::flop:
    case Unit::hz:
    case Unit::watts:
      return true;
    case Unit::count:
    case Unit::ns:
    case Unit::bytes: {
      constexpr std::array<std::string_view, 7> of_many{"mean",   "median", "stddev",  "slope",
                                                        "a_per_", "b_per_", "per_unit"};
      return std::any_of(of_many.begin(), of_many.end(), [&](std::string_view word) {
        return column.id.find(word) != std::string::npos;
      });
    }
    case Unit::text:
    case Unit::name:
    case Unit::id:
    case Unit::boolean:
      break;
  }
  return false;
}

/// What columns of two sides have in common: `a_total_ns` and `b_total_ns` are `total_ns`.
inline std::string_view compared(const Column& column) noexcept {
  const std::string_view id = column.id;
  return id.starts_with("a_") || id.starts_with("b_") ? id.substr(2) : id;
}

/// Places of columns in the order in which people read them: a share right of what it is a share
/// of.
inline std::vector<size_t> order_for_people(std::span<const Column> columns) {
  const auto has = [&](std::string_view id) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const Column& column) { return column.id == id; });
  };
  std::vector<size_t> order;
  order.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (has(columns[i].share_of)) continue;
    order.push_back(i);
    for (size_t share = 0; share < columns.size(); ++share) {
      if (columns[share].share_of == columns[i].id) order.push_back(share);
    }
  }
  return order;
}

}  // namespace kr::render

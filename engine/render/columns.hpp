// What formats need of a column.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

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
      constexpr std::array<std::string_view, 6> of_many{"mean",  "median", "stddev",
                                                        "slope", "a_per_", "b_per_"};
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

}  // namespace kr::render

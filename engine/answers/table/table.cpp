#include "table/table.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace kr {

std::string_view to_string(Unit unit) noexcept {
  constexpr std::array<std::string_view, 14> names{
      "text",   "name",       "id",   "count",   "ns", "bytes", "ratio",
      "factor", "per_second", "flop", "percent", "hz", "watts", "boolean"};
  static_assert(names.size() == static_cast<size_t>(Unit::boolean) + 1);
  return names[static_cast<size_t>(unit)];
}

std::string_view to_string(Role role) noexcept {
  constexpr std::array<std::string_view, 4> names{"key", "measure", "detail", "short_form"};
  static_assert(names.size() == static_cast<size_t>(Role::short_form) + 1);
  return names[static_cast<size_t>(role)];
}

std::string title(const Column& column) {
  std::string text = column.id;
  if (column.unit == Unit::ns && text.ends_with("_ns")) text.resize(text.size() - 3);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

void Table::write(RowSink& sink) const {
  table::RowsTo checked([&](std::span<const Cell> cells) {
    KR_CHECK(cells.size() == columns_.size());
    sink.row(cells);
  });
  rows_(checked);
}

}  // namespace kr

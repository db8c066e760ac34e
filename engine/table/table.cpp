#include "table/table.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kr {

std::string_view to_string(Unit unit) noexcept {
  switch (unit) {
    case Unit::text:
      return "text";
    case Unit::id:
      return "id";
    case Unit::count:
      return "count";
    case Unit::ns:
      return "ns";
    case Unit::bytes:
      return "bytes";
    case Unit::ratio:
      return "ratio";
    case Unit::factor:
      return "factor";
    case Unit::per_second:
      return "per_second";
    case Unit::flop:
      return "flop";
    case Unit::percent:
      return "percent";
    case Unit::hz:
      return "hz";
    case Unit::boolean:
      return "boolean";
  }
  return "text";
}

std::string_view to_string(Role role) noexcept {
  switch (role) {
    case Role::key:
      return "key";
    case Role::measure:
      return "measure";
    case Role::detail:
      return "detail";
    case Role::short_form:
      return "short_form";
  }
  return "measure";
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

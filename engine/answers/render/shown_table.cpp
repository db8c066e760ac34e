#include "render/shown_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "render/columns.hpp"
#include "text/names.hpp"

namespace kr::render {
namespace {

/// The column of every table of `kr list` that has documentation written in a rules file.
constexpr std::string_view doc_column = "doc";

/// 0 for a cell that is not a number.
double as_double(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  const auto* whole = std::get_if<int64_t>(&cell);
  return whole == nullptr ? 0 : static_cast<double>(*whole);
}

/// A time to the ns; beyond the range of int64_t, its limits.
int64_t rounded_ns(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
  constexpr double limit = 9.2e18;
  return std::llround(std::clamp(as_double(cell), -limit, limit));
}

bool is_shown(const Cell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return !text->empty();
  if (const auto* number = std::get_if<double>(&cell)) return std::isfinite(*number);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return unit != Unit::boolean || *whole != 0;
  return false;
}

/// The first paragraph of a documentation, on one line.
std::string first_paragraph(std::string_view text) {
  std::string line(text.substr(0, text.find("\n\n")));
  while (line.ends_with('\n')) line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

bool is_number(Unit unit) noexcept {
  return !is_text(unit) && unit != Unit::boolean;
}

ShownTable::ShownTable(const Table& table, size_t max_rows)
    : table_(table), kept_(max_rows > 0), facts_(table.columns().size()) {
  table::RowsTo rows([&](std::span<const Cell> cells) { read(cells, max_rows); });
  table.write(rows);
  choose_times();
  choose_names();
}

void ShownTable::read(std::span<const Cell> cells, size_t max_rows) {
  const bool first = all_rows_++ == 0;
  const bool shown = max_rows == 0 || rows_ < max_rows;
  rows_ += shown ? 1 : 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    Facts& facts = facts_[i];
    const Unit unit = table_.columns()[i].unit;
    const auto* text = std::get_if<std::string_view>(&cells[i]);
    if (first && text != nullptr) facts.first_text = *text;
    if (text == nullptr || *text != facts.first_text) facts.one_text = false;
    if (!shown) continue;
    facts.filled |= is_shown(cells[i], unit);
    if (unit == Unit::ns && is_shown(cells[i], unit)) facts.times.add(rounded_ns(cells[i]));
    if (unit == Unit::name && text != nullptr) facts.names.try_emplace(std::string(*text));
    if (!kept_) continue;
    cells_.push_back(text == nullptr ? cells[i] : Cell(texts_.emplace_back(*text)));
  }
}

/// Both sides of a comparison have the same unit. A start or an end, which most readers do not see,
/// is much longer than all durations.
void ShownTable::choose_times() {
  text::ColumnUnit all;
  std::map<std::string_view, text::ColumnUnit> sides;
  for (size_t i = 0; i < facts_.size(); ++i) {
    const Column& column = table_.columns()[i];
    if (column.role != Role::detail) all.add(facts_[i].times);
    sides[compared(column)].add(facts_[i].times);
  }
  for (size_t i = 0; i < facts_.size(); ++i) {
    facts_[i].time = sides[compared(table_.columns()[i])].unit_beside(all.unit());
  }
}

void ShownTable::choose_names() {
  for (Facts& facts : facts_) {
    std::vector<std::string_view> names;
    names.reserve(facts.names.size());
    for (const auto& [name, text] : facts.names) names.push_back(name);
    std::sort(names.begin(), names.end());
    std::vector<std::string> texts = text::short_names(names);
    for (size_t i = 0; i < names.size(); ++i) {
      facts.names.find(std::string(names[i]))->second = std::move(texts[i]);
    }
  }
}

void ShownTable::cut_names(size_t column, size_t width) {
  std::unordered_map<std::string, std::string>& names = facts_[column].names;
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const auto& [name, text] : names) texts.push_back(text);
  std::vector<std::string> cut = text::cut_names(texts, width);
  size_t next = 0;
  for (auto& [name, text] : names) text = std::move(cut[next++]);
}

std::string ShownTable::heading(size_t column) const {
  const Column& of = table_.columns()[column];
  if (table_.info().as_selected) return of.id;
  std::string text = table::title(of);
  if (of.unit == Unit::ns) return text + ' ' + facts_[column].time.name;
  const bool percent = of.unit == Unit::ratio || of.unit == Unit::percent;
  if (percent && !text.ends_with("percent")) text += " %";
  return text;
}

std::string ShownTable::text(size_t column, const Cell& cell) const {
  const Unit unit = table_.columns()[column].unit;
  if (!is_shown(cell, unit)) return {};
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    if (unit == Unit::name) return facts_[column].names.at(std::string(*text));
    return table_.columns()[column].id == doc_column ? first_paragraph(*text) : std::string(*text);
  }
  const std::string plus = table_.columns()[column].is_change && as_double(cell) > 0 ? "+" : "";
  const auto* whole = std::get_if<int64_t>(&cell);
  if (table_.info().as_selected) {
    return whole != nullptr ? text::grouped(*whole) : text::short_number(as_double(cell));
  }
  switch (unit) {
    case Unit::per_second:
      return plus + text::in_si(as_double(cell), "");
    case Unit::ns:
      return plus + text::in_unit(rounded_ns(cell), facts_[column].time);
    case Unit::ratio:
      return plus + text::short_percent(100 * as_double(cell));
    case Unit::percent:
      return plus + text::short_percent(as_double(cell));
    case Unit::boolean:
      return "yes";
    case Unit::text:
    case Unit::name:
    case Unit::id:
      if (whole != nullptr) return fmt::format("{}", *whole);
      break;
    case Unit::count:
    case Unit::factor:
    case Unit::bytes:
    case Unit::flop:
    case Unit::hz:
    case Unit::watts:
      if (whole != nullptr) return plus + text::grouped(*whole);
      break;
  }
  return plus + text::short_number(as_double(cell));
}

void ShownTable::each(const Row& row) const {
  if (!kept_) {
    table::RowsTo rows(row);
    return table_.write(rows);
  }
  const size_t columns = facts_.size();
  for (size_t i = 0; i < rows_; ++i) row(std::span(cells_).subspan(i * columns, columns));
}

}  // namespace kr::render

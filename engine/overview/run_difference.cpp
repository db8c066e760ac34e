#include "overview/run_difference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "table/numbers.hpp"
#include "table/text_grid.hpp"

namespace kr::overview {
namespace {

using Align = table::TextGrid::Align;

constexpr size_t shortest_changed_name = 24;

/// `+1.250`, and by how much of the first side.
std::string change_text(int64_t a, int64_t b, table::TimeUnit unit) {
  return fmt::format("{}{}", b > a ? "+" : "", table::in_unit(b - a, unit));
}
std::string change_percent(int64_t a, int64_t b) {
  if (a == 0) return b == 0 ? "" : "new";
  if (b == 0) return "gone";
  return (b >= a ? "+" : "-") + table::percent(std::abs(b - a), a, 1);
}

class SideBySide {
 public:
  SideBySide(table::TimeUnit unit, size_t width) : unit_(unit), width_(width) {}

  template <class Rows>
  std::string text(const Rows& rows, bool color) const {
    size_t name_columns = 0;
    if (width_ > 0) {
      table::TextGrid without;
      fill(without, rows, 1);
      name_columns =
          std::max(shortest_changed_name, width_ - std::min(width_, without.width() + 2));
    }
    table::TextGrid grid;
    fill(grid, rows, name_columns);
    return grid.text(0, color);
  }

 private:
  template <class Rows>
  void fill(table::TextGrid& grid, const Rows& rows, size_t name_columns) const {
    grid.column(fmt::format("A {}", unit_.name), Align::right);
    grid.column(fmt::format("B {}", unit_.name), Align::right);
    grid.column("change", Align::right);
    grid.column("%", Align::right);
    grid.column("", Align::left);
    for (const auto& [name, a, b] : rows) {
      grid.row({{table::in_unit(a, unit_), {}},
                {table::in_unit(b, unit_), {}},
                {change_text(a, b, unit_), {}},
                {change_percent(a, b), {}},
                {table::cut(name, name_columns), {}}});
    }
  }
  table::TimeUnit unit_;
  size_t width_;
};

struct ChangeRow {
  std::string_view name;
  int64_t a;
  int64_t b;
};

}  // namespace

std::string to_table(const trees::RunDifference& difference, const DifferenceTable& shown,
                     TableOptions options) {
  const size_t width = static_cast<size_t>(std::max(options.width, 0));
  const SideBySide table(table::unit_for(std::max(difference.a_ns, difference.b_ns)), width);
  std::string out =
      table::wrapped("A: " + shown.a, width, 0) + table::wrapped("B: " + shown.b, width, 0);
  out += table::inked(
      table::wrapped((difference.comparable ? "comparable: " : "not comparable: ") + difference.why,
                     width, 0),
      difference.comparable ? table::Ink::none : table::Ink::warning, options.color);
  std::vector<ChangeRow> rows;
  for (const trees::LabelDifference& one : difference.labels) {
    if (one.dimension == shown.by) rows.push_back({one.label, one.a_ns, one.b_ns});
  }
  rows.push_back({"all", difference.a_ns, difference.b_ns});
  out += '\n' + table::inked(shown.by, table::Ink::bold, options.color) + '\n' +
         table.text(rows, options.color);
  rows.clear();
  size_t changed = 0;
  for (const trees::NameDifference& one : difference.names) {
    if (one.a_ns == one.b_ns) continue;
    ++changed;
    if (shown.most_names == 0 || changed <= shown.most_names) {
      rows.push_back({one.name, one.a_ns, one.b_ns});
    }
  }
  if (rows.empty()) return out;
  out += '\n' + table::inked("largest changes", table::Ink::bold, options.color) + '\n' +
         table.text(rows, options.color);
  if (changed > rows.size()) {
    out += table::inked(fmt::format("and {} more (--all shows them)\n", changed - rows.size()),
                        table::Ink::faint, options.color);
  }
  return out;
}

}  // namespace kr::overview

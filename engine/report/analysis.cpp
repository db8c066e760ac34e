// `kr analyze` as CSV and for a terminal.
#include "report/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diag/printable.hpp"
#include "report/analysis_sections.hpp"
#include "report/csv.hpp"
#include "report/numbers.hpp"
#include "report/text_grid.hpp"

namespace kr {
namespace {

constexpr size_t shortest_text = 24;

int64_t rounded(const SectionCell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return std::llround(*number);
  const auto* whole = std::get_if<int64_t>(&cell);
  return whole == nullptr ? 0 : *whole;
}

std::string csv_text(const SectionCell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.6f}", *number);
  return fmt::format("{}", rounded(cell));
}

std::string shown(const SectionCell& cell, Unit unit, TimeUnit time) {
  if (std::holds_alternative<std::monostate>(cell)) return {};
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  switch (unit) {
    case Unit::time:
      return in_unit(rounded(cell), time);
    case Unit::share:
      return fmt::format("{:.1f}", 100 * std::get<double>(cell));
    case Unit::number:
      return fmt::format("{:.2f}", std::get<double>(cell));
    case Unit::count:
      return grouped(rounded(cell));
    case Unit::text:
      break;
  }
  return fmt::format("{}", rounded(cell));
}

/// `total_ns` in µs is `total µs`; `share_5` is `share 5`; shares are in percent.
std::string head(const SectionColumn& column, TimeUnit time) {
  std::string name = column.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (column.unit == Unit::time) return name.substr(0, name.size() - 2) + time.name;
  return column.unit == Unit::share ? name + " %" : name;
}

class SectionText {
 public:
  SectionText(const Section& section, size_t most, bool several_runs, TableOptions options)
      : section_(section), options_(options) {
    rows_ = most == 0 ? section.rows.size() : std::min(most, section.rows.size());
    int64_t longest = 0;
    for (size_t row = 0; row < rows_; ++row) {
      for (size_t i = 0; i < section.columns.size(); ++i) {
        if (section.columns[i].unit == Unit::time) {
          longest = std::max(longest, rounded(section.rows[row][i]));
        }
      }
    }
    time_ = unit_for(longest);
    for (size_t i = 0; i < section.columns.size(); ++i) {
      const bool of_run = section.columns[i].role == SectionColumn::Role::run;
      if ((several_runs || !of_run) && told(i)) columns_.push_back(i);
    }
  }

  std::string text() const {
    std::string out = '\n' + inked(section_.title, Ink::bold, options_.color) + '\n';
    size_t columns = 0;
    if (options_.width > 0) {
      const size_t width = static_cast<size_t>(options_.width);
      const size_t others = grid(1).width();
      columns = std::max(shortest_text, width - std::min(width, others));
    }
    out += grid(columns).text(0, options_.color);
    if (rows_ < section_.rows.size()) {
      out += inked(fmt::format("and {} more (--all shows them)\n", section_.rows.size() - rows_),
                   Ink::faint, options_.color);
    }
    return out;
  }

 private:
  bool told(size_t column) const {
    const auto empty = [](const SectionCell& cell) {
      const auto* text = std::get_if<std::string>(&cell);
      return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
    };
    for (size_t row = 0; row < rows_; ++row) {
      if (!empty(section_.rows[row][column])) return true;
    }
    return rows_ == 0;
  }

  /// `last_columns`: how wide the last column may be; 0: as it is.
  TextGrid grid(size_t last_columns) const {
    TextGrid grid;
    for (const size_t i : columns_) {
      grid.column(head(section_.columns[i], time_), section_.columns[i].unit == Unit::text
                                                        ? TextGrid::Align::left
                                                        : TextGrid::Align::right);
    }
    for (size_t row = 0; row < rows_; ++row) {
      std::vector<TextGrid::Cell> cells;
      for (const size_t i : columns_) {
        const bool last = i == columns_.back();
        const std::string text = shown(section_.rows[row][i], section_.columns[i].unit, time_);
        cells.push_back({cut(text, last ? last_columns : 0), {}});
      }
      grid.row(std::move(cells));
    }
    return grid;
  }

  const Section& section_;
  TableOptions options_;
  std::vector<size_t> columns_;  // those shown: without the only run, and what no row tells
  size_t rows_ = 0;
  TimeUnit time_{};
};

}  // namespace

std::string analysis_csv(const std::vector<AnalyzedRun>& runs, const std::string& part) {
  const Section all = section(runs, part);
  CsvWriter csv(CsvWriter::Cells::as_they_are);
  for (const SectionColumn& column : all.columns) {
    if (column.role != SectionColumn::Role::sketch) csv.plain(column.name);
  }
  csv.end_row();
  for (const auto& row : all.rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (all.columns[i].role == SectionColumn::Role::sketch) continue;
      const SectionCell& cell = row[i];
      if (const auto* text = std::get_if<std::string>(&cell)) {
        csv.text(*text);
      } else {
        csv.plain(std::holds_alternative<std::monostate>(cell) ? "" : csv_text(cell));
      }
    }
    csv.end_row();
  }
  return csv.take();
}

std::string analysis_table(const std::vector<AnalyzedRun>& runs,
                           const std::vector<std::string>& parts, size_t most,
                           TableOptions options) {
  std::string out;
  for (const AnalyzedRun& run : runs) {
    const RunSummary& summary = run.summary;
    out += inked(cut_middle(summary.id, static_cast<size_t>(std::max(options.width, 0))), Ink::bold,
                 options.color);
    out += fmt::format("\n{} · {} · {} operations · {}/{}\n", printable(summary.source),
                       summary.format, grouped(summary.operations), summary.engine, summary.model);
    if (summary.operations == 0) {
      out += inked("no GPU work in this trace\n", Ink::warning, options.color);
    }
    for (const Loss& loss : summary.losses) {
      out += inked(fmt::format("left out: {} × {} (first at {})\n", loss.count, loss.what,
                               loss.first_offset),
                   Ink::warning, options.color);
    }
  }
  for (const std::string& part : parts) {
    const Section all = section(runs, part);
    if (!all.rows.empty()) out += SectionText(all, most, runs.size() > 1, options).text();
  }
  return out;
}

}  // namespace kr

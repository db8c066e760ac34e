#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "render/columns.hpp"
#include "render/output_buffer.hpp"
#include "render/shown_table.hpp"
#include "text/text_grid.hpp"

namespace kr::render {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view run_column = "run";
constexpr size_t gap = 2;  // columns of the screen, as all widths here
/// The text that goes last has at least this much of the line.
constexpr size_t short_text = 24;
/// What other texts are cut to in a table that does not fit.
constexpr size_t cut_text = 40;
/// Columns of long texts: the first of these that a table has goes last.
constexpr std::array long_names{"b_name"sv, "name"sv, "kernel"sv};  // of kernels
constexpr std::array long_keys{"shapes"sv, "name"sv};
constexpr std::array sentences{"expression"sv, "detect"sv,    "doc"sv,  "effect"sv,
                               "reason"sv,     "note"sv,      "text"sv, "source"sv,
                               "witness"sv,    "rule_text"sv, "name"sv};

/// One table. A long text goes last. Where it is a key, it is cut in the middle to what is left of
/// the line; otherwise it is a sentence, and goes on in the lines below.
class TerminalTable {
 public:
  TerminalTable(const Table& table, ShownTable& shown, TerminalOptions options)
      : table_(table), shown_(shown), options_(options) {
    for (const size_t i : order_for_people(table.columns())) {
      if (is_visible(i)) places_.push_back({i, shown.heading(i), {}});
    }
    shown.each([&](std::span<const Cell> cells) {
      for (Place& place : places_) {
        const std::string text = shown_.text(place.column, cells[place.column]);
        if (is_number(column(place).unit)) {
          place.extent.add_number(text);
        } else {
          place.extent.add_text(text::cut(text, 0));
        }
      }
    });
    if (places_.empty()) return;
    if (!table.info().as_selected) put_long_text_last();
    fit_heads();
    fit();
    for (const Place& place : places_) {
      if (column(place).unit == Unit::name) shown_.cut_names(place.column, place.width());
    }
  }

  /// A table whose cells are all empty has no columns.
  bool is_empty() const { return places_.empty(); }

  void write(OutputBuffer& out) const {
    text::TextGrid grid;
    for (size_t i = 0; i < places_.size(); ++i) {
      const bool number = is_number(column(places_[i]).unit);
      grid.column(places_[i].head,
                  number ? text::TextGrid::Align::number : text::TextGrid::Align::text, gap);
      grid.widen(i, places_[i].extent);
    }
    std::string text = text::inked(table_.info().title, text::Ink::bold, options_.color) + '\n';
    grid.append_head(text, 0, options_.color);
    shown_.each([&](std::span<const Cell> cells) {
      append_row(text, grid, cells);
      out.append(text);
      text.clear();
    });
    if (shown_.left() == 0) return;
    const std::string left = text::grouped(static_cast<int64_t>(shown_.left()));
    out.append(text::inked(fmt::format("and {} more (--all shows them)", left), text::Ink::faint,
                           options_.color));
    out.append('\n');
  }

 private:
  struct Place {
    size_t column;
    std::string head;
    text::Extent extent;  // of the cells; later with the head

    size_t width() const { return extent.width(); }
  };

  const Column& column(const Place& place) const { return table_.columns()[place.column]; }

  bool is_visible(size_t i) const {
    const Column& one = table_.columns()[i];
    if (table_.info().as_selected) return true;
    if (one.role == (options_.short_form ? Role::detail : Role::short_form)) return false;
    return shown_.is_filled(i) && !(one.id == run_column && shown_.has_one_text(i) &&
                                    !options_.several_runs && !lists_runs());
  }

  /// Rows of other tables are of the only run; the table of runs names it.
  bool lists_runs() const {
    const std::vector<Column>& columns = table_.columns();
    return table_.info().describes_results &&
           std::none_of(columns.begin(), columns.end(), [](const Column& one) {
             return one.role == Role::key && one.id != run_column;
           });
  }

  /// The column that goes last, by what the table is and not by its data: columns keep their places
  /// between runs. A name of a kernel comes before a sentence, which would only take more lines.
  std::optional<size_t> long_text() const {
    const auto find = [&](std::span<const std::string_view> ids,
                          const auto& fits) -> std::optional<size_t> {
      for (const std::string_view id : ids) {
        for (size_t i = 0; i < places_.size(); ++i) {
          if (column(places_[i]).id == id && fits(column(places_[i]))) return i;
        }
      }
      return std::nullopt;
    };
    const auto is_name = [](const Column& one) { return one.unit == Unit::name; };
    const auto is_key = [](const Column& one) {
      return is_text(one.unit) && one.role == Role::key;
    };
    const auto is_sentence = [](const Column& one) {
      return is_text(one.unit) && one.role != Role::key;
    };
    if (const auto name = find(long_names, is_name)) return name;
    if (const auto sentence = find(sentences, is_sentence)) return sentence;
    return find(long_keys, is_key);
  }

  void put_long_text_last() {
    const std::optional<size_t> chosen = long_text();
    if (!chosen) return;
    const auto at = places_.begin() + static_cast<std::ptrdiff_t>(*chosen);
    std::rotate(at, at + 1, places_.end());
    last_is_long_ = true;
  }

  /// What the first columns take.
  size_t width_of(size_t columns) const {
    size_t width = 0;
    for (size_t i = 0; i < columns; ++i) width += places_[i].width() + (i > 0 ? gap : 0);
    return width;
  }

  /// Heads of several words have several lines if the table does not fit otherwise.
  void fit_heads() {
    size_t width = 0;
    for (const Place& place : places_) {
      const size_t cells = std::min(place.width(), cut_text);
      width += std::max(cells, text::columns_of(place.head)) + gap;
    }
    const bool in_lines = options_.width > 0 && width > static_cast<size_t>(options_.width) + gap;
    for (Place& place : places_) {
      if (in_lines) place.head = text::in_lines(place.head, place.width());
      const size_t head = text::widest_line(place.head);
      const size_t fraction = place.extent.fraction;
      place.extent.whole = std::max(place.extent.whole, head - std::min(head, fraction));
    }
  }

  void fit() {
    const auto width = static_cast<size_t>(std::max(options_.width, 0));
    if (width == 0 || width_of(places_.size()) <= width) return;
    const size_t others = places_.size() - (last_is_long_ ? 1 : 0);
    if (!last_is_long_ || width_of(others) + gap + cut_text > width) {
      for (size_t i = 0; i < others; ++i) {
        if (is_text(column(places_[i]).unit)) {
          size_t& columns = places_[i].extent.whole;
          columns = std::min(columns, cut_text);
        }
      }
    }
    if (!last_is_long_) return;
    const size_t before = width_of(others) + (others > 0 ? gap : 0);
    const size_t left = std::max(short_text, width - std::min(width, before));
    size_t& columns = places_.back().extent.whole;
    columns = std::min(columns, left);
  }

  void append_row(std::string& out, const text::TextGrid& grid, std::span<const Cell> cells) const {
    std::vector<text::TextGrid::Cell> row;
    for (const Place& place : places_) {
      row.push_back(
          {text::cut_middle(shown_.text(place.column, cells[place.column]), place.width()), {}});
    }
    if (!last_is_long_ || column(places_.back()).role == Role::key) {
      return grid.append_row(out, row, 0, options_.color);
    }
    const Place& last = places_.back();
    const std::string lines =
        text::wrapped(shown_.text(last.column, cells[last.column]), last.width(), 0);
    size_t at = 0;
    do {
      const size_t end = std::min(lines.find('\n', at), lines.size());
      row.back().text = text::cut_middle(lines.substr(at, end - at), last.width());
      grid.append_row(out, row, 0, options_.color);
      row.assign(row.size(), {});
      at = end + 1;
    } while (at < lines.size());
  }

  const Table& table_;
  ShownTable& shown_;
  TerminalOptions options_;
  std::vector<Place> places_;
  bool last_is_long_ = false;
};

}  // namespace

void terminal(std::span<const Table> tables, const Bytes& to, TerminalOptions options) {
  OutputBuffer out(to);
  bool separate = false;
  for (const Table& table : tables) {
    ShownTable shown(table, options.max_rows);
    const TerminalTable text(table, shown, options);
    if (shown.rows() == 0 || text.is_empty()) continue;
    if (separate) out.append('\n');
    separate = true;
    text.write(out);
  }
  out.finish();
}

}  // namespace kr::render

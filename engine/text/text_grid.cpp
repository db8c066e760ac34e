#include "text/text_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/integer.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace kr::text {
namespace {

/// Each byte is a character that takes one column.
bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

/// As much of the head of `text` as fits, as shown; `bytes` of the text are used.
std::string head_of(std::string_view text, size_t width, size_t& bytes) {
  // Most texts, without looking for glyphs. What follows the head may take no column.
  if (is_plain_ascii(text.substr(0, text.size() > width ? width + 1 : text.size()))) {
    bytes = std::min(width, text.size());
    return std::string(text.substr(0, bytes));
  }
  std::string shown;
  size_t columns = 0;
  bytes = 0;
  while (bytes < text.size()) {
    Glyph glyph = first_glyph(text.substr(bytes));
    if (glyph.shown == "\t") glyph = {1, "\\x09", 4};
    if (columns + glyph.columns > width) break;
    shown += glyph.shown;
    columns += glyph.columns;
    bytes += glyph.bytes;
  }
  return shown;
}

template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

std::string whole(std::string_view text) {
  size_t bytes = 0;
  return head_of(text, static_cast<size_t>(-1), bytes);
}

}  // namespace

size_t columns_of(std::string_view shown) {
  if (is_plain_ascii(shown)) return shown.size();
  size_t columns = 0;
  while (!shown.empty()) {
    const Glyph glyph = first_glyph(shown);
    columns += glyph.columns;
    shown.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string cut(std::string_view text, size_t width) {
  if (width == 0) return whole(text);
  size_t bytes = 0;
  std::string shown = head_of(text, width, bytes);
  if (bytes == text.size()) return shown;
  return head_of(text, width - 1, bytes) + "…";
}

std::string cut_middle(std::string_view text, size_t width) {
  if (width == 0) return whole(text);
  size_t bytes = 0;
  std::string shown = head_of(text, width, bytes);
  if (bytes == text.size()) return shown;
  const size_t tail_columns = (width - 1) / 2;
  std::string head = head_of(text, width - 1 - tail_columns, bytes);
  // The longest tail that fits: from further back than can fit, forward by whole glyphs.
  size_t from = text.size() - std::min(text.size(), tail_columns * 4);
  while (from < text.size() && continues_character(text[from])) ++from;
  std::string tail = whole(text.substr(from));
  while (columns_of(tail) > tail_columns) tail.erase(0, first_glyph(tail).bytes);
  return head + "…" + tail;
}

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  const std::string blanks(indent, ' ');
  std::string out, line;
  size_t columns = 0;
  const auto flush = [&] {
    if (!line.empty()) out += blanks + line + '\n';
    line.clear();
    columns = 0;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = whole(text.substr(at, end - at));
    const size_t size = columns_of(word);
    if (width > 0 && columns > 0 && indent + columns + 1 + size > width) flush();
    if (columns > 0) {
      line += ' ';
      ++columns;
    }
    line += word;
    columns += size;
    at = end + 1;
  }
  flush();
  return out;
}

size_t widest_line(std::string_view lines) {
  size_t widest = 0;
  for_each_line(lines, [&](std::string_view line) { widest = std::max(widest, columns_of(line)); });
  return widest;
}

std::string in_lines(std::string_view head, size_t cells) {
  std::string words(head);
  std::replace(words.begin(), words.end(), ' ', '\n');
  std::string lines = wrapped(head, std::max(cells, widest_line(words)), 0);
  if (!lines.empty()) lines.pop_back();
  return lines;
}

std::string inked(std::string_view text, Ink ink, bool color) {
  if (!color || ink == Ink::none || text.empty()) return std::string(text);
  const char* code = ink == Ink::bold ? "1" : ink == Ink::faint ? "2" : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string tinted(std::string_view text, std::string_view rgb, bool color) {
  const auto value =
      color && rgb.size() == 7 ? integer_from<unsigned>(rgb.substr(1), 16) : std::nullopt;
  if (!value) return std::string(text);
  return fmt::format("\x1b[38;2;{};{};{}m{}\x1b[39m", *value >> 16, *value >> 8 & 255, *value & 255,
                     text);
}

void Extent::add_text(std::string_view shown) {
  whole = std::max(whole, columns_of(shown));
}

void Extent::add_number(std::string_view shown) {
  const size_t point = std::min(shown.find('.'), shown.size());
  add({columns_of(shown.substr(0, point)), columns_of(shown.substr(point))});
}

void Extent::add(const Extent& other) {
  whole = std::max(whole, other.whole);
  fraction = std::max(fraction, other.fraction);
}

void TextGrid::column(std::string head, Align align, size_t gap) {
  const size_t width = widest_line(head);
  columns_.push_back({std::move(head), align, columns_.empty() ? 0 : gap, width, {}});
}

void TextGrid::widen(size_t column, const Extent& extent) {
  columns_[column].extent.add(extent);
}

void TextGrid::row(std::vector<Cell> cells, Ink ink) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (columns_[i].align == Align::number) {
      columns_[i].extent.add_number(cells[i].text);
    } else {
      columns_[i].extent.add_text(cells[i].text);
    }
  }
  rows_.push_back({std::move(cells), ink, false});
}

void TextGrid::rule() {
  rows_.push_back({{}, Ink::faint, true});
}

size_t TextGrid::width() const {
  return columns_.empty() ? 0 : end_of(columns_.size() - 1);
}

size_t TextGrid::end_of(size_t column) const {
  size_t end = 0;
  for (size_t i = 0; i <= column; ++i) end += columns_[i].gap + columns_[i].width();
  return end;
}

void TextGrid::append_cells(std::string& out, const std::vector<Cell>& cells, size_t indent,
                            bool color, Ink ink, bool at_point) const {
  out.append(indent, ' ');
  size_t blanks = 0;  // written only before something
  for (size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns_[i];
    const Cell& cell = cells[i];
    const size_t width = columns_of(cell.text);
    const size_t pad = column.width() - std::min(column.width(), width);
    size_t behind = pad;
    if (column.align == Align::number) {
      Extent extent;
      if (at_point) extent.add_number(cell.text);
      behind = at_point ? std::min(pad, column.extent.fraction - extent.fraction) : 0;
    }
    blanks += column.gap + pad - behind;
    if (!cell.text.empty()) {
      out.append(blanks, ' ');
      out += cell.tint.empty() ? inked(cell.text, ink, color) : tinted(cell.text, cell.tint, color);
      blanks = 0;
    }
    blanks += behind;
  }
  out += '\n';
}

void TextGrid::append_row(std::string& out, const std::vector<Cell>& cells, size_t indent,
                          bool color, Ink ink) const {
  append_cells(out, cells, indent, color, ink, true);
}

void TextGrid::append_rule(std::string& out, size_t indent, bool color) const {
  out.append(indent, ' ');
  for (const Column& column : columns_) {
    std::string line;
    for (size_t i = 0; i < column.gap + column.width(); ++i) line += "─";
    out += inked(line, Ink::faint, color);
  }
  out += '\n';
}

void TextGrid::append_head(std::string& out, size_t indent, bool color) const {
  std::vector<std::vector<Cell>> lines;  // the last first: heads end just above their cells
  for (size_t i = 0; i < columns_.size(); ++i) {
    std::vector<std::string_view> head;
    for_each_line(columns_[i].head, [&](std::string_view line) { head.push_back(line); });
    for (size_t line = 0; line < head.size(); ++line) {
      if (line == lines.size()) lines.emplace_back(columns_.size());
      lines[line][i].text = head[head.size() - 1 - line];
    }
  }
  for (size_t line = lines.size(); line > 0; --line) {
    append_cells(out, lines[line - 1], indent, color, Ink::faint, false);
  }
}

std::string TextGrid::text(size_t indent, bool color) const {
  std::string out;
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& column) { return !column.head.empty(); })) {
    append_head(out, indent, color);
  }
  for (const Row& row : rows_) {
    if (row.rule) {
      append_rule(out, indent, color);
    } else {
      append_row(out, row.cells, indent, color, row.ink);
    }
  }
  return out;
}

}  // namespace kr::text

#include "report/text_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "diag/printable.hpp"

namespace kr {
namespace {

/// As much of the head of `text` as fits, as shown; `bytes` of the text are used.
std::string head_of(std::string_view text, size_t width, size_t& bytes) {
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

std::string whole(std::string_view text) {
  size_t bytes = 0;
  return head_of(text, static_cast<size_t>(-1), bytes);
}

}  // namespace

size_t columns_of(std::string_view shown) {
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
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
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

std::string inked(std::string_view text, Ink ink, bool color) {
  if (!color || ink == Ink::none || text.empty()) return std::string(text);
  const char* code = ink == Ink::bold ? "1" : ink == Ink::faint ? "2" : "33";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string tinted(std::string_view text, std::string_view rgb, bool color) {
  unsigned value = 0;
  if (!color || rgb.size() != 7 ||
      std::from_chars(rgb.data() + 1, rgb.data() + 7, value, 16).ptr != rgb.data() + 7) {
    return std::string(text);
  }
  return fmt::format("\x1b[38;2;{};{};{}m{}\x1b[39m", value >> 16, value >> 8 & 255, value & 255,
                     text);
}

void TextGrid::column(std::string head, Align align, size_t gap) {
  const size_t width = columns_of(head);
  columns_.push_back({std::move(head), align, columns_.empty() ? 0 : gap, width});
}

void TextGrid::row(std::vector<Cell> cells, Ink ink) {
  for (size_t i = 0; i < cells.size(); ++i) {
    columns_[i].width = std::max(columns_[i].width, columns_of(cells[i].text));
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
  for (size_t i = 0; i <= column; ++i) end += columns_[i].gap + columns_[i].width;
  return end;
}

void TextGrid::append(std::string& out, const Row& row, size_t indent, bool color) const {
  out.append(indent, ' ');
  if (row.rule) {
    for (const Column& column : columns_) {
      std::string line;
      for (size_t i = 0; i < column.gap + column.width; ++i) line += "─";
      out += inked(line, Ink::faint, color);
    }
    out += '\n';
    return;
  }
  size_t blanks = 0;  // written only before something
  for (size_t i = 0; i < row.cells.size(); ++i) {
    const Column& column = columns_[i];
    const Cell& cell = row.cells[i];
    const size_t pad = column.width - columns_of(cell.text);
    blanks += column.gap + (column.align == Align::right ? pad : 0);
    if (!cell.text.empty()) {
      out.append(blanks, ' ');
      out += cell.tint.empty() ? inked(cell.text, row.ink, color)
                               : tinted(cell.text, cell.tint, color);
      blanks = 0;
    }
    if (column.align == Align::left) blanks += pad;
  }
  out += '\n';
}

std::string TextGrid::text(size_t indent, bool color) const {
  std::string out;
  Row head;
  head.ink = Ink::faint;
  for (const Column& column : columns_) head.cells.push_back({column.head, {}});
  if (std::any_of(columns_.begin(), columns_.end(),
                  [](const Column& column) { return !column.head.empty(); })) {
    append(out, head, indent, color);
  }
  for (const Row& row : rows_) append(out, row, indent, color);
  return out;
}

}  // namespace kr

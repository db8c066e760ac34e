// The lines of a layout: code and trailing comments.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "layout/items.hpp"

namespace kr::layout {

inline constexpr size_t page_width = 100;

class Page {
 public:
  /// The column of the next text.
  size_t column() const {
    return lines_.empty() ? 0 : lines_.back().indent + columns(lines_.back().code);
  }
  size_t lines() const { return lines_.size(); }
  /// Whether the last line has code and no comment.
  bool takes_comment() const {
    return !lines_.empty() && !lines_.back().code.empty() && !lines_.back().ended &&
           lines_.back().trailing.empty();
  }

  /// Begins a line; an empty last line only gets the new indentation.
  void newline(size_t indent) {
    if (lines_.empty() || !lines_.back().code.empty()) lines_.emplace_back();
    lines_.back().indent = indent;
  }
  /// Adds a blank line before the current line, unless a block or the file begins there.
  void blank() {
    KR_CHECK(!lines_.empty() && lines_.back().code.empty());
    if (lines_.size() == 1) return;
    const Line& above = lines_[lines_.size() - 2];
    if (!above.ended && above.code.ends_with('{')) return;
    lines_.back().blank_before = true;
  }
  void add(std::string_view text) {
    KR_CHECK(!lines_.empty() && !lines_.back().ended && lines_.back().trailing.empty());
    lines_.back().code += text;
  }
  void pad(size_t column) {
    while (this->column() < column) add(" ");
  }
  /// Adds a comment after the code of the last line.
  void trail(std::string_view comment) {
    KR_CHECK(takes_comment());
    lines_.back().trailing = comment;
  }
  /// Adds a comment on its own line.
  void comment(std::string_view text) {
    KR_CHECK(!lines_.empty() && lines_.back().code.empty());
    lines_.back().code = text;
    lines_.back().ended = true;
  }

  /// The text. Trailing comments of adjacent lines are in one column.
  std::string text() const {
    const auto width = [](const Line& line) { return line.indent + columns(line.code); };
    const auto aligned = [&](const Line& line) {
      return !line.trailing.empty() && width(line) <= widest_aligned;
    };
    std::string out;
    size_t column = 0;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      if (line.code.empty()) continue;
      if (line.blank_before) out += '\n';
      out.append(line.indent, ' ');
      out += line.code;
      if (!line.trailing.empty()) {
        const bool begins = i == 0 || line.blank_before || !aligned(lines_[i - 1]);
        if (begins) column = 0;
        for (size_t j = i; begins && j < lines_.size() && aligned(lines_[j]); ++j) {
          if (j > i && lines_[j].blank_before) break;
          column = std::max(column, width(lines_[j]));
        }
        out.append((aligned(line) ? column - width(line) : 0) + 2, ' ');
        out += line.trailing;
      }
      out += '\n';
    }
    return out;
  }

 private:
  /// Comments of longer lines are not aligned.
  static constexpr size_t widest_aligned = 72;

  struct Line {
    size_t indent = 0;
    std::string code;
    std::string_view trailing;
    bool blank_before = false;
    bool ended = false;  // by a comment
  };
  std::vector<Line> lines_;
};

}  // namespace kr::layout
